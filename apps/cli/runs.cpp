// Command `fovea runs` (folder apps/cli), which main.cpp makes by name. It lists runs of the store, or merges another
// store into it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/notice.h"
#include "apps/cli/progress.h"
#include "apps/cli/run_text.h"
#include "apps/cli/run_words.h"
#include "fovea/base/error/names.h"
#include "fovea/lab/record/json.h"
#include "fovea/lab/store/store.h"

namespace fovea::cli {

namespace {

class Runs : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("experiment", query_.experiment, "only runs of this experiment")->type_name("NAME");
    app.add_option("--where", where_, "only runs that meet this condition")
        ->check(a_condition())
        ->type_name("CONDITION");
    sort_ = app.add_option("--sort", query_.sort,
                           "order by a metric, a setting or an expression; -NAME: in descending order")
                ->type_name("NAME");
    limit_ = app.add_option("--limit", query_.limit,
                            "list at most the N newest runs; -1 lists all (default: 40; with --json: all)")
                 ->check(between(std::int64_t{-1}, many).description(""))
                 ->type_name("N");
    app.add_option("--show", shown_, "columns to show: metrics, settings, or expressions over them")->type_name("NAME");
    app.add_flag("--bin", query_.in_bin, "list the runs in the bin");
    app.add_flag("--json", json_, "print one JSON document");
    merge_ = app.add_subcommand("merge", "copy the runs of another store");
    merge_->add_option("store", other_, "the file runs.db in the folder of the other store")
        ->required()
        ->type_name("OTHER.db");
    merge_->add_flag("--quiet", quiet_, "show no progress");
    merge_->add_flag("--json", json_, "print one JSON document");
    merge_->footer(
        "A run with the same spec and seed is not added twice. The other store does not change.\n"
        "\n"
        "Examples:\n"
        "  fovea runs merge /mnt/cluster/shard-3/runs.db");
    app.footer(
        "A condition contains settings (task.vocab, seed), last metrics (accuracy), id, experiment, state, steps,\n"
        "seconds, tags and note. tagged(\"good\") is true for runs with that tag.\n"
        "Three functions read a metric at all steps: max_over(loss), at(loss, 100) and step_of(accuracy >= 0.9).\n"
        "steps_to_90 is short for step_of(accuracy >= 0.9).\n"
        "\n"
        "Examples:\n"
        "  fovea runs\n"
        "  fovea runs copy-subset --sort -accuracy\n"
        "  fovea runs --where 'task.vocab = 40 and accuracy >= 0.9' --sort steps_to_90\n"
        "  fovea runs --show accuracy steps_to_90 model.hidden");
  }

  int run() override {
    if (merge_->parsed()) return merge();
    query_.sort_location = {"--sort"};
    if (sort_->count() > 0 && (query_.sort.empty() || query_.sort == "-"))
      throw wrong_input("nothing is named to sort by", "name a metric or a setting, as in --sort -accuracy",
                        {"--sort"});
    if (query_.sort.starts_with("--"))
      throw wrong_input(fmt::format("--sort is followed by the option {}", query_.sort),
                        "name a metric or a setting, as in --sort -accuracy");
    if (query_.sort.find(',') != query_.sort.npos && query_.sort.find('(') == query_.sort.npos)
      throw wrong_input("it takes one metric or setting", "name one, as in --sort -accuracy", {"--sort"});
    if (!where_.empty()) query_.where = Expression::parse(where_, {"--where"});
    const Store store(Store::default_file(), Store::Mode::read_only);
    refuse_other_words(store);
    check_shown(store);
    const bool newest = query_.sort.empty() && !(json_ && limit_->count() == 0);
    if (limit_->count() == 0) query_.limit = json_ ? -1 : 40;
    if (newest) query_.sort = "-id";
    std::int64_t fitting = 0;
    std::vector<RunRecord> runs = store.query(query_, &fitting);
    if (newest) std::ranges::reverse(runs);
    if (json_) {
      Json list = Json::array();
      for (const RunRecord& run : runs) {
        list.push_back(run_json(run, false));
        for (const std::string& text : shown_)
          list.back()["shown"][text] = number_json(Expression::parse(text).number(run));
      }
      print_json(Json{{"runs", list}});
      return 0;
    }
    if (runs.empty()) {
      if (fitting > 0)
        fmt::print("{} with --limit {}.\n", count_text(fitting, "run fits; none is listed", "runs fit; none is listed"),
                   query_.limit);
      else report_none(store);
      return 0;
    }
    print_runs(runs, shown_);
    if (fitting > std::ssize(runs))
      fmt::print("{} of {} runs. To list all: --limit -1\n",
                 runs.size() == 1 ? fmt::format("This is the {}", newest ? "newest" : "first")
                                  : fmt::format("These are the {} {}", newest ? "newest" : "first", runs.size()),
                 fitting);
    return 0;
  }

