// Command `fovea run` (folder apps/cli), which main.cpp makes by name. It trains one run by lab/sweep, stores it and
// prints its last metrics.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/experiment_words.h"
#include "apps/cli/json_output.h"
#include "apps/cli/notice.h"
#include "apps/cli/run_text.h"
#include "apps/cli/run_words.h"
#include "apps/cli/sweep_progress.h"
#include "fovea/lab/experiment/sweep_plan.h"
#include "fovea/lab/ranks/ranks.h"
#include "fovea/lab/store/store.h"
#include "fovea/lab/sweep/joint_training.h"

namespace fovea::cli {

namespace {

class Run : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("experiment", experiment_,
                   "an experiment's name, or a .toml file that describes one, as fovea show RUN --spec prints")
        ->type_name("NAME|FILE");
    words_.add_settings(app);
    app.add_option("--seed", seed_, "seed of the data and of the initial weights (default: the experiment's, or 0)")
        ->check(a_seed())
        ->type_name("N");
    app.add_option("--threads", words_.threads,
                   "threads that share the work of a step (default: the experiment's, or 1)")
        ->check(a_thread_count())
        ->type_name("N");
    app.add_option("--resume", resumed_, "continue this stopped or killed run of the store")
        ->type_name("RUN")
        ->excludes("experiment", "--set", "--seed");
    words_.add_form(app, Preset::full);
    app.get_option("--resume")->excludes("--quick", "--full");
    words_.add_training(app);
    words_.add_output(app);
    app.add_flag("--series", series_, "print every point of every series")->needs("--json");
    app.footer(
        "An interrupted or killed run continues from its last checkpoint when it is started again.\n"
        "\n"
        "Examples:\n"
        "  fovea run toy-uniform\n"
        "  fovea run copy-subset --seed 3 --set task.vocab=50\n"
        "  fovea run mine.toml --json --series\n"
        "  fovea run --resume 12\n"
        "  mpirun -n 4 fovea run copy-subset --set train.data_parallel=true");
  }

  Together together() const override { return Together::shared; }

  int run() override {
    if (!resumed_.empty()) resume_ = run_id(resumed_);
    if (!resume_ && experiment_.empty())
      throw wrong_input("no experiment is named", "name one (see: fovea list experiments), or use --resume RUN");
    std::optional<Named> named;
    if (!resume_) named = from_words();
    Store store(Store::default_file());  // before training: a store that cannot be written is said at once
    if (resume_) named = from_store(store);
    words_.report_left_out();
    std::optional<RunRecord> record;
    {
      RunDisplay display(words_);
      SweepOptions options = display.options();
      if (Ranks* const ranks = Ranks::job()) options.pool = everybody(*ranks, named->run.spec());
      record = sweep_one(store, named->experiment, std::move(named->run), options);
    }
    if (!record) {
      notice("stopped before the first step. Nothing is stored.");
      return 1;
    }
    if (words_.json) print_json(run_json(*record, series_));
    else print_run(*record);
    return report_end(*record);
  }

 private:
  static std::string without_full_stop(std::string text) {
    if (text.ends_with('.')) text.pop_back();
    return text;
  }

  struct Named {
    std::string experiment;
    ResolvedRun run;
  };

  Named from_words() {
    const Experiment experiment = words_.find(experiment_);
    if (!words_.axes().empty()) {
      const Axis axis = words_.axes().front();
      throw wrong_input(fmt::format("--set {} {}, and a run needs one value", axis.key,
                                    axis.draw ? "gives a distribution" : "names several values"),
                        axis.draw ? "give one value, or use: fovea sweep" : remedy_for_values(axis));
    }
    for (const std::string& words : words_.set)
      if (words.starts_with("sweep.seed"))
        throw wrong_input(fmt::format("--set {} changes a sweep, and a run has one seed", words),
                          "use --seed N, or: fovea sweep");
    if (seed_) words_.refuse_other_seeds(fmt::format("--seed {}", *seed_), {Value{*seed_, {}}});
    std::vector<Override> overrides = words_.overrides();
    const std::vector<Override> first = first_values(experiment, words_.preset(), overrides);
    overrides.insert(overrides.end(), first.begin(), first.end());
    ResolvedRun run = resolve_run(experiment, words_.preset(), overrides,
                                  seed_ ? static_cast<std::uint64_t>(*seed_) : experiment.seed);
    words_.report_first_values(experiment.name, first, "To train all values: fovea sweep " + experiment_);
    refuse_late_evaluations(run.spec());
    return {experiment.name, std::move(run)};
  }

