#include <fmt/format.h>

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
    app.add_option("--sort", query_.sort, "by a metric or a setting; -NAME: falling")->type_name("NAME");
    app.add_option("--limit", query_.limit, "at most so many (default 40; -1: all)")->type_name("N");
    app.add_option("--show", metrics_, "the metrics to show")->type_name("METRIC");
    app.add_flag("--json", json_, "print one JSON document");
    app.footer(
        "Examples:\n"
        "  fovea runs\n"
        "  fovea runs copy-subset --sort -accuracy\n"
        "  fovea runs --where 'task.vocab = 40 and accuracy >= 0.9' --show accuracy attention_accuracy");
    query_.limit = 40;
  }

  int run() override {
    if (!where_.empty()) query_.where = Expression::parse(where_, {"--where"});
    const Store store(Store::default_file(), Store::Mode::read_only);
    const std::vector<RunRecord> runs = store.query(query_);
    if (json_) {
      Json list = Json::array();
      for (const RunRecord& run : runs) list.push_back(run_json(run, false));
      print_json(Json{{"runs", list}});
      return 0;
    }
    if (runs.empty()) {
      fmt::print("{}\n", store.count() == 0 ? "No runs yet. Begin with: fovea run toy-uniform" : "No run fits.");
      return 0;
    }
    print_runs(runs, metrics_);
    if (query_.limit >= 0 && static_cast<std::int64_t>(runs.size()) == query_.limit && store.count() > query_.limit)
      fmt::print("The first {}; the store holds {}. All of them: --limit -1\n", runs.size(), store.count());
    return 0;
  }

 private:
  RunQuery query_;
  std::string where_;
  std::vector<std::string> metrics_;
  bool json_ = false;
};

const Register<Command> registered("runs", "the runs of the store", [] { return std::make_unique<Runs>(); });

}  // namespace

}  // namespace fovea::cli
