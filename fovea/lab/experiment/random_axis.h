// RandomAxis: an axis of a sweep whose values are drawn at random by a rule (room lab/experiment). axes.h of this
// room has it.
//
//   train.rate = log(1e-4..1e-2)          evenly on a logarithmic scale
//   model.dropout = uniform(0..0.5)       evenly
//   model.score = one_of(linear, mlp)     one of these
//
// Draw number i of a setting depends on the seed of the draws, the setting's name and i alone. A sweep of 40 draws
// therefore contains the 20 of a shorter one. A setting of whole numbers gets whole ones, both ends included. Others
// are rounded to six digits, which makes them the same on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fovea/base/error/value.h"

namespace fovea {

struct RandomAxis {
  enum class Kind { uniform, log, one_of } kind = Kind::uniform;
  double low = 0, high = 1;
  std::vector<Value> choices;
  Location location;
};

// Nothing where the text is not of this form. Throws wrong_input where it is, and says nothing that can be drawn.
std::optional<RandomAxis> parse_random_axis(const std::string& text, const Location& location);

Value drawn(const RandomAxis& draw, const std::string& key, std::uint64_t seed, std::uint64_t number, bool whole);

// "a, [1, 2], 'x, y'" cut at the commas outside of brackets and quotes, without blanks at the ends.
std::vector<std::string> split_list(const std::string& text);

}  // namespace fovea
