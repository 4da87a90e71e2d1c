// RunSpec: what one run is, every setting with all defaults filled in (room lab/record). Its text is hashed and
// stored. Experiments resolve to it, training reads it, and the store finds runs by its hash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fovea/base/error/error.h"
#include "fovea/base/error/value.h"

namespace fovea {

// Everything one run is made of. All defaults are filled in, so two specs are the same run exactly if text() is the
// same.
struct RunSpec {
  ValueTable task, model, train, probe;  // task, model: with "name"
  ValueList interventions;
  std::uint64_t seed = 0;

  // The seed of the initial weights: train.start, which a spec holds only where it is not the run's own seed.
  std::uint64_t start() const;

  ValueTable table() const;                               // all of it as one table, keys sorted
  std::string text() const;                               // canonical: one TOML line per setting
  std::string hash() const;                               // 32 hex digits over text(), less what cannot change a number
  static bool changes_numbers(std::string_view setting);  // false: how many threads, whether weights are kept
  // "task.vocab", "seed", "train.start"; "interventions" is how many there are, "intervene" what they do, in words, and
  // "hold" what attention is held at, each of them "none" where nothing is.
  std::optional<Value> setting(const std::string& dotted) const;
  // Whether it is of a run that another program made, which says of its settings what it likes.
  bool elsewhere() const;
  // Whether setting() tells of the whole list of interventions by this name.
  static bool describes_interventions(std::string_view name) {
    return name == "interventions" || name == "intervene" || name == "hold";
  }
};

// A RunSpec from its table(), or from parse_table(text()), as the store keeps it. Settings are checked when it is
// trained.
RunSpec run_spec_from_table(const ValueTable& table);

}  // namespace fovea
