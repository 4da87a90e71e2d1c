#include "fovea/lab/train/train_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fovea/base/error/names.h"
#include "fovea/base/processor_time.h"
#include "fovea/lab/record/held_name.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/train/step_watcher.h"
#include "fovea/lab/train/weights_file.h"

namespace fovea {

bool Pulse::beat() {
  if (++since_ < stride_) return false;
  since_ = 0;
  const Clock::time_point now = Clock::now();
  stride_ = now - last_ < std::chrono::milliseconds(10) ? std::min(stride_ * 2, 4096) : std::max(stride_ / 2, 1);
  last_ = now;
  return true;
}

// What a watcher sees of an update.
template <class T>
class TrainLoop<T>::UpdateView final : public StepView {
 public:
  UpdateView(Workspace<T>& workspace, Compute& compute, const Trace<T>& trace, std::int64_t step, std::int64_t of)
      : workspace_(workspace), compute_(compute), trace_(trace), step_(step), of_(of) {}

  std::int64_t step() const override { return step_; }
  std::int64_t of() const override { return of_; }
  double loss() const override { return trace_.loss; }
  std::shared_ptr<const Batch> batch() const override { return workspace_.shared_batch(); }
  StepArray attention() override { return in_memory(trace_.attention); }
  StepArray beta() override {
    if (!beta_) beta_ = workspace_.model().beta(compute_, trace_);
    return in_memory(*beta_);
  }
  std::size_t parameters() const override { return all().size(); }
  const std::string& parameter_name(std::size_t i) const override { return all()[i].name; }
  StepArray parameter(std::size_t i) override { return of_parameters(all()[i], all()[i].value); }
  StepArray gradient(std::size_t i) override { return of_parameters(all()[i], all()[i].gradient); }

 private:
  static constexpr bool float64 = std::is_same_v<T, double>;
  const auto& all() const { return workspace_.parameters().all(); }
  StepArray in_memory(const Cube<T>& cube) const {
    if (cube.empty()) return {};
    return {cube.data(), {cube.shape().begin(), cube.shape().end()}, float64, workspace_.shared_memory()};
  }
  StepArray of_parameters(const Param<T>& param, const T* data) const {
    return {data, param.shape, float64, workspace_.shared_parameters()};
  }

