// What is changed during training, declared in a spec and never patched in:
//
//   intervene = [
//     { hold = "uniform", until = 100 },        attention held uniform, or at the "truth", for updates from .. until-1
//     { hold = "previous", of = "layer.1.head.2" },   a single head is held, scaled or ablated
//                                               (lab/spec/head_intervention.h)
//     { freeze = "attention", from = 10 },      a group of parameters, "attention" or "body", does not move; or what
//                                               has this name, as "qk.2" (lab/spec/owner.h)
//     { rate = 1e-2, of = "attention" },        a group has a learning rate of its own
//     { clamp = "p", at = 0.5, until = 20 },    every number of the parameter p is 0.5, whatever its gradient says
//     { transplant = 12, of = "attention" },    a group, or what has this name, is as it was at the end of run 12
//     { embeddings = "vectors.txt" },           words that the file has a vector for begin with it
//                                               (lab/spec/start_vectors.h)
//   ]
//
// What each does while a run trains: lab/train/intervention_set.h.
// A run is written by its number in the store, or by its hash, which is what a spec keeps (lab/train/transplant.h).
//
// Steps count updates done: the update made when k are done is number k, and so is the look at that moment.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fovea/base/settings.h"
#include "fovea/lab/spec/head_intervention.h"
#include "fovea/model/model.h"

namespace fovea {

struct Hold {
  AttentionRule::Pattern pattern = AttentionRule::Pattern::uniform;
  Interval when;
  Place place;
  void settings(Fields& fields);
};
struct Freeze {
  std::string of = "attention";
  std::optional<Group> group() const;  // nothing where it is a name
  Interval when;
  Place place;
  void settings(Fields& fields);
};
struct OwnRate {
  double rate = 0;
  Group group = Group::attention;
  Interval when;
  Place place;
  void settings(Fields& fields);
};

struct Clamp {
  std::string parameter;
  double value = 0;
  Interval when;
  Place place;
  void settings(Fields& fields);
};

// What the parameters of `of` (a group's word, "all", or a name and what stands under it) are set to when `at` updates
// are done: what the run had at its end under the name `of`, or the same groups.
struct Transplant {
  std::string run;
  std::string of = "all", to;  // to: the name in this model, where it is another one
  std::int64_t at = 0;
  Place place;
  void settings(Fields& fields);
};

// Rows of a table of embeddings begin as the vectors that a file has for their words, and stay so where they are
// frozen. The file's digest says what it held when the spec was made.
struct Embed {
  std::string file, digest;
  std::string to = "embedding";  // the table's name
  bool frozen = false;
  Place place;
  void settings(Fields& fields);
};

// { hold = "uniform", until = 100 }, for messages.
Value example_hold();

struct Interventions {
  std::vector<Hold> holds;
  std::vector<HeadIntervention> heads;
  std::vector<Freeze> freezes;
  std::vector<OwnRate> rates;
  std::vector<Clamp> clamps;
  std::vector<Transplant> transplants;
  std::vector<Embed> embeds;

  // Throws wrong_input with the place: unknown words, negative steps, two holds (or two rates of one group, or two
  // clamps of one parameter, or two transplants to one place) at one step; two sets of embeddings for one table.
  static Interventions parse(const ValueList& list);
  ValueList write() const;  // with every default, so that two ways to write one thing are one run

  std::vector<ScopedRule> rules_at(std::int64_t step) const;  // holds of all attention first
  bool frozen_at(Group group, std::int64_t step) const;
  // The names that are not groups' and that are ever frozen, each once; and which of them are at a step, a bit for
  // each.
  std::vector<std::string> frozen_names() const;
  std::uint64_t names_frozen_at(std::int64_t step) const;
  std::optional<double> rate_at(Group group, std::int64_t step) const;

  // The next step after `step` at which any of the above may change; the largest number if there is none.
  std::int64_t next_change(std::int64_t step) const;
};

}  // namespace fovea
