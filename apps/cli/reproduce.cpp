// Command `fovea reproduce` (folder apps/cli), which main.cpp makes by name. It trains missing runs and tests claims
// by lab/analysis/reproduce.h. It writes runs and verdicts to the store.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/experiment_words.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/json_output.h"
#include "apps/cli/notice.h"
#include "apps/cli/report_file.h"
#include "apps/cli/sweep_progress.h"
#include "fovea/base/duration.h"
#include "fovea/base/error/names.h"
#include "fovea/lab/analysis/analysis_json.h"
#include "fovea/lab/analysis/findings.h"
#include "fovea/lab/analysis/run_values.h"
#include "fovea/view/report/story.h"
#include "fovea/view/terminal/claims_text.h"
#include "fovea/view/terminal/measures_text.h"

namespace fovea::cli {

namespace {

class Reproduce : public Command {
 public:
  void options(CLI::App& app) override {
    app_ = &app;
    app.add_option("experiments", names_, "names of experiments, or .toml files that describe them")
        ->type_name("NAME|FILE");
    CLI::Option* all = app.add_flag("--all", all_, "reproduce every experiment");
    app.add_flag("--findings", findings_, "reproduce the experiments of the main findings, and list these findings")
        ->excludes(all);
    app.add_flag("--claims", every_claim_,
                 "show all claims, not only findings. If no experiment is named, nothing is trained, and the stored "
                 "claims are shown");
    words_.add_settings(app, "; sweep.seed=0..4 changes the seeds that are trained");
    words_.add_form(app, Preset::quick);
    words_.add_sweep(app);
    app.add_option("--claim", claims_, "show only the claim with this name; may be repeated")
        ->type_name("NAME")
        ->take_all()
        ->allow_extra_args(false);
    app.add_flag("--explain", explain_, "show all keys of each claim: its text, metric, terms, rivals and source");
    words_.add_output(app);
    report_option_ =
        app.add_option("-o,--output", report_, "file of the report (default: report.html; with --json: none)")
            ->check(not_empty())
            ->type_name("FILE.html");
    app.footer(  // prose: off data-that-tell, because the example names the key
        "The exit code is 1 if a run failed. A claim that is not supported is a result, not a failure.\n"
        "\n"
        "To make an experiment with claims from a run, write its settings to a file:\n"
        "  fovea show RUN --spec > FILE.toml\n"
        "Then add lines such as these at the end of the file:\n"
        "  [sweep]\n"
        "  seed = \"0..4\"\n"
        "  [[claim]]\n"
        "  says = \"The median seed reaches full attention before step 500.\"\n"
        "  metric = \"median(step_of(p >= 1))\"\n"
        "  at_most = 500\n"
        "\n"
        "Examples:\n"
        "  fovea reproduce --findings\n"
        "  fovea reproduce toy-uniform toy-mistaken\n"
        "  fovea reproduce copy-subset --full --jobs 2\n"
        "  fovea reproduce toy-uniform --claim closed-form-time --explain\n"
        "  fovea reproduce --all --quick --json");
  }

  Together together() const override { return Together::shared; }

  int run() override {
    if (names_.empty() && !all_ && !findings_ && every_claim_) return list_kept_claims();
    std::vector<Experiment> experiments;
    for (const std::string& name : chosen_names()) experiments.push_back(words_.find(name));
    if (!words_.axes().empty())
      throw wrong_input(fmt::format("--set {} names several values, and claims need one", words_.axes().front().key),
                        fmt::format("give one value. To change the values that the experiment trains: --set sweep.{}=…",
                                    words_.axes().front().key));
    for (const Experiment& experiment : experiments) check_figures(experiment);
    check_claims_named(experiments);

    const bool named = report_option_->count() > 0;
    if (!words_.json || named) check_report_name(report_, ".html");
    if (!words_.json && !named) check_own_report(report_);
    Store store(Store::default_file());
    words_.report_left_out();
    std::vector<Reproduction> done;
    for (const Experiment& experiment : experiments) {
      SweepDisplay display(words_, Ranks::job());
      done.push_back(reproduce(store, experiment, words_.preset(), words_.overrides(), display.options()));
      if (interrupt_flag()->load()) break;
      report_finished(done.back());
      if (shows_findings() && !words_.quiet && !words_.json) report_findings(done.back());
    }
    if (interrupt_flag()->load()) {
      notice("stopped before the report. Finished runs are stored, and the same command continues.");
      return 1;
    }
    if (!words_.json || named) write_report(store, done, report_);
    words_.json ? print_as_json(done) : print_as_text(done);
    return failures(done) == 0 ? 0 : 1;
  }

