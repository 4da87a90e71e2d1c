#include <fmt/format.h>

#include <optional>

#include "apps/cli/command.h"
#include "apps/cli/experiment_words.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/json_output.h"
#include "apps/cli/progress.h"
#include "apps/cli/run_text.h"
#include "fovea/lab/store.h"
#include "fovea/lab/trainer.h"

namespace fovea::cli {

namespace {

class Run : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("experiment", experiment_, "an experiment's name, or a spec file")
        ->required()
        ->type_name("NAME|FILE");
    words_.add_settings(app);
    app.add_option("--seed", seed_, "of the data and the start (default: the spec's, or 0)")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 62))
        ->type_name("N");
    words_.add_form(app, Form::full);
    words_.add_output(app);
    app.add_flag("--series", series_, "with --json: every point of every series");
    app.footer(
        "Examples:\n"
        "  fovea run toy-uniform\n"
        "  fovea run copy-subset --seed 3 --set task.vocab=50\n"
        "  fovea run mine.toml --json --series");
  }

  int run() override {
    const Experiment experiment = find_experiment(experiment_);
    if (!words_.axes().empty()) {
      const Axis axis = words_.axes().front();
      throw wrong_input(fmt::format("--set {} names several values, and a run has one", axis.key), "use: fovea sweep",
                        {});
    }
    const RunSpec spec = resolve(experiment, words_.form(), words_.overrides(),
                                 seed_ ? static_cast<std::uint64_t>(*seed_) : experiment.seed);
    Store store(Store::default_file());  // before training: a store that can not be written is said at once
    RunRecord record = train_with_progress(spec);
    record.experiment = experiment.name;
    store.keep(record);
    if (words_.json) print_json(run_json(record, series_));
    else print_run(record);
    if (record.state == RunState::failed) {
      fmt::print(stderr, "fovea: {} What was measured until then is kept as run {}.\n", record.error, record.id);
      return 1;
    }
    if (record.state == RunState::stopped) {
      fmt::print(stderr, "fovea: stopped after {} steps; what was measured until then is kept as run {}.\n",
                 record.steps, record.id);
      return 1;
    }
    return 0;
  }

 private:
  RunRecord train_with_progress(const RunSpec& spec) const {
    Progress progress("steps", words_.quiet);
    TrainHooks hooks;
    hooks.stop = interrupt_flag();
    hooks.progress = [&](std::int64_t step, std::int64_t of) {
      progress.show(static_cast<double>(step), static_cast<double>(of));
    };
    return train(spec, hooks);
  }

  std::string experiment_;
  ExperimentWords words_;
  std::optional<std::int64_t> seed_;
  bool series_ = false;
};

const Register<Command> registered("run", "one run, kept in the store; prints its last metrics",
                                   [] { return std::make_unique<Run>(); });

}  // namespace

}  // namespace fovea::cli
