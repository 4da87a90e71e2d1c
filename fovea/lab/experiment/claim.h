// Claim: a sentence on the runs of an experiment, with a metric and a threshold (room lab/experiment). read_claim.cpp
// reads it from the file. lab/analysis tests it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/base/error/value.h"
#include "fovea/lab/experiment/preset.h"
#include "fovea/lab/query/definitions.h"
#include "fovea/lab/record/record.h"

namespace fovea {

// In a file either `says` stands beside metric and threshold, or the whole schema does:
//
//   [[claim]]
//   name = "permutations-slower"
//   title = "Permutations are learned later than subsets."                          at most 12 words
//   says = "The median seed needs at least 1.5 times as many steps to …"            at most 25 words
//   metric = "median(t90 | permutations) / median(t90 | subsets)"                    over names of [define]
//   at_least = 1.5
//   null = { value = 1, means = "both are equally fast" }
//   rivals = [{ name = "shuffled labels", value = 1.0 }]                             optional, as what follows
//   expect = "refuted"                                            the threshold states a sentence of the source
//   control = "subsets-learned"                                   with expect: a claim that must be supported
//   source = "[1], section 4"
struct Claim {
  std::string says;                         // one sentence
  std::string metric;                       // "share(accuracy >= 0.95)", without names of definitions
  std::string where;                        // "task.vocab = 60"; empty: all runs
  std::optional<double> at_least, at_most;  // at least one of them is set
  std::optional<Preset> preset;             // the only one that it belongs to; unset: both
  ClaimText text;
  Location location;

  std::string wanted() const;  // ">= 0.95", "0.9 to 1.1"
  bool is_of(Preset asked) const { return !preset || *preset == asked; }
  const std::string& shown() const { return text.title.empty() ? says : text.title; }
};

// Throws wrong_input with the location of the mistake, or of the table that lacks a key.
Claim read_claim(const Value& value, const Definitions& definitions);

// Throws wrong_input if two claims have the same name, or if a definition is used by none.
void check_claim_names(const std::vector<Claim>& claims, const Definitions& definitions);

}  // namespace fovea
