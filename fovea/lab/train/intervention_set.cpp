#include "fovea/lab/train/intervention_set.h"

#include <algorithm>

#include "fovea/base/error/error.h"
#include "fovea/lab/spec/owner.h"

namespace fovea {

template <class T>
InterventionSet<T>::InterventionSet(const RunSpec& spec, const TrainSettings& train, ParameterSet<T>& parameters,
                                    Watcher* watcher)
    : spec_(spec),
      train_(train),
      parameters_(parameters),
      watcher_(watcher),
      declared_(Interventions::parse(spec.interventions)) {}

template <class T>
void InterventionSet<T>::prepare(const Capabilities& capabilities, const Task& task,
                                 const std::filesystem::path& weights) {
  capabilities_ = capabilities;
  check_interventions(declared_, capabilities_, spec_, train_);
  embeddings_.emplace(declared_.embeds, task, parameters_);
  transplants_.emplace(declared_.transplants, weights, parameters_);
}

template <class T>
void InterventionSet<T>::start(std::int64_t step, bool resumed) const {
  if (!resumed) transplants_->put_in(step);
  keep_clamped(step);
}

template <class T>
const StepPlan& InterventionSet<T>::plan(std::int64_t step) {
  if (plan_ && plan_->step == step) return *plan_;
  if (step < standing_.step || step >= standing_ends_) {
    standing_ = {step, declared_.rules_at(step), paces(step)};
    standing_ends_ = declared_.next_change(step);
  }
  if (!plan_) plan_.emplace();
  *plan_ = standing_;
  plan_->step = step;
  if (watcher_) let_change(*plan_);
  return *plan_;
}

template <class T>
AttentionRules InterventionSet<T>::rules(std::int64_t step, bool update_follows) {
  if (watcher_ && update_follows) return {plan(step).rules};
  if (watcher_ && plan_ && plan_->rules != declared_.rules_at(plan_->step)) return {plan_->rules};
  rules_now_ = declared_.rules_at(step);
  return {rules_now_};
}

template <class T>
void InterventionSet<T>::let_change(StepPlan& plan) const {
  watcher_->before(plan);
  for (const ScopedRule& rule : plan.rules) check_rule(rule, capabilities_, spec_);
}

template <class T>
void InterventionSet<T>::after_update(std::int64_t step) const {
  keep_clamped(step);
  embeddings_->keep_frozen();
  transplants_->put_in(step + 1);
  keep_clamped(step + 1);
}

template <class T>
std::optional<double> InterventionSet<T>::embeddings_found() const {
  if (embeddings_->words() == 0) return std::nullopt;
  return embeddings_->share_found();
}

template <class T>
Paces InterventionSet<T>::paces(std::int64_t step) const {
  Paces paces;
  for (const Group group : {Group::body, Group::attention})
    paces.groups[static_cast<std::size_t>(group)] = {declared_.rate_at(group, step).value_or(train_.rate),
                                                     declared_.frozen_at(group, step)};
  paces.frozen_names = declared_.names_frozen_at(step);
  return paces;
}

template <class T>
std::vector<std::uint64_t> InterventionSet<T>::names_of_parameters() const {
  std::vector<std::uint64_t> marks;
  const std::vector<std::string> names = declared_.frozen_names();
  for (const Param<T>& parameter : parameters_.all()) {
    std::uint64_t& mark = marks.emplace_back(0);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (belongs_to(parameter.name, names[i])) mark |= std::uint64_t{1} << i;
  }
  return marks;
}

// The optimiser moves every parameter; those that are clamped at `step` are put back.
template <class T>
void InterventionSet<T>::keep_clamped(std::int64_t step) const {
  for (const Clamp& clamp : declared_.clamps) {
    if (!clamp.when.holds(step)) continue;
    const auto parameter = std::ranges::find(parameters_.all(), clamp.parameter, &Param<T>::name);
    std::fill_n(parameter->value, parameter->count(), static_cast<T>(clamp.value));
  }
}

template class InterventionSet<float>;
template class InterventionSet<double>;

}  // namespace fovea
