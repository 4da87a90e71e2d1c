#include "fovea/lab/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <variant>

#include "fovea/base/names.h"
#include "fovea/base/processor_time.h"
#include "fovea/base/version.h"
#include "fovea/data/longest_first.h"
#include "fovea/lab/query/expression.h"
#include "fovea/lab/record/machine.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/spec/start_vectors.h"
#include "fovea/lab/train/checkpoint_keeper.h"
#include "fovea/lab/train/recorder.h"
#include "fovea/lab/train/shards.h"
#include "fovea/lab/train/step_watcher.h"
#include "fovea/lab/train/training.h"
#include "fovea/lab/train/transplant.h"
#include "fovea/probe/survey.h"

namespace fovea {

namespace {

using Clock = Stopwatch::Clock;

// Says now and then that it is time to look at the clock: often where steps are long, rarely where they are short.
class Pulse {
 public:
  bool beat() {
    if (++since_ < stride_) return false;
    since_ = 0;
    const Clock::time_point now = Clock::now();
    stride_ = now - last_ < std::chrono::milliseconds(10) ? std::min(stride_ * 2, 4096) : std::max(stride_ / 2, 1);
    last_ = now;
    return true;
  }
  Clock::time_point last() const { return last_; }

 private:
  int since_ = 0, stride_ = 1;
  Clock::time_point last_ = Clock::now();
};

template <class T>
class Trainer {
 public:
  Trainer(const TrainSettings& train, const TrainHooks& hooks, RunRecord& record, Stopwatch& watch)
      : spec_(record.spec),
        train_(train),
        hooks_(hooks),
        record_(record),
        team_(train.threads),
        task_(make_task(spec_)),
        shape_(task_->shape()),
        model_(make_model<T>(spec_, shape_, *parameters_)),
        optimizer_(*parameters_, train.optimizer_settings()),
        schedule_(train.rates()),
        interventions_(Interventions::parse(spec_.interventions)),
        probes_(make_probes(spec_.probe, probe_)),
        attention_(probe_, train.steps),
        readings_(record_) {
    if (train.data_parallel.value_or(false))
      shards_.emplace(static_cast<int>(train.shards.value_or(TrainSettings::shards_by_default)), hooks.ranks,
                      model_->takes(), *parameters_);
    else if (train.shards)
      throw wrong_input("train.shards says how train.data_parallel cuts a batch, and that is not set",
                        "set train.data_parallel = true too", place_in(spec_.train, "shards"));
    if (shards_ && hooks.watcher)
      throw wrong_input("a run whose batches are cut into shards cannot be watched update by update",
                        "drop the callbacks, or train.data_parallel", place_in(spec_.train, "data_parallel"));
    if (!train.stop_when.empty()) stop_when_ = Expression::parse(train.stop_when, place_in(spec_.train, "stop_when"));
    if (!hooks.checkpoints.folder.empty())
      keeper_.emplace(hooks, TrainState<T>{*parameters_, optimizer_, probes_, attention_, record_, train_loss_, time_},
                      train.steps, watch);
    view_parameters();
  }

  RunState run() {
    check_parts();
    const bool resumed = keeper_ && !hooks_.checkpoints.forget && keeper_->restore();
    if (shards_) shards_->agree_on_start(record_.steps);
    const RunState state = loop(resumed);
    if (state == RunState::stopped && saves()) keeper_->save_last();
    if (state == RunState::done) keep_weights();
    return state;
  }

  // The same up to `step`, where it is left as a checkpoint would be; the next call goes on from there.
  RunState run_until(std::int64_t step) {
    pause_at_ = step;
    const bool begun = std::exchange(begun_, true);
    if (!begun) check_parts();
    const RunState state = loop(begun);
    if (state == RunState::done) keep_weights();
    return state;
  }

  std::vector<WeightRecord> weights() const {
    std::vector<WeightRecord> all;
    for (const Param<T>& p : parameters_->all()) {
      const auto bytes = std::as_bytes(p.values());
      all.push_back({p.name, p.shape, std::is_same_v<T, float> ? "F32" : "F64", {bytes.begin(), bytes.end()}});
    }
    return all;
  }

 private:
  struct Wants {
    bool look = false, beta = false, states = false;
  };
  Wants& wants_of(Examples which) { return wants_[static_cast<std::size_t>(which)]; }

