// Axes of sweeps and overrides of settings, as files and command lines write them (room lab/experiment). Experiments,
// the program's --set and the server parse them. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/error/value.h"
#include "fovea/lab/experiment/random_axis.h"

namespace fovea {

// A dotted setting, and what it is to be.
struct Override {
  std::string key;
  Value value;
};

// One axis of a sweep: "seed" or a dotted setting, and its values, or the rule by which they are drawn.
struct Axis {
  std::string key;
  std::vector<Value> values;
  std::optional<RandomAxis> draw = {};
};

// The axis "cases": each value is a table of settings that change together.
inline constexpr std::string_view cases_key = "cases";

// What one value of an axis sets: its key, or all that a case names.
std::vector<Override> settings_of(const std::string& key, const Value& value);

// `words` as "task.vocab=60": applied over the experiment's settings. The value is read as TOML, or
// as plain text where that fails.
Override parse_override(const std::string& words);
// "key=a,b,c" or "key=0..19", or both ("0..3,7"), or a rule to draw by ("key=log(1e-4..1e-2)"): an axis. "[0]..[19]"
// are lists of one number each.
Axis parse_axis(const std::string& words);
// An axis as a spec writes it: a list, or the text of a range or rule.
Axis axis_of(const std::string& key, const Value& values);

}  // namespace fovea
