// Intervention: the interface of a change during training, declared in a spec (room lab/intervention). The kinds of
// this room implement it. The InterventionSet (lab/train) calls the hooks, and lab/spec reads the settings:
//
//   intervene = [
//     { hold = "uniform", until = 100 },               attention is held for updates from .. until-1
//     { hold = "previous", of = "layer.1.head.2" },    one head is held, scaled, ablated or made to copy
//     { freeze = "attention", from = 10 },             parameters do not move
//     { rate = 1e-2, of = "attention" },               a group of parameters has a learning rate of its own
//     { clamp = "p", at = 0.5, until = 20 },           every number of a parameter is 0.5
//     { transplant = 12, of = "attention" },           parameters become what they were at the end of run 12
//     { embeddings = "vectors.txt" },                  words begin with the vectors of a file
//   ]
//
// Each kind is a part with a file of its own in this room: it states its settings, checks itself against the run, and
// acts through the hooks below. Steps count updates done: the update made when k are done is number k, and so is the
// evaluation at that moment. A training calls the hooks so (lab/train/intervention_set.h):
//
//   prepare()                when the spec is checked, and again before the first update
//   put_in(k)                when k updates are done, once
//   before_update(k)         then, before the evaluation
//   plan(k)                  before evaluation and update k
//   after_update(k)          after update k, which moved every parameter
//
// plan() is called only while the intervention is in force; the others are always called.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fovea/base/registry.h"
#include "fovea/base/settings.h"
#include "fovea/data/task.h"
#include "fovea/io/safetensors.h"
#include "fovea/lab/intervention/capabilities.h"
#include "fovea/lab/intervention/interval.h"
#include "fovea/nn/attention/attention_rule.h"
#include "fovea/nn/optimizer/optimizer.h"
#include "fovea/nn/parameters.h"

namespace fovea {

// How the next update is made.
struct StepPlan {
  std::int64_t step = 0;
  std::uint64_t seed = 0;                // the run's
  std::vector<ScopedRule> rules;         // of attention
  Paces paces;                           // of groups
  std::vector<std::string_view> frozen;  // by name: what belongs to them (owner.h)
};

// The parameters of a training, float or double.
class ParameterAccess {
 public:
  ParameterAccess(ParameterSet<float>& set) : set_(&set) {}
  ParameterAccess(ParameterSet<double>& set) : set_(&set) {}

  // use(ParameterSet<T>&)
  template <class Use>
  decltype(auto) visit(Use use) const {
    return std::visit([&](auto* set) -> decltype(auto) { return use(*set); }, set_);
  }

 private:
  std::variant<ParameterSet<float>*, ParameterSet<double>*> set_;
};

struct Preparation {
  const Task& task;
  ParameterAccess parameters;
  // The weights of a run at its end, by its hash, or nothing. No function where a spec is only checked.
  std::function<std::optional<TensorFile>(const std::string& run)> weights_of;
};

// A run whose weights an intervention takes.
struct SourceRun {
  std::string run;        // its number in the store, or its hash, which a stored spec has
  bool of_words = false;  // whether the weights may belong to words
};

// Shares of something that interventions report at the first evaluation, by name: how many of how many.
using Shares = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;

class Intervention {
 public:
  std::string kind;  // the key that it is written with
  Interval when;     // in force
  Location location;

  Intervention() = default;
  Intervention(const Intervention&) = delete;  // rules of a plan point to it
  Intervention& operator=(const Intervention&) = delete;
  virtual ~Intervention() = default;

  // Its settings, the one of the kind's name first, and when.settings() where it is in force for a while.
  virtual void settings(Fields& fields) = 0;
  // Makes one way of writing out of several, before settings are read.
  virtual void rewrite(ValueTable&) const {}
  // Reads what settings mean together. Throws wrong_input where they contradict each other, or change nothing.
  virtual void finish(const ValueTable&) {}
  virtual ValueTable write();  // every setting, so that two ways to write one thing are one run
  // Completes what depends on files now, before a spec is kept.
  virtual void pin() {}

  // A spec lists interventions by rank, then as they were written. The hashes of stored runs depend on it.
  virtual int rank() const { return 7; }

  // Throws wrong_input if it contradicts an earlier one. Earlier: a lower rank, or the same rank and written before.
  virtual void check_beside(const Intervention&) const {}
  // Throws wrong_input for what a run cannot do, and for what would change nothing there.
  virtual void check(const Capabilities&) const {}

  // The run that it takes weights from: lab/sweep/find_source_runs.h replaces its number by its hash. nullptr: none.
  virtual SourceRun* source_run() { return nullptr; }
  // Whether prepare() must have been called: only a spec can declare it then.
  virtual bool needs_preparation() const { return false; }
  virtual bool acts_on_attention() const { return false; }
  // The name that plan() adds to StepPlan::frozen; none: "".
  virtual std::string frozen_name() const { return {}; }

  // What it learnt when it was prepared before no longer holds.
  virtual void prepare(const Preparation&) {}
  virtual void put_in(std::int64_t, ParameterAccess) {}
  virtual void before_update(std::int64_t, ParameterAccess) {}
  virtual void plan(StepPlan&) {}
  virtual void after_update(std::int64_t, ParameterAccess) {}
  virtual void report(Shares&) const {}

 protected:
  std::string name() const;  // "the intervention 'hold'"
  // Throws wrong_input where both are in force at one step; `what` both do, as in "hold attention".
  void refuse_at_one_step(const Intervention& earlier, const std::string& what) const;
};

// { hold = "uniform", until = 100 }, for messages.
Value example_intervention();

// The interventions of a spec, by rank.
struct Interventions {
  std::vector<std::unique_ptr<Intervention>> all;

  // Throws wrong_input with the location for what is of no known kind, or contradicts itself or another.
  static Interventions parse(const ValueList& list);
  ValueList write() const;
  void pin() const;
  // Each of them against the run.
  void check(const Capabilities& capabilities) const;
  void prepare(const Preparation& preparation) const;

  // The names that are ever frozen, each once.
  std::vector<std::string> frozen_names() const;
  bool act_on_attention() const;
};

}  // namespace fovea