  void keep_weights() {
    using Keep = TrainSettings::KeepWeights;
    const bool small = parameters_->count() <= TrainSettings::small_count;
    if (train_.keep_weights == Keep::always || (train_.keep_weights == Keep::small && small))
      record_.weights = weights();
  }

  // What can only be known with a batch at hand; the look at step 0 follows.
  void check_parts() {
    check_training(*model_, spec_);
    const Batch& looked_at = next_batch(probe_.split, 0, 1);
    check_looked_at(looked_at, spec_);
    grounds_ = capabilities_of(*model_, *parameters_, looked_at);
    check_interventions(interventions_, grounds_, spec_);
    embeddings_.emplace(interventions_.embeds, *task_, *parameters_);
    transplants_.emplace(interventions_.transplants, hooks_.checkpoints.weights, *parameters_);
    prepare_probes(probes_, spec_, shape_, grounds_);
    for (const NamedProbe& named : probes_) {
      if (auto* const probe = dynamic_cast<SurveyProbe*>(named.probe.get())) {
        surveys_.push_back(probe);
        survey_wants_.beta |= probe->wants_beta();
        survey_wants_.states |= probe->wants_states();
        continue;
      }
      Wants& wants = wants_of(named.probe->examples());
      wants.look = true;
      wants.beta |= named.probe->wants_beta();
      wants.states |= named.probe->wants_states();
    }
  }

  // A checkpoint is taken between an update's look and the next update, where the number of steps says all.
  RunState loop(bool resumed) {
    const std::int64_t steps = train_.steps;
    std::int64_t step = record_.steps;
    if (!resumed) transplants_->put_in(step);
    keep_clamped(step);
    if (!resumed && look(step, steps == 0)) return RunState::done;
    while (step < steps) {
      const std::int64_t next_look = probe_.next_look(step, steps);
      while (step < next_look) {
        const std::int64_t until = std::min(next_look, interventions_.next_change(step));
        const Attend attend = interventions_.attend_at(step);
        const Paces paces = paces_at(step);
        const Metered metered(hooks_.spent ? &hooks_.spent->updates : nullptr);
        for (; step < until; ++step) {
          if (step >= pause_at_) return RunState::running;
          if (to_stop()) return RunState::stopped;
          if (pulse_.beat()) tend(step);
          update(step, attend, paces);
        }
      }
      if (look(step, step == steps)) return RunState::done;
    }
    return RunState::done;
  }

  bool to_stop() const {
    if (shards_) return shards_->stopped();
    return asked_to_stop() || (hooks_.watcher && hooks_.watcher->ended());
  }
  bool asked_to_stop() const { return hooks_.stop && hooks_.stop->load(std::memory_order_relaxed); }
  bool saves() const { return keeper_ && !(shards_ && !shards_->first()); }

  void tend(std::int64_t step) {
    if (hooks_.progress && step > 0 && pulse_.last() - told_ >= std::chrono::milliseconds(50)) {
      told_ = pulse_.last();
      hooks_.progress(step, train_.steps);
    }
    if (saves() && keeper_->due(pulse_.last())) keeper_->save();
  }

  void update(std::int64_t step, Attend attend, Paces paces) {
    if (hooks_.watcher) let_change(step, attend, paces);
    Pass pass = pass_at(step, true);
    pass.attend = attend;
    next_batch(Split::train, pass.step, train_.batch);
    longest_first_.arrange(*batch_);
    const double loss = gradient(pass, step);
    const double share = schedule_.at(step);
    const bool clipped = train_.clip > 0;  // then the step tells the norm, else it must be asked for
    double norm = clipped ? 0 : optimizer_.gradient_norm(team_, paces);
    if (!std::isfinite(norm)) refuse_gradient(step);
    norm = optimizer_.step(team_, share, paces);
    if (clipped && !std::isfinite(norm)) refuse_gradient(step);
    keep_clamped(step);
    embeddings_->keep_frozen();
    transplants_->put_in(step + 1);
    keep_clamped(step + 1);
    train_loss_ = loss;
    time_ += share * train_.rate;
    record_.steps = step + 1;
  }

  // The optimiser moves every parameter; those that are clamped at `step` are put back.
  void keep_clamped(std::int64_t step) {
    for (const Clamp& clamp : interventions_.clamps) {
      if (!clamp.when.holds(step)) continue;
      const auto parameter = std::ranges::find(parameters_->all(), clamp.parameter, &Param<T>::name);
      std::fill_n(parameter->value, parameter->count(), static_cast<T>(clamp.value));
    }
  }

