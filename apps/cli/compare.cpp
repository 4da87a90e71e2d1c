// Command `fovea compare` (folder apps/cli), which main.cpp makes by name. It compares runs by
// lab/analysis/compare.h. Reads the store only.
#include "fovea/lab/analysis/compare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/notice.h"
#include "apps/cli/output_file.h"
#include "apps/cli/run_words.h"
#include "fovea/base/error/names.h"
#include "fovea/base/error/setting_names.h"
#include "fovea/lab/analysis/analysis_json.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/store/store.h"
#include "fovea/view/picture/picture.h"
#include "fovea/view/plot/plot.h"
#include "fovea/view/terminal/compare_text.h"

namespace fovea::cli {

namespace {

constexpr std::size_t most_charts = 2;    // where no metrics are named
constexpr std::size_t most_whole = 2000;  // runs of a group that are read whole

class Compare : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("A", words_[0], "the id of a run, or a condition that selects a group of runs")
        ->required()
        ->type_name("RUN|CONDITION");
    app.add_option("B", words_[1], "the run or the group to compare A with")->required()->type_name("RUN|CONDITION");
    app.add_option("--metric", metrics_,
                   "metrics to compare, or expressions over metrics (default: at most eight metrics that A and B have)")
        ->type_name("NAME");
    CLI::Option* file = app.add_option("-o,--output", file_, "write the curves as a figure: .svg, .pdf or .png");
    file->check(not_empty())->type_name("FILE");
    app.add_flag("--json", json_, "print one JSON document");
    app.footer(
        "Each run of A is paired with the run of B that has the same seed. A setting may have several values within\n"
        "A and within B. Then the two runs of a pair have the same value of this setting too. Runs without a partner\n"
        "and unfinished runs are left out.\n"
        "The table has each metric's mean in A and in B, and the difference B - A with a 95 % bootstrap "
        "interval.\n"
        "The column p is from a sign-flip permutation test of the paired differences. Up to 20 pairs, the test is\n"
        "exact. Above 20 pairs, it uses 100 000 random choices of signs. Above 10 000 pairs, interval and p are\n"
        "computed from the normal distribution. Fewer than 6 pairs have no interval.\n"
        "If a run has a hold, a default metric is as_trained(NAME): the metric of the model as it trains.\n"
        "\n"
        "Examples:\n"
        "  fovea compare 3 7\n"
        "  fovea compare 'task.vocab = 40' 'task.vocab = 60' --metric steps_to_90\n"
        "  fovea compare 'experiment = \"copy-subset\"' \\\n"
        "      'experiment = \"copy-permutation\"' -o copying.svg");
  }

  int run() override {
    if (!file_.empty()) {  // a wrong file is reported before anything is read
      figure_format(file_);
      check_output_file(file_);
    }
    const Store store(Store::default_file(), Store::Mode::read_only);
    ComparedGroup a = group(store, words_[0], "A"), b = group(store, words_[1], "B");
    if (a.label == b.label)
      throw wrong_input(fmt::format("A and B are the same: {}", a.label), "name another run or condition as B");
    const std::vector<std::string> wanted = metrics_.empty() ? metrics_to_compare(a, b) : metrics_;
    std::vector<Expression> metrics;
    std::vector<std::string> drawn;  // those with a value at each step
    for (const std::string& text : wanted) {
      metrics.push_back(Expression::parse(text, {"--metric"}));
      for (const std::string& name : metrics.back().require_single_run().names()) require_in_both(name, a, b, store);
      store.require_known(metrics.back().names(), metrics.back().location());
      if (metrics.back().reads_single_steps()) drawn.push_back(text);
    }
    if (!file_.empty() && !wanted.empty() && drawn.empty())
      throw wrong_input("the named metrics have one number for each run, and a curve needs a number at each step",
                        "add a metric with a number at each step, such as accuracy", {"--output"});
    const ComparedRuns all_a = all_of(store, a, metrics), all_b = all_of(store, b, metrics);
    const Comparison comparison = compare(all_a, all_b, metrics);
    if (json_) {
      Json json{{"a", ids(a, all_a)}, {"b", ids(b, all_b)}};
      json.update(comparison_json(comparison));
      print_json(json);
    } else {
      print_as_text(a, b, comparison, drawn);
    }
    if (!file_.empty()) {
      if (metrics_.empty() && drawn.size() > most_charts) drawn.resize(most_charts);
      save_figure(comparison_figure(a, b, comparison, drawn), file_);
      notice("wrote {}", file_);
    }
    return comparison.pairs == 0 ? 1 : 0;
  }

