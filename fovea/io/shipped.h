// The files that are built into the library; cmake/ship_experiments.cmake makes them from folders (room io). They are
// the experiments (lab/experiment), the systems whose speed is measured (fovea/lab/bench/bench.h), the public corpora
// (fovea/data/corpus/public_corpora.h), and the kept results of full forms (fovea/lab/analysis/kept_results.h). Those
// rooms read them. Read-only.
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
std::span<const ShippedExperiment> shipped_results();      // docs/results/: .toml and .json

}  // namespace fovea