  // What to type for several values of a setting.
  std::string remedy_for_values(const Axis& axis) const {
    const auto typed = [](const std::string& words) {
      const bool plain = words.find_first_of(" \"'()[]{}*") == std::string::npos;
      return plain ? "--set " + words : "--set '" + words + "'";
    };
    std::string sweep = "fovea sweep " + experiment_;
    for (const std::string& one : words_.set) sweep += " " + typed(one);
    if (seed_) sweep += fmt::format(" --seeds {}", *seed_);
    std::vector<std::string> values;
    for (const Value& value : axis.values) values.push_back(value.text());
    const auto is_whole = [](const Value& value) { return value.as<std::int64_t>() != nullptr; };
    const bool two = axis.values.size() == 2 && std::ranges::all_of(axis.values, is_whole);
    return fmt::format("to train each of them: {}. To give one list: {}{}", sweep,
                       typed(fmt::format("{}=[{}]", axis.key, fmt::join(values, ","))),
                       two ? fmt::format(". To give one decimal number: {}",
                                         typed(fmt::format("{}={}.{}", axis.key, values[0], values[1])))
                           : "");
  }

  // The steps of a file are of all its forms, and the quick form may end before them.
  void refuse_late_evaluations(const RunSpec& spec) const {
    const auto is_given = [](const std::string& text) { return text.starts_with("probe.at="); };
    if (std::ranges::none_of(words_.set, is_given)) return;
    const std::int64_t steps = *spec.setting("train.steps")->as<std::int64_t>();
    const std::optional<Value> at = spec.setting("probe.at");
    for (const Value& step : *at->as<ValueList>())
      if (*step.as<std::int64_t>() > steps)
        throw wrong_input(fmt::format("--set probe.at has step {}, and the run has {} steps", step.text(), steps),
                          "list steps within the run, or raise train.steps");
  }

  Named from_store(const Store& store) const {
    const std::optional<RunRecord> found = store.find(*resume_);
    if (!found) throw no_such_run(store, *resume_);
    const std::string as_another = fmt::format(
        "for other settings: fovea show {} --spec > again.toml, edit it, then fovea run again.toml", *resume_);
    if (found->state == RunState::done)
      throw wrong_input(fmt::format("run {} is done and cannot be continued", *resume_), as_another);
    if (found->state == RunState::failed)
      throw wrong_input(fmt::format("run {} failed and cannot be continued. With its settings, it fails again: {}",
                                    *resume_, without_full_stop(found->error)),
                        as_another);
    if (!words_.engine.empty())
      throw wrong_input(fmt::format("--engine is a setting of a run, and run {} has its own", *resume_),
                        "leave it out");
    RunSpec spec = found->spec;
    if (words_.threads) spec.train["threads"].data = *words_.threads;
    return {found->experiment, spec};
  }

  // All processes that mpirun started, for one run.
  static decltype(SweepOptions::pool) everybody(Ranks& ranks, const RunSpec& spec) {
    const std::optional<Value> shared = spec.setting("train.data_parallel");
    if (!shared || !*shared->as<bool>())
      throw wrong_input(
          fmt::format("{} processes were started for one run, and the spec does not divide the run", ranks.size()),
          "add --set train.data_parallel=true, or start the run without mpirun. To spread many runs: fovea sweep");
    return [&ranks](int, const CheckpointPlan& checkpoints) { return joint_pool(ranks, checkpoints); };
  }

  static int report_end(const RunRecord& record) {
    if (record.state == RunState::failed)
      notice("{} The measurements until then are stored as run {}.", record.error, record.id);
    if (record.state == RunState::stopped)
      notice("stopped after {} of {} steps. The run is stored as run {}. To continue: fovea run --resume {}",
             record.steps, record.spec.setting("train.steps").value_or(Value{}).text(), record.id, record.id);
    return record.state == RunState::done ? 0 : 1;
  }

  std::string experiment_;
  ExperimentWords words_;
  std::string resumed_;
  std::optional<std::int64_t> seed_, resume_;
  bool series_ = false;
};

const Register<Command> run_command("run", "train one run, store it, and print its last metrics",
                                    [] { return std::make_unique<Run>(); });

}  // namespace

}  // namespace fovea::cli
