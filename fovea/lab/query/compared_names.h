// Finds texts without quotes and numbers in quotes that an expression compares its names with (room lab/query). The
// store and the check of experiments call it. Pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/lab/query/expression.h"

namespace fovea {

// A comparison of a name with a literal, with another name or with a computed number: seed = 0, state = done, p > 1.
// A difference of names that is written without blanks is one name: experiment = copy-subset.
struct ComparedName {
  enum class With { number, text, name, computed };
  std::string name;
  With with = With::number;
  std::string other;  // the number, text or name; empty: it is computed
  std::string sign;   // between them, with the name on the left: "=", "!=", "<", …
};
std::vector<ComparedName> compared_names(const Expression& expression);

// The first of these texts that stands in it without quotes, compared or not; or "".
std::string text_without_quotes(const Expression& expression, std::span<const std::string> texts);

}  // namespace fovea