 private:
  bool is_shown(const std::string& name) const {
    return claims_.empty() || std::ranges::find(claims_, name) != claims_.end();
  }

  void check_claims_named(const std::vector<Experiment>& experiments) const {
    std::vector<std::string> known;
    for (const Experiment& experiment : experiments)
      for (const Claim& claim : experiment.claims)
        if (claim.is_of(words_.preset())) known.push_back(claim.text.name);
    const std::string owner = experiments.size() == 1 ? experiments.front().name + " has" : "the experiments have";
    check_claims_among(known, fmt::format("{} no claim '{{}}' in the {} form", owner, word_of(words_.preset())),
                       experiments.front().name);
  }

  void check_claims_among(const std::vector<std::string>& known, const std::string& problem,
                          const std::string& of) const {
    for (const std::string& name : claims_)
      if (name.empty() || std::ranges::find(known, name) == known.end())
        throw wrong_input(fmt::format(fmt::runtime(problem), name),
                          suggest_name(name, known, fmt::format("list the names: fovea reproduce {} --explain", of)));
  }

  std::vector<std::string> chosen_names() const {
    if (names_.empty() && !all_ && !findings_)
      throw wrong_input("no experiment is named",
                        "name one (see: fovea list experiments), or use --findings, or --all");
    if (!names_.empty() && (all_ || findings_))
      throw wrong_input(fmt::format("{} and '{}' both name experiments", all_ ? "--all" : "--findings", names_.front()),
                        "use one of the two");
    if (findings_) return experiments_of_findings(words_.preset());
    return all_ ? experiment_names() : names_;
  }

  // Every claim that was reproduced before; nothing is trained.
  int list_kept_claims() const {
    refuse_options_of_training();
    const std::vector<Reproduction> found = reproduced_before(Store(Store::default_file(), Store::Mode::read_only));
    if (found.empty()) throw wrong_input("nothing has been reproduced yet", "begin with: fovea reproduce --findings");
    std::vector<std::string> known;
    for (const Reproduction& r : found)
      for (const ClaimResult& claim : r.claims) known.push_back(claim.text.name);
    check_claims_among(known, "no stored claim has the name '{}'", "--claims");
    words_.json ? print_as_json(found) : print_claims(found);
    return 0;
  }

  void refuse_options_of_training() const {
    static constexpr std::string_view of_lists[] = {"--claims", "--claim", "--explain", "--json", "--quiet"};
    for (const CLI::Option* const option : app_->get_options())
      if (option->count() > 0 && std::ranges::find(of_lists, option->get_name()) == std::end(of_lists))
        throw wrong_input(fmt::format("--claims without names of experiments trains nothing, so {} has no effect",
                                      option->get_name()),
                          fmt::format("name an experiment, or leave out {}", option->get_name()));
  }

  static std::size_t failures(const std::vector<Reproduction>& done) {
    std::size_t count = 0;
    for (const Reproduction& r : done)
      for (const auto* runs : {&r.runs, &r.baselines})
        for (const RunRecord& run : *runs)
          if (run.state == RunState::failed) {
            if (count++ < 5) notice("{} (seed {}) failed: {}", run.experiment, run.spec.seed, run.error);
          }
    return count;
  }