  Workspace<T>& workspace_;
  Compute& compute_;
  const Trace<T>& trace_;
  std::int64_t step_, of_;
  std::optional<Cube<T>> beta_;
};

template <class T>
TrainLoop<T>::TrainLoop(Workspace<T>& workspace, InterventionSet<T>& interventions, Evaluator<T>& evaluator,
                        const TrainSettings& train, const TrainHooks& hooks, RunRecord& record, Stopwatch& watch)
    : workspace_(workspace),
      interventions_(interventions),
      evaluator_(evaluator),
      train_(train),
      hooks_(hooks),
      record_(record),
      optimizer_(workspace.parameters(), train.optimizer.part(), train.of_every_optimizer,
                 interventions.names_of_parameters()) {
  const ValueTable& table = record.spec.train;
  if (train.data_parallel.value_or(false))
    shards_.emplace(static_cast<int>(train.shards.value_or(TrainSettings::shards_by_default)), hooks.ranks,
                    workspace.model().takes(), workspace.parameters());
  else if (train.shards)
    throw wrong_input("train.shards needs train.data_parallel, which is not set", "set train.data_parallel = true too",
                      location_in(table, "shards"));
  if (shards_ && hooks.watcher)
    throw wrong_input("a run whose batches are cut into shards cannot be watched update by update",
                      "drop the callbacks, or train.data_parallel", location_in(table, "data_parallel"));
  if (train.engine) {
    if (hooks.watcher && hooks.watcher->watches())
      throw wrong_input("a run whose updates an engine computes cannot be watched update by update",
                        "drop the callbacks, or train.engine", location_in(table, "engine"));
    engine_.emplace(hooks.engine, record.spec, train, workspace);
  }
  if (!train.stop_when.empty()) stop_when_ = Expression::parse(train.stop_when, location_in(table, "stop_when"));
  if (!hooks.checkpoints.folder.empty())
    keeper_.emplace(hooks,
                    TrainState<T>{workspace.parameters(), optimizer_, evaluator.probes(), evaluator.attention(), record,
                                  train_loss_, time_},
                    train.steps, watch);
}

template <class T>
RunState TrainLoop<T>::run() {
  const bool resumed = keeper_ && !hooks_.checkpoints.forget && keeper_->restore();
  if (shards_) shards_->agree_on_start(record_.steps);
  const RunState state = go_on(resumed);
  if (state == RunState::stopped && saves()) keeper_->save_last();
  return state;
}

template <class T>
RunState TrainLoop<T>::run_until(std::int64_t step) {
  pause_at_ = step;
  return go_on(std::exchange(begun_, true));
}

// A checkpoint is taken between an update's evaluation and the next update, where the number of steps says all.
template <class T>
RunState TrainLoop<T>::go_on(bool begun) {
  const std::int64_t steps = train_.steps;
  std::int64_t step = record_.steps;
  interventions_.start(step, begun);
  if (!begun) keep_weights();
  if (!begun && evaluate(step, steps == 0)) return RunState::done;
  while (step < steps) {
    const std::int64_t next = evaluator_.settings().next_evaluation(step, steps);
    {
      const Metered metered(hooks_.spent ? &hooks_.spent->updates : nullptr);
      for (; step < next; ++step) {
        if (step >= pause_at_) return RunState::running;
        if (to_stop()) return RunState::stopped;
        if (pulse_.beat()) tend(step);
        update(step);
      }
    }
    if (evaluate(step, step == steps)) return RunState::done;
  }
  return RunState::done;
}

template <class T>
bool TrainLoop<T>::to_stop() const {
  if (shards_) return shards_->stopped();
  return asked_to_stop() || (hooks_.watcher && hooks_.watcher->ended());
}

template <class T>
void TrainLoop<T>::tend(std::int64_t step) {
  if (hooks_.progress && step > 0 && pulse_.last() - told_ >= std::chrono::milliseconds(50)) {
    told_ = pulse_.last();
    hooks_.progress(step, train_.steps);
  }
  if (saves() && keeper_->due(pulse_.last())) keeper_->save();
}

template <class T>
void TrainLoop<T>::update(std::int64_t step) {
  const StepPlan& plan = interventions_.plan(step);
  const auto batch_step = static_cast<std::uint64_t>(step);
  longest_first_.arrange(workspace_.next_batch(Split::train, batch_step, train_.batch));
  const double loss = gradient({true, record_.spec.seed, batch_step, {plan.rules}}, step);
  const double share = train_.share_of_rate(step);
  const double norm = optimizer_.step(workspace_.team(), share, plan.paces);
  if (!std::isfinite(norm)) workspace_.refuse_gradient(step);
  interventions_.after_update(step);
  train_loss_ = loss;
  time_ += share * train_.rate;
  record_.steps = step + 1;
  keep_weights();
}

template <class T>
void TrainLoop<T>::keep_weights() {
  if (std::ranges::find(train_.checkpoints, record_.steps) == train_.checkpoints.end()) return;
  for (WeightRecord& weight : workspace_.weights()) {
    weight.name = checkpoint_name(record_.steps, weight.name);
    record_.weights.push_back(std::move(weight));
  }
}

// Of the loss on the batch at hand, which it returns.
template <class T>
double TrainLoop<T>::gradient(const Pass& pass, std::int64_t step) {
  Compute compute = workspace_.fresh_memory();
  Model<T>& model = workspace_.model();
  const Batch& batch = workspace_.batch();
  if (shards_) {
    const double loss = shards_->gradient(compute, model, batch, pass, asked_to_stop());
    if (!std::isfinite(loss)) workspace_.refuse_loss(loss, step);
    return loss;
  }
  if (engine_) {
    const double loss = engine_->compute(pass);
    if (!std::isfinite(loss)) workspace_.refuse_loss(loss, step);
    return loss;
  }
  const Trace<T> trace = model.forward(compute, batch, pass);
  if (!std::isfinite(trace.loss)) workspace_.refuse_loss(trace.loss, step);
  workspace_.parameters().clear_gradients(compute.team);
  model.backward(compute, trace);
  if (hooks_.watcher) {
    UpdateView view(workspace_, compute, trace, step, train_.steps);
    hooks_.watcher->watch(view);
  }
  return trace.loss;
}

// Reads the model at `step`; true where that ends the run.
template <class T>
bool TrainLoop<T>::evaluate(std::int64_t step, bool last) {
  Moment now{step, last, train_loss_, time_, interventions_.rules(step, step < train_.steps)};
  evaluator_.evaluate(now);
  if (step == 0) check_stop_condition();
  if (last) return true;
  if (!stop_when_ || !stop_when_->is_true(record_)) {
    evaluator_.count();
    return false;
  }
  now.last = true;
  evaluator_.evaluate(now);
  return true;
}

// A name that nothing has said at the first evaluation may still come (a share of what is not there yet), unless it is
// a slip of the pen for one that has.
template <class T>
void TrainLoop<T>::check_stop_condition() const {
  if (!stop_when_) return;
  std::vector<std::string> known(run_facts().begin(), run_facts().end());
  for (const auto& [name, series] : record_.series) known.push_back(name);
  known.emplace_back("train_loss");
  if (interventions_.may_hold())
    for (const auto& [name, series] : record_.series)
      if (!is_held_name(name)) known.push_back(held_name(name));
  for (const std::string& name : stop_when_->names()) {
    if (run_has(record_, name) || std::ranges::find(known, name) != known.end()) continue;
    if (!nearest_name(name, known).empty())
      throw wrong_input(fmt::format("train.stop_when reads '{}', and no probe of this run measures it", name),
                        suggest_name(name, known), stop_when_->location());
    if (hooks_.trouble)
      hooks_.trouble(
          fmt::format("train.stop_when reads '{}', and no probe measured it at step 0. If no probe measures "
                      "it later, the run does not stop early.",
                      name));
  }
}

template class TrainLoop<float>;
template class TrainLoop<double>;

}  // namespace fovea
