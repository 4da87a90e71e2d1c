// Interventions on single heads of models whose attention has heads by layer:
//
//   { hold = "previous", of = "layer.1.head.2" }   where it attends: "uniform", "previous", "first" or "truth"
//   { scale = 10, of = "layer.1" }                 its weights on the places that a right answer needs, times ten
//   { ablate = "layer.2.head.1", from = 100 }      it gives nothing
//   { copy = 4, of = "layer.2" }                   it says the tokens that it attends to, as strongly as that, beside
//                                                  what it has learned to say; of heads of the last layer
//
// Layers and heads count from 1; "layer.1" is every head of that layer, and without `of` every head is meant.
#pragma once

#include <string>

#include "fovea/lab/spec/interval.h"
#include "fovea/model/model.h"

namespace fovea {

// "layer.2.head.1", "layer.2", or "" for every head.
std::string heads_name(const ScopedRule& change);

struct HeadIntervention {
  enum class Kind { hold, scale, ablate, copy };

  Kind kind = Kind::hold;
  ScopedRule change;
  Interval when;
  Place place;

  void settings(Fields& fields, std::string& heads);  // those of its kind
  // Whether both set the same of one head.
  bool contradicts(const HeadIntervention& other) const;

  // Whether a table is one of these, rather than a hold of all of a model's attention.
  static bool is_one(const ValueTable& table);
  static HeadIntervention read(const Value& value);
  ValueTable write() const;
};

}  // namespace fovea
