#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "apps/cli/command.h"
#include "apps/cli/experiment_words.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/json_output.h"
#include "apps/cli/report_file.h"
#include "apps/cli/sweep_progress.h"
#include "fovea/base/duration.h"
#include "fovea/lab/analysis/measurement_json.h"
#include "fovea/view/terminal/measures_text.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea::cli {

namespace {

class Reproduce : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("experiments", names_, "names of experiments, or spec files")->type_name("NAME|FILE");
    app.add_flag("--all", all_, "every experiment there is");
    words_.add_settings(app, "; sweep.seed=0..4 changes an axis of the experiment");
    words_.add_form(app, Preset::quick);
    words_.add_sweep(app);
    words_.add_output(app);
    report_option_ = app.add_option("-o,--output", report_, "the report (default: report.html; with --json none)")
                         ->type_name("FILE.html");
    app.footer(
        "Exit code 1 if a run failed; a claim that does not hold is a result, not a failure.\n\n"
        "Examples:\n"
        "  fovea reproduce toy-uniform toy-mistaken\n"
        "  fovea reproduce copy-subset --full --jobs 2\n"
        "  fovea reproduce --all --quick --json");
  }

  Together together() const override { return Together::shared; }

  int run() override {
    if (names_.empty() && !all_)
      throw wrong_input("no experiment is named", "name one (see: fovea list experiments), or use --all");
    if (!names_.empty() && all_)
      throw wrong_input(fmt::format("--all names every experiment, '{}' too", names_.front()), "use one of the two");
    std::vector<Experiment> experiments;
    for (const std::string& name : all_ ? experiment_names() : names_) experiments.push_back(words_.find(name));
    if (!words_.axes().empty())
      throw wrong_input(fmt::format("--set {} names several values, and claims are about the experiment's own axes",
                                    words_.axes().front().key),
                        "give one value, or use: fovea sweep");
    for (const Experiment& experiment : experiments) check_figures(experiment);

    check_report_name(report_, ".html");
    const bool named = report_option_->count() > 0;
    if (!words_.json && !named) check_own_report(report_);
    Store store(Store::default_file());
    std::vector<Reproduction> done;
    for (const Experiment& experiment : experiments) {
      SweepDisplay display(words_, Ranks::job());
      done.push_back(reproduce(store, experiment, words_.preset(), words_.overrides(), display.options()));
      if (interrupt_flag()->load()) break;
      say_finished(done.back());
    }
    if (!words_.json || named) write_report(store, done, report_);
    words_.json ? print_as_json(done) : print_as_text(done);
    if (interrupt_flag()->load()) {
      fmt::print(stderr, "fovea: stopped; finished runs are kept, and the same command goes on from there.\n");
      return 1;
    }
    return failures(done) == 0 ? 0 : 1;
  }

 private:
  static std::size_t failures(const std::vector<Reproduction>& done) {
    std::size_t count = 0;
    for (const Reproduction& r : done)
      for (const auto* runs : {&r.runs, &r.baselines})
        for (const RunRecord& run : *runs)
          if (run.state == RunState::failed) {
            if (count++ < 5)
              fmt::print(stderr, "fovea: {} (seed {}) failed: {}\n", run.experiment, run.spec.seed, run.error);
          }
    return count;
  }

  void say_finished(const Reproduction& r) const {
    if (words_.quiet || words_.json || ::isatty(STDERR_FILENO) != 1) return;
    fmt::print(stderr, "{:<22} {:>4} {}  {}\n", r.experiment.name, r.runs.size(), r.runs.size() == 1 ? "run " : "runs",
               duration_text(r.seconds));
  }

  void print_as_json(const std::vector<Reproduction>& done) const {
    Json claims = Json::array(), experiments = Json::array();
    for (const Reproduction& r : done) {
      Json ids = Json::array();
      for (const RunRecord& run : r.runs) ids.push_back(run.id);
      experiments.push_back(
          {{"experiment", r.experiment.name}, {"title", r.experiment.title}, {"runs", ids}, {"seconds", r.seconds}});
      if (r.measures) experiments.back()["measures"] = measures_json(*r.measures);
      for (const ClaimResult& claim : r.claims) claims.push_back(claim_json(claim));
    }
    print_json(Json{{"set", words_.set}, {"experiments", experiments}, {"claims", claims}});
  }

  void print_as_text(const std::vector<Reproduction>& done) const {
    std::vector<ClaimResult> claims;
    for (const Reproduction& r : done) claims.insert(claims.end(), r.claims.begin(), r.claims.end());
    const auto held = std::count_if(claims.begin(), claims.end(), [](const ClaimResult& c) { return c.held; });
    const Terminal terminal = Terminal::of(STDOUT_FILENO);
    for (const Reproduction& r : done)
      if (r.measures && done.size() == 1) fmt::print("{}\n", measures_text(*r.measures, terminal));
    fmt::print("{}\n{} of {} claims held.\n", claims_table(claims, terminal), held, claims.size());
    fmt::print("The report with the figures: {}\n", std::filesystem::absolute(report_).string());
  }

  std::vector<std::string> names_;
  bool all_ = false;
  ExperimentWords words_;
  std::string report_ = "report.html";
  CLI::Option* report_option_ = nullptr;
};

const Register<Command> reproduce_command("reproduce", "run experiments and check their claims",
                                          [] { return std::make_unique<Reproduce>(); });

}  // namespace

}  // namespace fovea::cli
