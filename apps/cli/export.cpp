#include "fovea/lab/export.h"

#include <fmt/format.h>

#include <set>

#include "apps/cli/command.h"
#include "fovea/lab/store.h"

namespace fovea::cli {

namespace {

class Export : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("runs", runs_, "ids of runs")->type_name("RUN");
    CLI::Option* all = app.add_flag("--all", all_, "every run of the store");
    app.add_option("--where", where_, "all runs for which this holds, besides those named")
        ->type_name("CONDITION")
        ->excludes(all);
    std::vector<std::string> formats;
    for (const ExportFormat& format : export_formats()) formats.push_back(format.name);
    app.add_option("--format", format_, "csv, jsonl, npz, safetensors or tensorboard (default: by the file's ending)")
        ->check(CLI::IsMember(formats))
        ->type_name("FORMAT");
    app.add_option("-o,--output", file_, "the file to write; for tensorboard a folder")->required()->type_name("FILE");
    app.footer(
        "csv          a line a point: run, experiment, seed, metric, step, value\n"
        "jsonl        a line a run, with everything but arrays\n"
        "npz          for NumPy: series/METRIC/values, arrays/NAME/values, and the steps of each\n"
        "safetensors  the weights at the end of training, for PyTorch and others\n"
        "tensorboard  a folder with an event file for each run\n"
        "In npz and safetensors of several runs each name begins with the run's id and a slash.\n\n"
        "Examples:\n"
        "  fovea export --all -o runs.csv\n"
        "  fovea export 3 4 5 -o three.jsonl\n"
        "  fovea export 3 --where 'accuracy >= 0.9' -o good.npz\n"
        "  fovea export 12 -o weights.safetensors\n"
        "  fovea export --where 'experiment = \"copy-subset\"' --format tensorboard -o logs");
  }

  int run() override {
    const std::string format = format_.empty() ? export_format_of(file_) : format_;
    if (runs_.empty() && !all_ && where_.empty())
      throw wrong_input("no runs are named", "name their ids, or use --all or --where CONDITION");
    if (all_ && !runs_.empty()) throw wrong_input("--all and ids of runs name runs twice", "use one of the two");
    const Store store(Store::default_file(), Store::Mode::read_only);
    std::vector<std::int64_t> ids = runs_;
    if (all_ || !where_.empty()) {
      RunQuery query;
      query.columns.emplace();
      if (!where_.empty()) query.where = Expression::parse(where_, {"--where"});
      for (const RunRecord& run : store.query(query)) ids.push_back(run.id);
    }
    std::set<std::int64_t> seen;
    std::erase_if(ids, [&seen](std::int64_t id) { return !seen.insert(id).second; });
    if (ids.empty()) throw wrong_input("no run fits, so there is nothing to write", "see: fovea runs");
    export_runs(store, ids, format, file_);
    fmt::print(stderr, "fovea: wrote {} {} to {}\n", ids.size(), ids.size() == 1 ? "run" : "runs", file_);
    return 0;
  }

 private:
  std::vector<std::int64_t> runs_;
  bool all_ = false;
  std::string where_, format_, file_;
};

const Register<Command> registered("export", "runs for other programs: csv, jsonl, NumPy, safetensors, TensorBoard",
                                   [] { return std::make_unique<Export>(); });

}  // namespace

}  // namespace fovea::cli
