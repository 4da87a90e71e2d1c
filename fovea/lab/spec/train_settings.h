// TrainSettings and ProbeSettings: how a run is trained and evaluated, from the `train` and `probe` tables of a spec
// (room lab/spec). lab/train and assembly.h of this room read them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fovea/base/part_choice.h"
#include "fovea/base/settings.h"
#include "fovea/math/products.h"
#include "fovea/nn/optimizer/optimizer.h"
#include "fovea/nn/optimizer/schedule.h"
#include "fovea/probe/probe.h"

namespace fovea {

struct TrainSettings {
  enum class Precision { float32, float64, bf16x3 };
  enum class KeepWeights { never, small, always };
  enum class EngineKind { torch };
  enum class Device { cpu, cuda };
  static constexpr std::size_t small_count = std::size_t{1} << 18;  // numbers; 1 MB of floats

  std::int64_t steps = 1000;
  int batch = 32;
  PartChoice<UpdateRule> optimizer{"adam"};
  double rate = 1e-3;
  OptimizerSettings of_every_optimizer;
  PartChoice<Schedule> schedule{"constant"};
  std::int64_t warmup = 0;
  Precision precision = Precision::float32;
  int threads = 1;
  // Left open they stand in no spec, so that what was trained before there were such settings keeps its hash.
  std::optional<bool> data_parallel;
  std::optional<std::int64_t> shards;  // of a batch, where it is
  static constexpr int shards_by_default = 8;
  std::optional<EngineKind> engine;   // who computes losses and gradients of updates, if not the model's own passes
  std::optional<Device> device;       // of that engine
  std::optional<std::int64_t> start;  // the seed of the initial weights where it is not the run's
  std::vector<int> checkpoints;       // steps whose weights are kept beside the final ones
  KeepWeights keep_weights = KeepWeights::small;
  std::string stop_when;

  void settings(Fields& fields);
  bool in_double() const { return precision == Precision::float64; }
  Products products() const { return precision == Precision::bf16x3 ? Products::bf16x3 : Products::full; }
  // At a step, as a share of the rate: groups have rates of their own.
  double share_of_rate(std::int64_t step) const { return schedule.part().at(step, steps, warmup); }
};

struct ProbeSettings {
  std::int64_t every = 10;
  std::vector<int> at;
  int examples = 50, keep = 4;
  Split split = Split::validation;
  std::vector<std::string> names, optional;

  void settings(Fields& fields);

  // Whether a run of `steps` steps is looked at when `step` updates are done: at the start, every N, where listed, at
  // the end.
  bool evaluates_at(std::int64_t step, std::int64_t steps) const;
  std::int64_t next_evaluation(std::int64_t step, std::int64_t steps) const;  // the first after `step`
};

struct NamedProbe {
  std::string name;
  std::unique_ptr<Probe> probe;
  bool optional = false;  // left out, not refused, where there is nothing to measure
};

// A `probe` table. Its probes are in the order of its `names` and then `optional`, each with its own settings read
// from its sub-table.
struct ProbeTable {
  ProbeSettings settings;
  std::vector<NamedProbe> probes;

  ValueTable write();  // with every default filled in
};

ProbeTable read_probe(const ValueTable& table);

}  // namespace fovea