  // Of the loss on the batch, which it returns.
  double gradient(const Pass& pass, std::int64_t step) {
    Compute compute = fresh_memory();
    if (shards_) {
      const double loss = shards_->gradient(compute, *model_, *batch_, pass, asked_to_stop());
      if (!std::isfinite(loss)) refuse_loss(loss, step);
      return loss;
    }
    const Trace<T> trace = model_->forward(compute, *batch_, pass);
    if (!std::isfinite(trace.loss)) refuse_loss(trace.loss, step);
    parameters_->clear_gradients();
    model_->backward(compute, trace);
    if (hooks_.watcher) {
      UpdateView view(*this, compute, trace, step);
      hooks_.watcher->watch(view);
    }
    return trace.loss;
  }

  void let_change(std::int64_t step, Attend& attend, Paces& paces) {
    StepPlan plan{step, attend, paces};
    hooks_.watcher->before(plan);
    if (plan.attend != attend && !grounds_.attends)
      throw wrong_input("attention cannot be held: the model has none", "hold nothing");
    if (plan.attend == Attend::truth && !grounds_.truth)
      throw wrong_input("attention cannot be held at the truth: the task does not know it", "hold it uniform");
    attend = plan.attend;
    paces = plan.paces;
  }

  // Reads the model at `step`; true where that ends the run.
  bool look(std::int64_t step, bool last) {
    read(step, last);
    if (step == 0) check_stop_condition();
    if (last) return true;
    if (!stop_when_ || !stop_when_->holds(record_)) {
      attention_.count_look();
      return false;
    }
    read(step, true);
    return true;
  }

  // A name that nothing has said at the first look may still come (a share of what is not there yet), unless it is a
  // slip of the pen for one that has.
  void check_stop_condition() const {
    if (!stop_when_) return;
    std::vector<std::string> known(run_facts().begin(), run_facts().end());
    for (const auto& [name, series] : record_.series) known.push_back(name);
    known.emplace_back("train_loss");
    for (const std::string& name : stop_when_->names()) {
      if (run_has(record_, name) || std::ranges::find(known, name) != known.end()) continue;
      const std::string what = fmt::format("train.stop_when reads '{}', which no probe of this run measures", name);
      if (!nearest_name(name, known).empty()) throw wrong_input(what, suggest_name(name, known), stop_when_->place());
      if (hooks_.trouble) hooks_.trouble(what + " at the first look: unless one does later, it never holds");
    }
  }

  void read(std::int64_t step, bool last) {
    const bool first = step == 0;
    readings_.start_look(step);
    if (!first) readings_.number("train_loss", train_loss_);
    if (first && embeddings_->words() > 0) readings_.number("embeddings_found", embeddings_->share_found());
    if (grounds_.attends && attention_.wants(first, last)) {
      const Metered metered(hooks_.spent ? &hooks_.spent->recorder : nullptr);
      keep_attention(step, first);
    }
    const Metered metered(hooks_.spent ? &hooks_.spent->probes : nullptr);
    measure(step, last, Examples::fresh, next_batch(probe_.split, look_slice(step), probe_.examples));
    if (wants_of(Examples::same).look)
      measure(step, last, Examples::same, next_batch(probe_.split, 0, probe_.examples));
    if (wants_of(Examples::kept).look && attention_.wants(first, last)) {
      const Batch& kept = kept_examples();
      if (kept.size > 0) measure(step, last, Examples::kept, kept);
    }
    if (!surveys_.empty()) survey(step, last);
  }

  // Shows a batch to the probes that want such examples.
  void measure(std::int64_t step, bool last, Examples which, const Batch& batch) {
    show(step, last, batch, wants_of(which), [&](Compute&, const Trace<T>&, const Evaluation& look) {
      for (const NamedProbe& named : probes_)
        if (named.probe->examples() == which) named.probe->measure(look, readings_);
    });
  }

