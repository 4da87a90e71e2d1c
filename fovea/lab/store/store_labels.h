// Tags and notes that users give to runs (room lab/store). store.cpp, store_merge.cpp and store_query.cpp of this
// room call it. It reads and writes the tables `tags` and `notes`.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "fovea/lab/store/store_state.h"

namespace fovea {

// Adds those of a run to the tags, which stay sorted, and its note where there is none yet.
void add_labels(Store::State& state, std::int64_t id, std::vector<std::string>& tags, std::string& note);
void keep_labels(Store::State& state, std::int64_t id, const std::vector<std::string>& tags, const std::string& note);

// Of all runs at once, for lists of many.
class Labels {
 public:
  explicit Labels(Store::State& state);
  void read(RunRecord& run) const;  // of run.id

 private:
  std::unordered_map<std::int64_t, std::vector<std::string>> tags_;
  std::unordered_map<std::int64_t, std::string> notes_;
};

}  // namespace fovea
