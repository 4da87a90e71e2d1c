// Command `fovea sweep` (folder apps/cli), which main.cpp makes by name. It trains many runs by lab/sweep/sweep.h and
// stores them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/experiment_words.h"
#include "apps/cli/json_output.h"
#include "apps/cli/notice.h"
#include "apps/cli/run_text.h"
#include "apps/cli/run_words.h"
#include "apps/cli/sweep_progress.h"
#include "apps/cli/wording.h"
#include "fovea/lab/analysis/reproduce.h"
#include "fovea/lab/experiment/sweep_plan.h"
#include "fovea/lab/ranks/ranks.h"

namespace fovea::cli {

namespace {

constexpr std::size_t most_unconfirmed = 100'000;  // runs
constexpr std::size_t most_listed = 100;           // rows of the table at the end
constexpr std::size_t most_in_json = 10'000;

class Sweep : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("experiment", experiment_,
                   "an experiment's name, or a .toml file that describes one, as fovea show RUN --spec prints")
        ->required()
        ->type_name("NAME|FILE");
    app.add_option("--seeds", seeds_, "the seeds to train: 0..19, or 1,2,5 (default: the experiment's)")
        ->check(not_empty())
        ->type_name("SEEDS");
    words_.add_settings(app, "; with several values (task.vocab=40,60), each is trained");
    app.add_option("--draws", draws_, "number of draws, if --set or the file draws a setting at random")
        ->check(between(1, 1'000'000'000))
        ->type_name("N");
    app.add_option("--draw-seed", draw_seed_, "seed of the random draws (default 0)")->check(a_seed())->type_name("N");
    app.add_option("--shard", shard_, "run only part K of N equal parts of the sweep: 1/8, 2/8, …")->type_name("K/N");
    app.add_flag("--yes", yes_, fmt::format("start a sweep of more than {} runs", most_unconfirmed));
    words_.add_form(app, Preset::full);
    words_.add_sweep(app);
    words_.add_output(app);
    app.footer(
        "A setting with several values (--set task.vocab=40,60) is an axis; all combinations are run. A setting can\n"
        "also be drawn at random: log(1e-4..1e-2), uniform(0..0.5), one_of(linear, mlp). Then\n"
        "--draws N is needed. Each draw has one value of every random setting. The same --draw-seed gives the same "
        "values.\n"
        "Stored runs are not trained again. An interrupted or killed sweep continues when it is started again. "
        "Several\n"
        "sweeps may write to one store at a time.\n"
        "\n"
        "Examples:\n"
        "  fovea sweep copy-subset --seeds 0..19\n"
        "  fovea sweep toy-uniform --set train.rate=0.1,0.01,0.001\n"
        "  fovea sweep copy-subset --set 'train.rate=log(1e-4..1e-2)' --draws 20\n"
        "  fovea sweep copy-subset --seeds 0..999 --shard 3/8\n"
        "  mpirun -n 8 fovea sweep copy-subset --seeds 0..999");
  }

  // Parts of a sweep know nothing of each other: who starts several at once may give each process another.
  Together together() const override { return shard_.empty() ? Together::shared : Together::each_alone; }

  int run() override {
    Experiment experiment = words_.find(experiment_);
    if (draws_) experiment.set_draws(*draws_);
    if (draw_seed_) experiment.draw_seed = *draw_seed_;
    std::vector<Axis> axes = words_.axes();
    if (!seeds_.empty()) {
      axes.push_back(seed_axis());
      words_.refuse_other_seeds("--seeds " + seeds_, axes.back().values);
    }
    const SweepPlan plan = planned(experiment, axes);  // a mistake shows before there is a store
    report_whole_numbers(plan);
    Store store(Store::default_file());
    words_.report_left_out();
    Summary summary;
    const std::size_t later_stages = experiment.stages_of(words_.preset()).size();
    if (later_stages == 0 || !shard_.empty()) run_plan(store, experiment, plan, summary);
    else run_stages(store, experiment, axes, summary);
    if (later_stages > 0 && !shard_.empty())
      notice(
          "this part of the first stage is done. The next stages need the results of all parts. Merge "
          "the parts into one store, then run the sweep without --shard.");
    const SweepProgress& p = summary.progress;
    for (const std::string& failure : p.failures) notice("{}, {}", experiment.name, failure);
    // Of several runs the sweep has named those that were refused.
    if (p.refusal && p.total == 1) notice("{}", program_wording().paragraph(*p.refusal));
    words_.json ? print_as_json(experiment.name, summary) : print_as_text(experiment.name, summary);
    if (p.refusal) return p.refusal->exit_code();
    return p.done + p.reused == p.total ? 0 : 1;
  }

 private:
  struct Summary {
    SweepProgress progress;
    std::vector<RunRecord> runs;  // none where they are too many
  };

  Ranks* ranks() const { return shard_.empty() ? Ranks::job() : nullptr; }

  static Series last_point(const Series& series) {
    if (series.steps.empty()) return {};
    return {{series.steps.back()}, {series.values.back()}};
  }

  void run_plan(Store& store, const Experiment& experiment, const SweepPlan& plan, Summary& summary) const {
    std::map<std::size_t, RunRecord> by_index;
    SweepDisplay display(words_, ranks());
    SweepOptions options = display.options();
    if (plan.size() <= (words_.json ? most_in_json : most_listed))
      options.on_record = [&by_index](std::size_t index, RunRecord record) {
        for (auto& [name, series] : record.series) series = last_point(series);
        by_index[index] = std::move(record);
      };
    summary.progress = sweep(store, experiment.name, plan, options);
    for (auto& [index, run] : by_index) summary.runs.push_back(std::move(run));
  }

  void run_stages(Store& store, const Experiment& experiment, const std::vector<Axis>& axes, Summary& summary) const {
    std::map<std::string, SweepProgress> stages;
    StagedRuns made;
    {
      SweepDisplay display(words_, ranks());
      SweepOptions options = display.options();
      options.progress = [&stages, show = options.progress](const SweepProgress& progress) {
        stages[progress.stage] = progress;
        show(progress);
      };
      made = sweep_stages(store, experiment, words_.preset(), words_.overrides(), axes, options);
    }
    for (const auto& [name, stage] : stages) {
      SweepProgress& sum = summary.progress;
      sum.total += stage.total;
      sum.done += stage.done;
      sum.reused += stage.reused;
      sum.failed += stage.failed;
      sum.failures.insert(sum.failures.end(), stage.failures.begin(), stage.failures.end());
      sum.stopped += stage.stopped;
      sum.seconds += stage.seconds;
      for (const auto& [version, count] : stage.of_versions) sum.of_versions[version] += count;
    }
    for (const std::string& note : made.notes) notice("{}", note);
    summary.runs = std::move(made.runs);
  }

  SweepPlan planned(const Experiment& experiment, const std::vector<Axis>& axes) const {
    SweepPlan plan(experiment, words_.preset(), words_.overrides(), axes);
    if (draws_ && !plan.draws())
      throw wrong_input("nothing is drawn at random", "name a setting to draw: --set 'train.rate=log(1e-4..1e-2)'",
                        {"--draws"});
    if (draw_seed_ && !plan.draws())
      throw wrong_input("nothing is drawn at random, so the seed of the draws has no effect",
                        "leave it out, or name a setting to draw: --set 'train.rate=log(1e-4..1e-2)' --draws 20",
                        {"--draw-seed"});
    if (!draws_ && experiment.draw_count(words_.preset()) > 0 && !plan.draws() && !words_.quiet)
      notice("the draws of the sweep are ignored, because no setting is drawn at random.");
    if (!shard_.empty()) {
      const auto [shard, of] = parsed_shard();
      plan.keep_shard(shard, of);
    }
    if (plan.size() > most_unconfirmed && !yes_)
      throw wrong_input(
          fmt::format("the sweep has {} runs ({})", plan.size(), plan.shape()),
          fmt::format("add --yes to start more than {} runs, or shorten the axes, or draw settings at random (--draws)",
                      most_unconfirmed));
    plan.check();
    return plan;
  }

  // "train.rate=0,1" may be meant as 0.1.
  void report_whole_numbers(const SweepPlan& plan) const {
    if (words_.quiet || plan.size() == 0 || Ranks::announced_rank() > 0) return;
    for (const Axis& axis : words_.axes()) {
      const auto whole = [](const Value& value) {
        const auto* const number = value.as<std::int64_t>();
        return number && *number >= 0;
      };
      if (axis.values.size() != 2 || !std::ranges::all_of(axis.values, whole)) continue;
      const std::optional<Value> setting = plan.at(0).spec().setting(axis.key);
      if (setting && setting->as<double>())
        notice("{0} takes two values: {1} and {2}. A decimal number has a point: {1}.{2}", axis.key,
               axis.values[0].text(), axis.values[1].text());
    }
  }

  std::pair<std::int64_t, std::int64_t> parsed_shard() const {
    std::int64_t shard = 0, of = 0;
    const char* const end = shard_.data() + shard_.size();
    const auto first = std::from_chars(shard_.data(), end, shard);
    const bool sign = first.ptr != end && *first.ptr == '/';
    const auto second = sign ? std::from_chars(first.ptr + 1, end, of) : first;
    if (first.ec != std::errc() || !sign || second.ec != std::errc() || second.ptr != end || shard < 1 || shard > of)
      throw wrong_input(fmt::format("'{}' is not a part of a sweep", shard_),
                        "write it as K/N with K from 1 to N: 1/8 … 8/8", {"--shard"});
    return {shard, of};
  }

  static void print_as_json(const std::string& experiment, const Summary& summary) {
    const SweepProgress& p = summary.progress;
    Json json{{"experiment", experiment}, {"total", p.total},   {"done", p.done},
              {"found", p.reused},        {"failed", p.failed}, {"refused", p.refused},
              {"stopped", p.stopped},     {"left", p.left()},   {"seconds", p.seconds}};
    if (!summary.runs.empty() || p.total == 0) {
      Json& list = json["runs"] = Json::array();
      for (const RunRecord& run : summary.runs) list.push_back(run_json(run, false));
    }
    print_json(json);
  }

  static void print_as_text(const std::string& experiment, const Summary& summary) {
    const SweepProgress& p = summary.progress;
    if (!summary.runs.empty()) {
      print_runs(summary.runs, {});
      fmt::print("\n");
    }
    fmt::print("{}: {}\n", count_text(p.total, "run", "runs"), counts_text(p));
    if (summary.runs.empty() && p.total > 0) fmt::print("To list the runs: fovea runs {}\n", experiment);
    if (p.failed > 0)
      fmt::print(
          "To see why runs failed: fovea runs {} --where 'state = \"failed\"'. To train them again: --retry-failed\n",
          experiment);
    if (const std::string versions = other_versions_text(p); !versions.empty()) fmt::print("{}\n", versions);
    if (p.left() + p.stopped > 0) fmt::print("The same command continues the sweep.\n");
  }

  // A mistake in --seeds is said of that option.
  Axis seed_axis() const {
    const Location index{"--seeds " + seeds_};
    try {
      Axis axis = parse_axis("seed=" + seeds_);
      for (Value& seed : axis.values) seed.location = index;
      for (const Value& seed : axis.values)
        if (const auto* const number = seed.as<std::int64_t>(); !number || *number < 0)
          throw wrong_input(message("{} is not a seed", seed), "seeds are integers, 0 or more: 0..19, or 1,2,5", index);
      return axis;
    } catch (const Error& error) {
      throw Error(error.kind(), error.problem(), error.remedy(), index);
    }
  }

  std::string experiment_, seeds_, shard_;
  std::optional<std::int64_t> draws_, draw_seed_;
  bool yes_ = false;
  ExperimentWords words_;
};

const Register<Command> sweep_command("sweep",
                                      "train many runs: seeds and settings; finished runs are not trained again",
                                      [] { return std::make_unique<Sweep>(); });

}  // namespace

}  // namespace fovea::cli