  // All of the probes that survey are shown as much as the one that wants to see most.
  void survey(std::int64_t step, bool last) {
    constexpr int size = 32;  // of texts of all lengths: larger batches are mostly padding
    int most = 0;
    for (const SurveyProbe* probe : surveys_) most = std::max(most, probe->count());
    for (int seen = 0; seen < most; seen += size) {
      const Batch& batch = next_batch(probe_.split, static_cast<std::uint64_t>(seen / size), size);
      if (batch.size == 0) break;
      show(step, last, batch, survey_wants_, [&](Compute& compute, const Trace<T>& trace, const Evaluation& look) {
        SurveyLook at{look, probe_.split};
        if (auto* const model = dynamic_cast<HasInfluence<T>*>(model_.get()))
          at.influence = [&, model] { return Cube<const float>(as_float(model->influence(compute, trace))); };
        if (auto* const model = dynamic_cast<GeneratesText<T>*>(model_.get()))
          at.say = [&, model](const Search& search) {
            return model->say(compute, batch, pass_at(step, false), search);
          };
        for (SurveyProbe* probe : surveys_)
          if (seen < probe->count()) probe->survey(at, readings_);
      });
    }
    for (SurveyProbe* probe : surveys_) probe->conclude(readings_);
  }

  // What the model makes of a batch.
  void show(std::int64_t step, bool last, const Batch& batch, const Wants& wants,
            const std::function<void(Compute&, const Trace<T>&, const Evaluation&)>& read) {
    Compute compute = fresh_memory();
    const Trace<T> trace = model_->forward(compute, batch, pass_at(step, false));
    if (!std::isfinite(trace.loss)) refuse_loss(trace.loss, step);
    check_attention(model_->attention_meaning(), trace);
    Cube<T> beta;
    if (wants.beta) beta = model_->beta(compute, trace);
    Cube<T> states;
    if (wants.states) states = model_->states(compute, trace);
    Outcome<float> seen;
    seen.loss = trace.loss;
    seen.scores = as_float(trace.scores);
    seen.answers = trace.answers;
    seen.attention = as_float(trace.attention);
    seen.further = as_float(trace.further);
    seen.predictions = as_float(trace.predictions);
    if constexpr (!std::is_same_v<T, float>)
      std::copy(parameters_->values().begin(), parameters_->values().end(), copies_.begin());
    const Evaluation seen_now{.step = step,
                              .first = step == 0,
                              .last = last,
                              .train_loss = train_loss_,
                              .time = time_,
                              .task = *task_,
                              .batch = batch,
                              .outcome = seen,
                              .beta = as_float(beta),
                              .states = as_float(states),
                              .parameters = views_};
    read(compute, trace, seen_now);
  }

  // The same few examples at every look, of the test split where it has any.
  const Batch& kept_examples() {
    const Batch& batch = next_batch(Split::test, 0, attention_.examples());
    return batch.size > 0 ? batch : next_batch(Split::validation, 0, attention_.examples());
  }

  void keep_attention(std::int64_t step, bool first) {
    const Batch& batch = kept_examples();
    if (batch.size == 0) return;
    Compute compute = fresh_memory();
    const Trace<T> trace = model_->forward(compute, batch, pass_at(step, false));
    check_attention(model_->attention_meaning(), trace);
    attention_.record(batch, as_float(trace.attention), first, readings_);
  }

  // Memory that a watcher's caller holds on to is left to it, and there is new.
  template <class Memory>
  static bool is_shared(const std::shared_ptr<Memory>& memory) {
    return memory.use_count() > 1;
  }
  const Batch& next_batch(Split split, std::uint64_t step, int size) {
    if (is_shared(batch_)) batch_ = std::make_shared<Batch>();
    task_->batch(split, step, size, *batch_);
    return *batch_;
  }
  Compute fresh_memory() {
    if (is_shared(arena_)) arena_ = std::make_shared<Arena>();
    arena_->reset();
    return {*arena_, team_};
  }

  // What a watcher sees of an update.
  class UpdateView final : public StepView {
   public:
    UpdateView(Trainer& trainer, Compute& compute, const Trace<T>& trace, std::int64_t step)
        : trainer_(trainer), compute_(compute), trace_(trace), step_(step) {}

    std::int64_t step() const override { return step_; }
    std::int64_t of() const override { return trainer_.train_.steps; }
    double loss() const override { return trace_.loss; }
    std::shared_ptr<const Batch> batch() const override { return trainer_.batch_; }
    StepArray attention() override { return in_memory(trace_.attention); }
    StepArray beta() override {
      if (!beta_) beta_ = trainer_.model_->beta(compute_, trace_);
      return in_memory(*beta_);
    }
    std::size_t parameters() const override { return all().size(); }
    const std::string& parameter_name(std::size_t i) const override { return all()[i].name; }
    StepArray parameter(std::size_t i) override { return of_parameters(all()[i], all()[i].value); }
    StepArray gradient(std::size_t i) override { return of_parameters(all()[i], all()[i].gradient); }

