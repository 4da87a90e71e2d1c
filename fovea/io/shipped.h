// The specs built into the library, made by cmake/ship_experiments.cmake from folders of .toml files: the experiments,
// the systems whose speed is measured (fovea/lab/bench/bench.h), and the corpora that can be got
// (fovea/data/corpus/public_corpora.h).
#pragma once

#include <span>
#include <string_view>

namespace fovea {

struct ShippedExperiment {
  std::string_view name;
  std::string_view toml;
};
std::span<const ShippedExperiment> shipped_experiments();  // experiments/
std::span<const ShippedExperiment> shipped_systems();      // bench/systems/
std::span<const ShippedExperiment> shipped_corpora();      // corpora/

}  // namespace fovea
