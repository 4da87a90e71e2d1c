// RunWords: the arguments that name runs, by their ids or by a condition (folder apps/cli). All commands on stored
// runs have them. Reads the store only.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "fovea/lab/store/store.h"

namespace fovea::cli {

bool names_a_run(const std::string& word);     // whether it is a number
std::int64_t run_id(const std::string& word);  // throws wrong_input
[[nodiscard]] Error no_such_run(const Store& store, std::int64_t id);

class RunWords {
 public:
  void add(CLI::App& app);
  bool none() const { return ids_.empty() && where_.empty(); }
  // Those named, then those for which the condition holds, each once. Throws wrong_input where none are named, or none
  // fits, or an id is none.
  std::vector<std::int64_t> of(const Store& store, bool in_bin = false) const;

 private:
  std::vector<std::string> ids_;
  std::string where_;
};

std::string count_text(std::int64_t count, const std::string& one, const std::string& many);  // "1 run", "2 runs"

}  // namespace fovea::cli
