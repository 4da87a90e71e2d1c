#include "fovea/lab/train/intervention_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fovea/base/error/error.h"
#include "fovea/lab/intervention/owner.h"
#include "fovea/lab/spec/train_settings.h"
#include "fovea/lab/train/weight_files.h"

namespace fovea {

namespace {

// Throws wrong_input, in words that name both, where the two contradict each other.
void check_together(Intervention& declared, Intervention& asked) {
  try {
    if (asked.rank() < declared.rank()) declared.check_beside(asked);
    else asked.check_beside(declared);
  } catch (const Error& error) {
    throw wrong_input(message("{}: {} of the spec, and {} of the callback", error.problem(),
                              Value{declared.write(), {}}, Value{asked.write(), {}}),
                      "remove one of the two", asked.location);
  }
}

}  // namespace

template <class T>
InterventionSet<T>::InterventionSet(ResolvedRun& run, ParameterSet<T>& parameters, Watcher* watcher)
    : seed_(run.spec().seed),
      rate_(run.train().rate),
      parameters_(parameters),
      watcher_(watcher),
      declared_(run.interventions()),
      frozen_names_(declared_.frozen_names()) {}

template <class T>
void InterventionSet<T>::prepare(const Capabilities& capabilities, const Task& task,
                                 const std::filesystem::path& weights) {
  capabilities_ = capabilities;
  declared_.check(capabilities_);
  declared_.prepare({task, parameters_, [&](const std::string& run) {
                       return weights.empty() ? std::nullopt : WeightFiles(weights).read(run);
                     }});
}

template <class T>
void InterventionSet<T>::start(std::int64_t step, bool resumed) {
  if (!resumed)
    for (const auto& one : declared_.all) one->put_in(step, parameters_);
  for (const auto& one : declared_.all) one->before_update(step, parameters_);
}

template <class T>
const StepPlan& InterventionSet<T>::plan(std::int64_t step) {
  if (planned_ == step) return plan_;
  if (watcher_) ask_watcher(step);
  fill(plan_, step);
  planned_ = step;
  return plan_;
}

template <class T>
void InterventionSet<T>::ask_watcher(std::int64_t step) {
  if (ValueList asked = watcher_->interventions(step); asked != asked_list_) {
    take(step, asked);
    asked_list_ = std::move(asked);
  }
  for (const auto& one : asked_.all) one->before_update(step, parameters_);
}

template <class T>
void InterventionSet<T>::take(std::int64_t step, const ValueList& asked) {
  asked_ = Interventions::parse(asked);
  checked_.clear();
  asked_.check(capabilities_);
  for (const auto& one : asked_.all) {
    if (one->needs_preparation())
      throw wrong_input(fmt::format("the intervention '{}' cannot be declared while a run trains", one->kind),
                        "declare it in the spec", one->location);
    one->when.from = std::max(one->when.from, step);
  }
}

// Of the spec and of the watcher, as if one list had them.
template <class T>
void InterventionSet<T>::find_in_force(std::int64_t step) {
  in_force_.clear();
  for (const auto& one : declared_.all)
    if (one->when.contains(step)) in_force_.push_back(one.get());
  for (const auto& one : asked_.all) {
    if (!one->when.contains(step)) continue;
    const auto after = std::upper_bound(in_force_.begin(), in_force_.end(), one->rank(),
                                        [](int rank, const Intervention* other) { return rank < other->rank(); });
    in_force_.insert(after, one.get());
  }
  if (in_force_ == checked_) return;
  for (const auto& declared : declared_.all)
    for (const auto& one : asked_.all)
      if (declared->when.contains(step) && one->when.contains(step)) check_together(*declared, *one);
  checked_ = in_force_;
}

// Of equal steps the memory is used again.
template <class T>
void InterventionSet<T>::fill(StepPlan& plan, std::int64_t step) {
  plan.step = step;
  plan.seed = seed_;
  plan.rules.clear();
  plan.frozen.clear();
  plan.paces.groups.fill({rate_, false});
  plan.paces.frozen_names = 0;
  find_in_force(step);
  for (Intervention* const one : in_force_) one->plan(plan);
  for (const std::string_view name : plan.frozen) {
    const auto known = std::ranges::find(frozen_names_, name);
    if (known == frozen_names_.end())
      throw wrong_input(fmt::format("a callback can freeze groups, and '{}' is not a group", name),
                        "freeze \"attention\" or \"body\", or declare it in the spec");
    plan.paces.frozen_names |= std::uint64_t{1} << (known - frozen_names_.begin());
  }
}

template <class T>
AttentionRules InterventionSet<T>::rules(std::int64_t step, bool update_follows) {
  if (watcher_ && update_follows) return {plan(step).rules};
  fill(evaluation_, step);
  return {evaluation_.rules};
}

template <class T>
void InterventionSet<T>::after_update(std::int64_t step) {
  for (const auto& one : declared_.all) one->after_update(step, parameters_);
  for (const auto& one : asked_.all) one->after_update(step, parameters_);
  for (const auto& one : declared_.all) one->put_in(step + 1, parameters_);
  for (const auto& one : declared_.all) one->before_update(step + 1, parameters_);
}

template <class T>
Shares InterventionSet<T>::shares() const {
  Shares shares;
  for (const auto& one : declared_.all) one->report(shares);
  return shares;
}

template <class T>
std::vector<std::uint64_t> InterventionSet<T>::names_of_parameters() const {
  std::vector<std::uint64_t> marks;
  for (const Param<T>& parameter : parameters_.all()) {
    std::uint64_t& mark = marks.emplace_back(0);
    for (std::size_t i = 0; i < frozen_names_.size(); ++i)
      if (belongs_to(parameter.name, frozen_names_[i])) mark |= std::uint64_t{1} << i;
  }
  return marks;
}

template class InterventionSet<float>;
template class InterventionSet<double>;

}  // namespace fovea
