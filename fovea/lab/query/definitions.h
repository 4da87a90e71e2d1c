// Definitions: named quantities of an experiment's claims, each an expression (room lab/query). The readers of
// experiment files (lab/experiment/claim.h) expand claims with them:
//
//   [define]
//   t90 = "steps_to_90"
//   permutations = "task.vocab = task.length"
//
// median(t90 | permutations) is then median(steps_to_90 | task.vocab = task.length). A name stands for its
// expression, in parentheses if it is a part of a larger one. Definitions may use each other, in any order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fovea/base/error/location.h"
#include "fovea/base/error/value.h"

namespace fovea {

struct Definition {
  std::string name;
  std::string text;   // as written
  std::string whole;  // without names of other definitions
  Location location;
};

class Definitions {
 public:
  Definitions() = default;
  // Throws wrong_input with the location of the mistake: a name that has a meaning in expressions, a text that is no
  // expression, definitions that use each other in a circle.
  explicit Definitions(const ValueTable& table);

  const std::map<std::string, Definition>& all() const { return all_; }
  std::string expand(const std::string& expression) const;
  // Those that the expression uses, with those that these use, in the order of the file.
  std::vector<Definition> used_by(const std::string& expression) const;

 private:
  std::map<std::string, Definition> all_;
};

}  // namespace fovea
