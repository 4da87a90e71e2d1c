// The experiments built into the library; made from experiments/*.toml by cmake/ship_experiments.cmake.
#pragma once

#include <span>
#include <string_view>

namespace fovea {

struct ShippedExperiment {
  std::string_view name;
  std::string_view toml;
};
std::span<const ShippedExperiment> shipped_experiments();

}  // namespace fovea
