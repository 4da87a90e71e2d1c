// The specs built into the library, made by cmake/ship_experiments.cmake from folders of .toml files: the experiments,
// and the systems whose speed is measured (fovea/lab/bench.h).
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

}  // namespace fovea