 private:
  // `fovea runs 3` and `fovea runs mrge` name no experiment.
  void refuse_other_words(const Store& store) const {
    const std::string& name = query_.experiment;
    const std::vector<std::string> experiments = store.names().experiments;
    if (std::ranges::find(experiments, name) != experiments.end()) return;
    if (names_a_run(name))
      throw wrong_input(fmt::format("'{}' is the id of a run, and fovea runs takes the name of an experiment", name),
                        fmt::format("to show the run: fovea show {}", name));
    if (!nearest_name(name, std::vector<std::string>{"merge"}).empty())
      throw wrong_input(fmt::format("there is no experiment and no command '{}'", name),
                        "to copy the runs of another store: fovea runs merge OTHER.db");
  }

  int merge() const {
    Store store(Store::default_file());
    Store::Merged merged;
    {
      Progress progress("runs", quiet_);
      merged = store.merge(other_, [&progress](std::int64_t done, std::int64_t of) {
        progress.show(static_cast<double>(done), static_cast<double>(of));
      });
    }
    for (const std::string& trouble : merged.troubles) notice("{}", trouble);
    if (json_) {
      print_json(Json{{"added", merged.added},
                      {"furthered", merged.furthered},
                      {"known", merged.known},
                      {"in_training", merged.in_training}});
    } else {
      fmt::print("{} added, {} here already\n", count_text(merged.added, "run", "runs"),
                 count_text(merged.known, "was", "were"));
      if (merged.furthered > 0)
        fmt::print("{} trained further in the other store, and copied with the checkpoint\n",
                   count_text(merged.furthered, "stopped run was", "stopped runs were"));
      if (merged.in_training > 0)
        fmt::print("{} being trained in the other store. Merge again when {} ended\n",
                   count_text(merged.in_training, "run is", "runs are"),
                   merged.in_training == 1 ? "it has" : "they have");
    }
    return merged.troubles.empty() ? 0 : 1;
  }

  // What is to be shown must be something that runs have; courses are read where an expression asks for them.
  void check_shown(const Store& store) {
    const Store::Names known = store.names();
    for (const std::string& text : shown_) {
      if (std::ranges::find(known.metrics, text) != known.metrics.end()) continue;
      const Expression expression = Expression::parse(text, {"--show"});
      store.require_known(expression.require_single_run().names(), expression.location());
      query_.with_series |= expression.reads_series();
    }
  }

  void report_none(const Store& store) const {
    if (query_.in_bin && where_.empty()) fmt::print("The bin is empty.\n");
    else if (store.count() == 0) fmt::print("No runs yet. Begin with: fovea run toy-uniform\n");
    else if (where_.empty() && !query_.experiment.empty())
      fmt::print("No run of {} yet. Begin with: fovea run {}\n", query_.experiment, query_.experiment);
    else fmt::print("No run fits.\n{}", missing_text(store));
  }

  // The names in the condition that some runs lack.
  std::string missing_text(const Store& store) const {
    constexpr std::int64_t most_read = 1000;
    if (!query_.where) return {};
    RunQuery query;
    const std::set<std::string> names = query_.where->columns();
    query.experiment = query_.experiment;
    query.in_bin = query_.in_bin;
    query.columns.emplace(names.begin(), names.end());
    query.with_series = query_.where->reads_series();
    query.limit = most_read;
    const std::vector<RunRecord> runs = store.query(query);
    std::vector<const RunRecord*> all;
    all.reserve(runs.size());
    for (const RunRecord& run : runs) all.push_back(&run);
    std::vector<std::string> tags;
    if (names.contains("tags"))
      for (const auto& [tag, count] : store.tags()) tags.push_back(tag);
    std::string text = tags.empty() ? "" : fmt::format("The tags of the store are: {}.\n", fmt::join(tags, ", "));
    for (const Expression::Missing& one : query_.where->missing(all))
      text += fmt::format("{} has no value in {} of {}.\n", one.name, one.lacking,
                          count_text(std::ssize(all), "run", "runs"));
    return text;
  }

  RunQuery query_;
  std::string where_;
  std::vector<std::string> shown_;
  CLI::Option *sort_ = nullptr, *limit_ = nullptr;
  CLI::App* merge_ = nullptr;
  std::string other_;
  bool json_ = false, quiet_ = false;
};

const Register<Command> runs_command("runs", "list the runs of the store", [] { return std::make_unique<Runs>(); });

}  // namespace

}  // namespace fovea::cli
