// Command `fovea plot` (folder apps/cli), which main.cpp makes by name. It draws metrics of runs (view/plot/plot.h).
// Reads the store; writes the figure.
#include "fovea/view/plot/plot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/notice.h"
#include "apps/cli/output_file.h"
#include "apps/cli/run_words.h"
#include "fovea/lab/store/store.h"
#include "fovea/view/picture/picture.h"

namespace fovea::cli {

namespace {

class Plot : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("runs", words_, "ids of runs, then names of metrics or expressions over them")
        ->type_name("RUN|METRIC");
    app.add_option("-o,--output", file_, "the file of the figure; its name ends with .svg, .pdf or .png")
        ->required()
        ->check(not_empty())
        ->type_name("FILE");
    app.add_option("--where", where_, "runs that meet this condition, in addition to the runs named")
        ->check(a_condition())
        ->type_name("CONDITION");
    app.footer(
        "Examples:\n"
        "  fovea plot 3 p loss -o toy.svg\n"
        "  fovea plot --where 'experiment = \"copy-subset\"' accuracy -o copying.pdf");
  }

  int run() override {
    if (words_.empty())
      throw wrong_input(where_.empty() ? "no run and no metric is named" : "no metric is named",
                        where_.empty()
                            ? fmt::format("write, for example: fovea plot 3 loss -o {}", file_)
                            : fmt::format("write, for example: fovea plot --where '{}' loss -o {}", where_, file_));
    figure_format(file_);  // a wrong file is reported before anything is read
    check_output_file(file_);
    const Store store(Store::default_file(), Store::Mode::read_only);
    std::vector<RunRecord> runs;
    std::vector<std::string> metrics;
    for (const std::string& word : words_) {
      if (!names_a_run(word)) {
        metrics.push_back(word);
        continue;
      }
      std::optional<RunRecord> run = store.find(run_id(word));
      if (!run) throw no_such_run(store, run_id(word));
      runs.push_back(std::move(*run));
    }
    if (!where_.empty()) {
      RunQuery query;
      query.where = Expression::parse(where_, {"--where"});
      query.with_series = true;
      for (RunRecord& run : store.query(query)) runs.push_back(std::move(run));
    }
    if (runs.empty() && where_.empty())
      throw wrong_input(fmt::format("no run is named, because '{}' is read as a metric", words_.front()),
                        "name runs by their ids, before the metrics");
    if (runs.empty()) throw wrong_input("no run fits", "see: fovea runs", {"--where"});
    if (const std::size_t outdated = keep_newest_arithmetic(runs); outdated > 0)
      notice("{} of an older arithmetic revision {} left out",
             count_text(static_cast<std::int64_t>(outdated), "run", "runs"), outdated == 1 ? "is" : "are");
    if (metrics.empty())
      throw wrong_input("no metric is named",
                        "see the metrics of a run: fovea show " + std::to_string(runs.front().id));
    for (const std::string& metric : metrics) require_in(runs, Expression::parse(metric), store);
    save_figure(plot_metrics(runs, metrics), file_);
    notice("wrote {}", file_);
    return 0;
  }

 private:
  // Refuses what only other runs of the store have. plot_metrics() refuses what none has.
  static void require_in(const std::vector<RunRecord>& runs, const Expression& metric, const Store& store) {
    constexpr std::size_t most_named = 5;
    for (const std::string& name : metric.names()) {
      if (std::ranges::any_of(runs, [&name](const RunRecord& run) { return run_has(run, name); })) continue;
      std::vector<std::string> ids;
      RunQuery query;
      query.columns.emplace({name});
      store.visit(query, [&](const RunRecord& run, std::int64_t) {
        if (ids.size() <= most_named && run_has(run, name)) ids.push_back(std::to_string(run.id));
      });
      if (ids.empty()) continue;
      if (ids.size() > most_named) ids.back() = "…";
      throw wrong_input(fmt::format("none of the named runs has the metric '{}'", name),
                        fmt::format("name runs of the store that have it: {}", fmt::join(ids, ", ")));
    }
  }

  std::vector<std::string> words_;
  std::string file_, where_;
};

const Register<Command> plot_command("plot", "draw metrics of runs as a figure",
                                     [] { return std::make_unique<Plot>(); });

}  // namespace

}  // namespace fovea::cli
