// Stores and runs for the tests of the lab.
#pragma once

#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include "fovea/lab/store/store.h"

namespace fovea::testing_parts {

// A new folder that goes with its owner.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "fovea-store-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline Value value(auto x) {
  if constexpr (std::is_same_v<decltype(x), const char*>) return {std::string(x), {}};
  else if constexpr (std::is_same_v<decltype(x), int>) return {std::int64_t{x}, {}};
  else return {x, {}};
}

// A run as a trainer would leave it: `accuracy` and `loss` of three probe steps.
inline RunRecord sample_run(std::uint64_t seed, RunState state = RunState::done) {
  RunRecord run;
  run.experiment = "copy-subset";
  run.spec.task = {
      {"name", value("copy")}, {"vocab", value(40 + static_cast<int>(seed % 3) * 10)}, {"distinct", value(true)}};
  run.spec.model = {{"name", value("seq2seq")}, {"hidden", value(256)}};
  run.spec.train = {{"rate", value(1e-3)}, {"steps", value(200)}};
  run.spec.probe = {{"names", Value{ValueList{value("accuracy"), value("loss")}, {}}}};
  run.spec.seed = seed;
  run.hash = run.spec.hash();
  run.state = state;
  run.version = "0.1.0";
  run.machine = "a test machine, 2 cores";
  run.started = "2024-01-02T03:04:05Z";
  run.seconds = 1.5;
  run.steps = 200;
  const double x = static_cast<double>(seed % 1000) / 1000;
  run.series["accuracy"] = {{0, 100, 200}, {0.01, x / 2, x}};
  run.series["loss"] = {{0, 100, 200}, {3.5, 2.0, 1 - x}};
  return run;
}

}  // namespace fovea::testing_parts