   private:
    static constexpr bool twice = std::is_same_v<T, double>;
    const std::deque<Param<T>>& all() const { return trainer_.parameters_->all(); }
    StepArray in_memory(const Cube<T>& cube) const {
      if (cube.empty()) return {};
      return {cube.data(), {cube.shape().begin(), cube.shape().end()}, twice, trainer_.arena_};
    }
    StepArray of_parameters(const Param<T>& param, const T* data) const {
      return {data, param.shape, twice, trainer_.parameters_};
    }

    Trainer& trainer_;
    Compute& compute_;
    const Trace<T>& trace_;
    std::int64_t step_;
    std::optional<Cube<T>> beta_;
  };

  // Fresh examples have a slice for each step; a finite split is gone through slice by slice, look by look.
  std::uint64_t look_slice(std::int64_t step) {
    const std::int64_t there = task_->examples(probe_.split);
    if (there == 0) return static_cast<std::uint64_t>(step);
    const std::int64_t slices = std::max<std::int64_t>(1, there / probe_.examples);
    return static_cast<std::uint64_t>(step / probe_.every % slices);
  }

  Pass pass_at(std::int64_t step, bool training) const {
    return {training, interventions_.attend_at(step), spec_.seed, static_cast<std::uint64_t>(step)};
  }

  Paces paces_at(std::int64_t step) const {
    Paces paces;
    for (const Group group : {Group::body, Group::attention})
      paces[static_cast<std::size_t>(group)] = {interventions_.rate_at(group, step).value_or(train_.rate),
                                                interventions_.frozen_at(group, step)};
    return paces;
  }

  void view_parameters() {
    const float* values = nullptr;
    if constexpr (std::is_same_v<T, float>) {
      values = parameters_->values().data();
    } else {
      copies_.resize(parameters_->values().size());
      values = copies_.data();
    }
    for (const Param<T>& p : parameters_->all())
      views_.push_back({p.name,
                        p.shape,
                        p.group,
                        {values + (p.value - parameters_->values().data()), static_cast<std::size_t>(p.count())}});
  }

  template <int Rank>
  View<float, Rank> as_float(const View<T, Rank>& view) {
    if constexpr (std::is_same_v<T, float>) {
      return view;
    } else {
      if (view.data() == nullptr) return {};
      const std::span<float> copy = arena_->take<float>(static_cast<std::size_t>(view.count()));
      std::transform(view.flat().begin(), view.flat().end(), copy.begin(), [](T x) { return static_cast<float>(x); });
      return {copy.data(), view.shape()};
    }
  }

  std::span<const AttentionMap<float>> as_float(std::span<const AttentionMap<T>> maps) {
    if constexpr (std::is_same_v<T, float>) {
      return maps;
    } else {
      const auto copies = arena_->take<AttentionMap<float>>(maps.size());
      for (std::size_t i = 0; i < maps.size(); ++i) copies[i] = {maps[i].name, as_float(maps[i].weights)};
      return copies;
    }
  }

  static bool finite(std::span<const T> values) {
    return std::all_of(values.begin(), values.end(), [](T x) { return std::isfinite(x); });
  }

  static std::string calmer(std::int64_t step) {
    return step > 0 ? "lower train.rate, or limit the gradient by train.clip"
                    : "numbers of the task, or of the model's start, are too large: scale them down";
  }

  static std::string loss_text(double loss) { return std::isnan(loss) ? "not a number" : "infinite"; }

  // The first parameter in the order of the forward pass is where it went wrong.
  [[noreturn]] void refuse_loss(double loss, std::int64_t step) const {
    for (const Param<T>& p : parameters_->all())
      if (!finite(p.values()))
        throw failure(
            fmt::format("at step {} the loss is {}: parameter '{}' is no longer finite", step, loss_text(loss), p.name),
            calmer(step));
    throw failure(fmt::format("at step {} the loss is {} though every parameter is finite", step, loss_text(loss)),
                  calmer(step));
  }

  // Backward runs from the last layer to the first: the last one hit is where it arose.
  [[noreturn]] void refuse_gradient(std::int64_t step) const {
    const auto& all = parameters_->all();
    const auto hit = std::find_if(all.rbegin(), all.rend(), [](const Param<T>& p) { return !finite(p.gradients()); });
    if (hit == all.rend())
      throw failure(fmt::format("at step {} the norm of the gradient is not finite", step), calmer(step));
    throw failure(fmt::format("at step {} the gradient of parameter '{}' is not finite", step, hit->name),
                  calmer(step));
  }