  void report_finished(const Reproduction& r) const {
    if (words_.quiet || words_.json || ::isatty(STDERR_FILENO) != 1) return;
    fmt::print(stderr, "{:<22} {:>4} {}  {}\n", r.experiment.name, r.runs.size(), r.runs.size() == 1 ? "run " : "runs",
               duration_text(r.seconds));
  }

  // Each finding as soon as its claim is tested: the table comes after the last experiment.
  static void report_findings(const Reproduction& r) {
    for (const Finding& finding : findings())
      for (const ClaimResult& claim : r.claims)
        if (finding.is_of(claim)) notice("{}: {}", verdict_text(claim), finding.heading);
  }

  void print_as_json(const std::vector<Reproduction>& done) const {
    Json claims = Json::array(), experiments = Json::array();
    for (const Reproduction& r : done) {
      Json ids = Json::array();
      for (const RunRecord& run : r.runs) ids.push_back(run.id);
      experiments.push_back(
          {{"experiment", r.experiment.name}, {"title", r.experiment.title}, {"runs", ids}, {"seconds", r.seconds}});
      experiments.back()["values"] = run_values_json(r);
      if (r.measures) experiments.back()["measures"] = measures_json(*r.measures);
      for (const ClaimResult& claim : r.claims)
        if (is_shown(claim.text.name)) claims.push_back(claim_json(claim));
    }
    Json document{{"set", words_.set}, {"experiments", experiments}, {"claims", claims}};
    if (shows_findings()) document["findings"] = findings_json(results_of_findings(done));
    print_json(document);
  }

  // Of experiments that somebody names, all claims are shown.
  bool shows_findings() const { return (all_ || findings_) && !every_claim_ && !explain_ && claims_.empty(); }

  void print_as_text(const std::vector<Reproduction>& done) const {
    const Terminal terminal = Terminal::of(STDOUT_FILENO);
    for (const Reproduction& r : done)
      if (r.measures && done.size() == 1) fmt::print("{}\n", measures_text(*r.measures, terminal));
    if (!shows_findings()) print_claims(done);
    const std::string report =
        fmt::format("The report with the figures: {}\n", std::filesystem::absolute(report_).string());
    if (!shows_findings()) return fmt::print("{}", report);
    const std::vector<FindingResult> findings = results_of_findings(done);
    fmt::print("{}\n{}", findings_table(findings, terminal), report);
    std::size_t more = 0;
    for (const Reproduction& r : done) more += r.claims.size();
    for (const FindingResult& found : findings) more -= found.result && !found.kept;
    fmt::print("How the first was computed: fovea reproduce {} --explain\n", findings.front().finding.experiment);
    if (more > 0)
      fmt::print("{} more claim{} of these experiments: fovea reproduce --claims\n", more, more == 1 ? "" : "s");
  }

  void print_claims(const std::vector<Reproduction>& done) const {
    std::vector<ClaimResult> claims;
    for (const Reproduction& r : done)
      std::ranges::copy_if(r.claims, std::back_inserter(claims),
                           [this](const ClaimResult& claim) { return is_shown(claim.text.name); });
    if (claims.empty())
      return fmt::print("No claim is tested: the {} form has none. To add one, see: fovea reproduce --help\n",
                        word_of(words_.preset()));
    const Terminal terminal = Terminal::of(STDOUT_FILENO);
    fmt::print("{}\n{}.\n", explain_ ? claims_explained(claims, terminal) : claims_table(claims, terminal),
               verdict_counts(claims));
  }

  std::vector<std::string> names_;
  std::vector<std::string> claims_;
  bool all_ = false, findings_ = false, every_claim_ = false, explain_ = false;
  ExperimentWords words_;
  std::string report_ = "report.html";
  CLI::Option* report_option_ = nullptr;
  const CLI::App* app_ = nullptr;
};

const Register<Command> reproduce_command("reproduce", "run experiments and check their claims",
                                          [] { return std::make_unique<Reproduce>(); });

}  // namespace

}  // namespace fovea::cli
