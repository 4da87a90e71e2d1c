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
    app.add_option("--format", format_, "csv or jsonl (default: by the file's ending)")
        ->check(CLI::IsMember(export_formats()));
    app.add_option("-o,--output", file_, "the file to write")->required()->type_name("FILE");
    app.footer(
        "csv has the columns run, experiment, seed, metric, step, value.\n\n"
        "Examples:\n"
        "  fovea export --all --format csv -o runs.csv\n"
        "  fovea export 3 4 5 -o three.jsonl\n"
        "  fovea export 3 --where 'accuracy >= 0.9' -o good.csv");
  }

  int run() override {
    std::string format = format_;
    if (format.empty()) format = file_.ends_with(".jsonl") ? "jsonl" : file_.ends_with(".csv") ? "csv" : "";
    if (format.empty())
      throw wrong_input(fmt::format("'{}' does not say which format is wanted", file_),
                        "name it .csv or .jsonl, or use --format");
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

const Register<Command> registered("export", "runs as csv or jsonl", [] { return std::make_unique<Export>(); });

}  // namespace

}  // namespace fovea::cli
