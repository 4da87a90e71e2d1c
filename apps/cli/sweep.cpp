#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/experiment_words.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/json_output.h"
#include "apps/cli/run_text.h"
#include "apps/cli/sweep_progress.h"

namespace fovea::cli {

namespace {

class Sweep : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("experiment", experiment_, "an experiment's name, or a spec file")
        ->required()
        ->type_name("NAME|FILE");
    app.add_option("--seeds", seeds_, "0..19, or 1,2,5 (default: the experiment's)")->type_name("SEEDS");
    words_.add_settings(app);
    words_.add_form(app, Form::full);
    words_.add_sweep(app);
    words_.add_output(app);
    app.footer(
        "A setting with several values (--set task.vocab=40,60) is an axis; all combinations are run. Runs that the\n"
        "store already holds are not run again.\n\n"
        "Examples:\n"
        "  fovea sweep copy-subset --seeds 0..19\n"
        "  fovea sweep toy-uniform --set train.rate=0.1,0.01,0.001");
  }

  int run() override {
    const Experiment experiment = find_experiment(experiment_);
    std::vector<Axis> axes = words_.axes();
    if (!seeds_.empty()) axes.push_back(parse_axis("seed=" + seeds_));
    resolve_sweep(experiment, words_.form(), words_.overrides(), axes);  // a mistake shows before there is a store
    Store store(Store::default_file());
    StagedRuns made;
    {
      SweepBar bar(words_.quiet || words_.json);
      made = sweep_stages(store, experiment, words_.form(), words_.overrides(), axes, bar.options(words_));
    }
    for (const std::string& note : made.notes) fmt::print(stderr, "fovea: {}\n", note);
    return words_.json ? print_as_json(made.runs) : print_as_table(made.runs);
  }

 private:
  static bool all_done(const std::vector<RunRecord>& runs) {
    for (const RunRecord& run : runs)
      if (run.state != RunState::done) return false;
    return true;
  }
  int print_as_json(const std::vector<RunRecord>& runs) const {
    Json list = Json::array();
    for (const RunRecord& run : runs) list.push_back(run_json(run, false));
    print_json(Json{{"runs", list}});
    return all_done(runs) ? 0 : 1;
  }
  int print_as_table(const std::vector<RunRecord>& runs) const {
    print_runs(runs, {});
    return all_done(runs) ? 0 : 1;
  }

  std::string experiment_;
  std::string seeds_;
  ExperimentWords words_;
};

const Register<Command> registered("sweep", "many runs: seeds and settings; finished ones are not run again",
                                   [] { return std::make_unique<Sweep>(); });

}  // namespace

}  // namespace fovea::cli