  const RunSpec& spec_;
  const TrainSettings& train_;
  const TrainHooks& hooks_;
  RunRecord& record_;
  // Shared with whoever keeps what a StepView showed.
  std::shared_ptr<Arena> arena_ = std::make_shared<Arena>();
  std::shared_ptr<ParameterSet<T>> parameters_ = std::make_shared<ParameterSet<T>>();
  std::shared_ptr<Batch> batch_ = std::make_shared<Batch>();
  Team team_;
  std::unique_ptr<Task> task_;
  TaskShape shape_;
  std::unique_ptr<Model<T>> model_;
  Optimizer<T> optimizer_;
  Schedule schedule_;
  Interventions interventions_;
  std::optional<Embeddings<T>> embeddings_;
  std::optional<Transplants<T>> transplants_;
  ProbeSettings probe_;
  std::vector<NamedProbe> probes_;
  AttentionRecorder attention_;
  RunReadings readings_;
  std::optional<Expression> stop_when_;
  std::optional<Shards<T>> shards_;
  LongestFirst longest_first_;
  std::vector<ParameterView> views_;
  std::vector<float> copies_;          // of the parameters, for probes of a run in double
  std::array<Wants, 3> wants_;         // what some probe wants of each kind of examples
  std::vector<SurveyProbe*> surveys_;  // of probes_
  Wants survey_wants_;
  Capabilities grounds_;
  double train_loss_ = std::numeric_limits<double>::quiet_NaN();
  double time_ = 0;
  std::int64_t pause_at_ = std::numeric_limits<std::int64_t>::max();
  bool begun_ = false;

  Pulse pulse_;
  Clock::time_point told_ = Clock::now();
  std::optional<CheckpointKeeper<T>> keeper_;
};

RunRecord begin_record(const RunSpec& spec) {
  RunRecord record;
  record.spec = spec;
  record.hash = spec.hash();
  record.version = version();
  record.machine = machine_line();
  record.started = utc_now();
  return record;
}

// Runs that go wrong midway keep what was measured until then.
template <class Work>
void train_into(RunRecord& record, const Stopwatch& watch, Work&& work) {
  const auto fail = [&record](std::string error) {
    record.state = RunState::failed;
    record.error = std::move(error);
  };
  try {
    record.state = work();
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::wrong_input) throw;
    fail(error.what());
  } catch (const std::bad_alloc&) {
    fail("There was not enough memory for the run. Use a smaller batch, vocabulary or hidden size.");
  } catch (const std::exception& error) {
    fail(error.what());
  }
  record.seconds = watch.seconds();
}

}  // namespace

RunRecord train(const RunSpec& spec, const TrainHooks& hooks) {
  const TrainSettings train = read_train(spec.train);
  Stopwatch watch;
  RunRecord record = begin_record(spec);
  train_into(record, watch, [&] {
    return train.precision == TrainSettings::Precision::float64 ? Trainer<double>(train, hooks, record, watch).run()
                                                                : Trainer<float>(train, hooks, record, watch).run();
  });
  return record;
}

struct Training::State {
  explicit State(const RunSpec& spec) : train(read_train(spec.train)), record(begin_record(spec)) {
    if (train.precision == TrainSettings::Precision::float64)
      trainer.emplace<Trainer<double>>(train, hooks, record, watch);
    else trainer.emplace<Trainer<float>>(train, hooks, record, watch);
  }

  TrainSettings train;
  TrainHooks hooks;
  Stopwatch watch;
  RunRecord record;
  std::variant<std::monostate, Trainer<float>, Trainer<double>> trainer;  // refers to all of the above
};

Training::Training(const RunSpec& spec) : state_(std::make_unique<State>(spec)) {}
Training::~Training() = default;

const RunRecord& Training::record() const { return state_->record; }

std::vector<WeightRecord> Training::weights() const {
  if (const auto* const twice = std::get_if<Trainer<double>>(&state_->trainer)) return twice->weights();
  return std::get<Trainer<float>>(state_->trainer).weights();
}

void Training::advance(std::int64_t step) {
  RunRecord& record = state_->record;
  if (record.state != RunState::running) return;
  train_into(record, state_->watch, [&] {
    if (auto* const twice = std::get_if<Trainer<double>>(&state_->trainer)) return twice->run_until(step);
    return std::get<Trainer<float>>(state_->trainer).run_until(step);
  });
}

}  // namespace fovea
