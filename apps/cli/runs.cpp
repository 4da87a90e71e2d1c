#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/run_text.h"
#include "fovea/lab/store.h"

namespace fovea::cli {

namespace {

class Runs : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("experiment", query_.experiment, "only runs of this experiment");
    app.add_option("--where", where_, "only runs for which this holds")->type_name("CONDITION");
    app.add_option("--sort", query_.sort, "by a metric, a setting or an expression; -NAME: falling")->type_name("NAME");
    limit_ = app.add_option("--limit", query_.limit, "at most so many (default: the newest 40; -1, and --json: all)")
                 ->check(CLI::Range(std::int64_t{-1}, std::int64_t{1} << 40))
                 ->type_name("N");
    app.add_option("--show", shown_, "what to show of each: metrics, settings, or expressions over them")
        ->type_name("NAME");
    app.add_flag("--bin", query_.in_bin, "those in the bin");
    app.add_flag("--json", json_, "print one JSON document");
    app.footer(
        "A condition reads settings (task.vocab, seed), last metrics (accuracy), id, experiment, state, steps, "
        "seconds,\n"
        "tags, note, and functions of a metric's course: step_of(accuracy >= 0.9), in short steps_to_90; "
        "max_over(loss);\n"
        "at(loss, 100). tagged(\"good\") holds for runs with that tag.\n\n"
        "Examples:\n"
        "  fovea runs\n"
        "  fovea runs copy-subset --sort -accuracy\n"
        "  fovea runs --where 'task.vocab = 40 and accuracy >= 0.9' --sort steps_to_90\n"
        "  fovea runs --show accuracy steps_to_90 model.hidden");
  }

  int run() override {
    if (!where_.empty()) query_.where = Expression::parse(where_, {"--where"});
    const Store store(Store::default_file(), Store::Mode::read_only);
    check_shown(store);
    const bool newest = query_.sort.empty() && limit_->count() == 0;
    if (limit_->count() == 0) query_.limit = json_ ? -1 : 40;
    if (newest) query_.sort = "-id";
    std::int64_t fitting = 0;
    std::vector<RunRecord> runs = store.query(query_, &fitting);
    if (newest) std::ranges::reverse(runs);
    if (json_) {
      Json list = Json::array();
      for (const RunRecord& run : runs) list.push_back(run_json(run, false));
      print_json(Json{{"runs", list}});
      return 0;
    }
    if (runs.empty()) {
      say_none(store);
      return 0;
    }
    print_runs(runs, shown_);
    if (fitting > std::ssize(runs))
      fmt::print("The {} {} of {}. All of them: --limit -1\n", newest ? "newest" : "first", runs.size(), fitting);
    return 0;
  }

 private:
  // What is to be shown must be something that runs have; courses are read where an expression asks for them.
  void check_shown(const Store& store) {
    const Store::Names known = store.names();
    for (const std::string& text : shown_) {
      if (std::ranges::find(known.metrics, text) != known.metrics.end()) continue;
      const Expression expression = Expression::parse(text, {"--show"});
      store.require_known(expression.require_single_run().names(), expression.place());
      query_.with_series |= expression.reads_series();
    }
  }

  void say_none(const Store& store) const {
    if (query_.in_bin && where_.empty()) fmt::print("The bin is empty.\n");
    else if (store.count() == 0) fmt::print("No runs yet. Begin with: fovea run toy-uniform\n");
    else if (where_.empty() && !query_.experiment.empty())
      fmt::print("No run of {} yet. Begin with: fovea run {}\n", query_.experiment, query_.experiment);
    else fmt::print("No run fits.\n");
  }

  RunQuery query_;
  std::string where_;
  std::vector<std::string> shown_;
  CLI::Option* limit_ = nullptr;
  bool json_ = false;
};

const Register<Command> registered("runs", "the runs of the store", [] { return std::make_unique<Runs>(); });

}  // namespace

}  // namespace fovea::cli
