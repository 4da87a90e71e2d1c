#include "fovea/lab/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <utility>
#include <variant>
#include <vector>

#include "fovea/base/version.h"
#include "fovea/lab/record/machine.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/train/checkpoint_keeper.h"
#include "fovea/lab/train/evaluator.h"
#include "fovea/lab/train/intervention_set.h"
#include "fovea/lab/train/train_loop.h"
#include "fovea/lab/train/training.h"
#include "fovea/lab/train/workspace.h"

namespace fovea {

namespace {

// The parts of a training, each made for the others.
template <class T>
class Trainer {
 public:
  Trainer(ResolvedRun& run, const TrainHooks& hooks, RunRecord& record, Stopwatch& watch)
      : train_(run.train()),
        hooks_(hooks),
        record_(record),
        workspace_(run),
        interventions_(run, workspace_.parameters(), hooks.watcher),
        evaluator_(workspace_, interventions_, run, record, hooks.spent),
        loop_(workspace_, interventions_, evaluator_, train_, hooks, record, watch) {}

  RunState run() {
    prepare();
    return finish(loop_.run());
  }
  RunState run_until(std::int64_t step) {
    if (!std::exchange(prepared_, true)) prepare();
    return finish(loop_.run_until(step));
  }

  std::vector<WeightRecord> weights() const { return workspace_.weights(); }

 private:
  // What can only be known with a batch at hand.
  void prepare() {
    check_training(workspace_.model(), record_.spec, train_);
    check_size_of_checkpoints();
    const Capabilities capabilities =
        capabilities_of(workspace_.model(), workspace_.parameters(), evaluator_.first_examples(), record_.spec);
    interventions_.prepare(capabilities, workspace_.task(), hooks_.checkpoints.weights);
    evaluator_.prepare(capabilities);
  }

  // The weights of all checkpoints are in memory until the run is done.
  void check_size_of_checkpoints() const {
    constexpr std::size_t most = std::size_t{1} << 30;
    const std::size_t each = workspace_.parameters().count() * sizeof(T);
    if (train_.checkpoints.size() * each > most)
      throw wrong_input(fmt::format("train.checkpoints has {} steps, and the weights of each take {:.0f} MB: at most "
                                    "1 GB in all can be kept",
                                    train_.checkpoints.size(), static_cast<double>(each) / (1 << 20)),
                        "list fewer steps", location_in(record_.spec.train, "checkpoints"));
  }

  RunState finish(RunState state) {
    using Keep = TrainSettings::KeepWeights;
    const bool small = workspace_.parameters().count() <= TrainSettings::small_count;
    const bool keeps = train_.keep_weights == Keep::always || (train_.keep_weights == Keep::small && small) ||
                       !train_.checkpoints.empty();
    if (state == RunState::done && keeps) std::ranges::move(weights(), std::back_inserter(record_.weights));
    return state;
  }

  const TrainSettings& train_;
  const TrainHooks& hooks_;
  RunRecord& record_;
  Workspace<T> workspace_;
  InterventionSet<T> interventions_;
  Evaluator<T> evaluator_;
  TrainLoop<T> loop_;
  bool prepared_ = false;
};

RunRecord begin_record(ResolvedRun& run) {
  RunRecord record;
  record.spec = run.spec();
  record.hash = run.spec().hash();
  record.version = version();
  record.machine = machine_line();
  if (run.train().products() == Products::bf16x3) record.machine += ", bf16x3 by " + tile_unit_line();
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
  } catch (const EngineMissing&) {
    throw;
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

RunRecord train(ResolvedRun run, const TrainHooks& hooks) {
  Stopwatch watch;
  RunRecord record = begin_record(run);
  train_into(record, watch, [&] {
    return run.train().in_double() ? Trainer<double>(run, hooks, record, watch).run()
                                   : Trainer<float>(run, hooks, record, watch).run();
  });
  return record;
}

struct Training::State {
  explicit State(ResolvedRun its) : run(std::move(its)), record(begin_record(run)) {
    if (run.train().in_double()) trainer.emplace<Trainer<double>>(run, hooks, record, watch);
    else trainer.emplace<Trainer<float>>(run, hooks, record, watch);
  }

  ResolvedRun run;
  TrainHooks hooks;
  Stopwatch watch;
  RunRecord record;
  std::variant<std::monostate, Trainer<float>, Trainer<double>> trainer;  // refers to all of the above
};

Training::Training(ResolvedRun run) : state_(std::make_unique<State>(std::move(run))) {}
Training::~Training() = default;

const RunRecord& Training::record() const { return state_->record; }

std::vector<WeightRecord> Training::weights() const {
  if (state_->record.state == RunState::failed)
    throw failure("the training failed, and its weights with it", "ask for the weights of an earlier step");
  if (const auto* const in_double = std::get_if<Trainer<double>>(&state_->trainer)) return in_double->weights();
  return std::get<Trainer<float>>(state_->trainer).weights();
}

void Training::advance(std::int64_t step) {
  RunRecord& record = state_->record;
  if (record.state != RunState::running) return;
  train_into(record, state_->watch, [&] {
    if (auto* const in_double = std::get_if<Trainer<double>>(&state_->trainer)) return in_double->run_until(step);
    return std::get<Trainer<float>>(state_->trainer).run_until(step);
  });
}

}  // namespace fovea