 private:
  // A metric that the runs of one group lack has no difference.
  static void require_in_both(const std::string& name, const ComparedGroup& a, const ComparedGroup& b,
                              const Store& store) {
    const Store::Names names = store.names();
    std::vector<std::string> known(run_facts().begin(), run_facts().end());
    known.insert(known.end(), names.metrics.begin(), names.metrics.end());
    known.insert(known.end(), names.settings.begin(), names.settings.end());
    std::erase_if(
        known, [&](const std::string& one) { return !run_has(a.runs.front(), one) || !run_has(b.runs.front(), one); });
    for (const auto& [which, group] : {std::pair("A", &a), std::pair("B", &b)}) {
      const std::vector<RunRecord>& runs = group->runs;
      const bool whole = runs.size() <= most_whole;  // else some of its runs are not read
      if (!whole || std::ranges::any_of(runs, [&name](const RunRecord& run) { return run_has(run, name); })) continue;
      const std::string near = nearest_setting(name, known);
      throw wrong_input(runs.size() == 1 ? fmt::format("run {} has no metric or setting '{}'", runs.front().id, name)
                                         : fmt::format("no run of {} has a metric or setting '{}'", which, name),
                        near.empty() ? Remedy(fmt::format("see the metrics of a run: fovea show {}", runs.front().id))
                                     : Remedy::did_you_mean(near),
                        {"--metric"});
    }
  }

  // Words that are nearly a condition.
  static void refuse_as_condition(const Store& store, const std::string& word, const char* which) {
    if (!word.empty() && word.find_first_not_of("0123456789, ") == std::string::npos) {
      std::string condition;
      for (std::size_t begin = 0; (begin = word.find_first_not_of(", ", begin)) != std::string::npos;) {
        const std::size_t end = std::min(word.find_first_of(", ", begin), word.size());
        condition += (condition.empty() ? "id = " : " or id = ") + word.substr(begin, end - begin);
        begin = end;
      }
      throw wrong_input(fmt::format("'{}' is not the id of one run", word),
                        fmt::format("name several runs by a condition: '{}'", condition), {which});
    }
    std::vector<std::string> experiments = store.names().experiments;
    for (std::string& name : experiment_names()) experiments.push_back(std::move(name));
    if (std::ranges::find(experiments, word) != experiments.end())
      throw wrong_input(fmt::format("'{}' is the name of an experiment", word),
                        fmt::format("write a condition: 'experiment = \"{}\"'", word), {which});
    const bool one_word = word.find_first_of(". =<>()\"'") == std::string::npos;  // a setting has a dot
    if (const std::string near = nearest_name(word, experiments); one_word && !near.empty())
      throw wrong_input(fmt::format("'{}' is neither the id of a run nor a condition", word),
                        fmt::format("did you mean 'experiment = \"{}\"'?", near), {which});
    if (one_word)
      throw wrong_input(fmt::format("'{}' is neither the id of a run nor a condition", word),
                        "write an id (see: fovea runs), or a condition, as in 'task.vocab = 40'", {which});
  }

  static ComparedGroup group(const Store& store, const std::string& word, const char* which) {
    if (names_a_run(word)) {
      const std::int64_t id = run_id(word);
      std::optional<RunRecord> run = store.find(id);
      if (!run) throw no_such_run(store, id);
      return {fmt::format("run {}", id), {std::move(*run)}};
    }
    refuse_as_condition(store, word, which);
    RunQuery query;
    query.where = Expression::parse(word, {which});
    query.with_series = true;
    query.limit = most_whole + 1;
    ComparedGroup group{word, store.query(query)};
    if (group.runs.empty())
      throw wrong_input(fmt::format("no run meets the condition '{}'", word), "see: fovea runs", {which});
    return group;
  }

  // Of a large group, only the first runs are read whole, for the curves.
  static ComparedRuns all_of(const Store& store, ComparedGroup& group, std::span<const Expression> metrics) {
    if (group.runs.size() <= most_whole) return compared_runs(group.runs, metrics);
    RunQuery query;
    query.where = Expression::parse(group.label);
    ComparedRuns all = compared_runs(store, query, metrics);
    group.runs.resize(most_whole);
    group.more = std::ssize(all.runs) - std::ssize(group.runs);
    fmt::print(stderr, "fovea: the curve of '{}' is the median of its first {} runs, of {}\n", group.label, most_whole,
               all.runs.size());
    return all;
  }

  void print_as_text(const ComparedGroup& a, const ComparedGroup& b, const Comparison& comparison,
                     const std::vector<std::string>& metrics) const {
    const Terminal terminal = Terminal::of(STDOUT_FILENO);
    fmt::print("{}", comparison_text(a, b, comparison, terminal));
    std::size_t charts = 0;
    for (const std::string& metric : metrics) {
      if (metrics_.empty() && charts == most_charts) break;
      const std::string chart = comparison_chart(a, b, comparison, metric, terminal);
      charts += !chart.empty();
      fmt::print("{}", chart);
    }
  }

  static Json ids(const ComparedGroup& group, const ComparedRuns& all) {
    Json list = Json::array();
    for (const ComparedRuns::Run& run : all.runs) list.push_back(run.id);
    return {{"label", group.label}, {"runs", list}};
  }

  std::string words_[2];
  std::vector<std::string> metrics_;
  std::string file_;
  bool json_ = false;
};

const Register<Command> compare_command("compare", "compare two runs, or two groups of runs paired over seeds",
                                        [] { return std::make_unique<Compare>(); });

}  // namespace

}  // namespace fovea::cli
