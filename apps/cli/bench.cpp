// Command `fovea bench` (folder apps/cli), which main.cpp makes by name. It times every system by lab/bench; it
// stores nothing.
#include "fovea/lab/bench/bench.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/experiment_words.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/json_output.h"
#include "apps/cli/notice.h"
#include "apps/cli/progress.h"
#include "fovea/base/version.h"
#include "fovea/lab/experiment/sweep_plan.h"
#include "fovea/lab/record/machine.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea::cli {

namespace {

struct Measured {
  std::string name;
  std::string title;
  StepRate rate;
  std::optional<StepCost> cost;
  EvaluationShare evaluations;
  double best_products = 0;  // of the kind that the spec has
  double memory = 0;         // in training

  double operation_rate() const { return cost ? cost->operations * rate.median : 0; }
};

std::string memory_text(double bytes) { return fmt::format("{:.0f} MB", bytes / 1e6); }

// Most memory of this process since it began, or since it was last forgotten, where the system can forget.
void forget_peak_memory() { std::ofstream("/proc/self/clear_refs") << 5; }
double peak_memory() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) * 1024;
}

class Bench : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("--system", names_,
                   "time only these models: names in the table of fovea bench, experiments or .toml files")
        ->type_name("NAME|FILE");
    words_.add_settings(app, "; several values (task.vocab=100,1000) are timed one by one");
    app.add_option("--threads", threads_, "threads that share the work of a step (default: 1)")
        ->check(a_thread_count())
        ->type_name("N");
    app.add_option("--seconds", seconds_, "seconds for which each model is timed (default: 1.5; with --quick: 0.3)")
        ->check(between(0.01, 86400.0))
        ->type_name("S");
    app.add_flag("--quick", quick_, "time each model for 0.3 seconds, and print no estimate for all experiments");
    words_.add_output(app);
    app.footer(
        "A step is timed as a whole: drawing a batch, forward, backward, and the update. The speed of a step is its\n"
        "number of operations divided by its time. The column 'of products' is this speed in percent of the speed of\n"
        "pure matrix products. The column 'probes' is the share of a run's time that measuring takes. The column\n"
        "'recorder' is the share that storing takes.\n"
        "\n"
        "Examples:\n"
        "  fovea bench\n"
        "  fovea bench --system copying --threads 2 --seconds 10\n"
        "  fovea bench --system copy-subset --set task.vocab=100,1000 --json\n"
        "  fovea bench --quick --json");
  }

  int run() override {
    const std::vector<std::pair<std::string, RunSpec>> specs = chosen_specs();
    const std::vector<std::string> experiments =
        quick_ || !names_.empty() ? std::vector<std::string>() : experiment_names();
    if (seconds_ == 0) seconds_ = quick_ ? 0.3 : 1.5;
    total_ = static_cast<double>(3 + 2 * specs.size() + experiments.size());
    Progress bar("measurements", words_.quiet);
    bar_ = &bar;

    one_ = best_product_rate(Products::full, threads_, seconds_, watch("matrix products"));
    all_ = threads_ == core_count()
               ? one_
               : best_product_rate(Products::full, core_count(), seconds_, watch("matrix products"));
    in_three_terms_ = best_product_rate(Products::bf16x3, threads_, seconds_ / 3, watch("matrix products in bfloat16"));
    for (const auto& [name, spec] : specs) {
      if (interrupt_flag()->load()) break;
      Measured measured{name, {}, {}, step_cost(spec), {}, 0, 0};
      measured.best_products = read_train(spec.train).products() == Products::full ? one_ : in_three_terms_;
      most_memory_ = std::max(most_memory_, peak_memory());
      forget_peak_memory();
      measured.rate = time_training(spec, seconds_, watch(name));
      measured.memory = peak_memory();
      measured.evaluations = evaluation_share(spec, seconds_, watch(name));
      if (measured.rate.median > 0) measured_.push_back(measured);
      else if (!interrupt_flag()->load())
        untimed_.push_back(fmt::format("{} was not timed: {}", name, measured.rate.failure));
    }
    Projection projection;
    for (const std::string& name : experiments) {
      if (interrupt_flag()->load()) break;
      times_.push_back(projection.of(find_experiment(name), Preset::full, 0.2, watch(name)));
    }
    all_experiments_ = !times_.empty() && !interrupt_flag()->load();
    bar.clear();
    words_.json ? print_as_json() : print_as_text();
    for (const std::string& one : untimed_) notice("{}", one);
    if (!interrupt_flag()->load()) return untimed_.empty() ? 0 : 1;
    notice("stopped. The measurements until then are printed above.");
    return 1;
  }

 private:
  // Every system, or those named, each at every point of the values that --set gives it.
  std::vector<std::pair<std::string, RunSpec>> chosen_specs() const {
    std::vector<std::pair<std::string, RunSpec>> specs;
    for (const std::string& name : names_.empty() ? bench_system_names() : names_) {
      Experiment experiment = find_bench_system(name);
      std::vector<Override> overrides = words_.overrides(), given = overrides;
      for (const Axis& axis : words_.axes()) given.push_back({axis.key, axis.values.front()});
      const std::vector<Override> first = first_values(experiment, Preset::full, given);
      words_.report_first_values(experiment.name, first, "To time other values, use --set.");
      overrides.insert(overrides.end(), first.begin(), first.end());
      experiment.sweep.clear();
      overrides.push_back({"train.threads", {std::int64_t{threads_}, {}}});
      for (const ResolvedRun& run : resolve_sweep(experiment, Preset::full, overrides, words_.axes())) {
        std::string label = experiment.name;
        for (const Axis& axis : words_.axes())
          if (const std::optional<Value> value = run.spec().setting(axis.key))
            label += fmt::format(" {}={}", axis.key, value->text());
        specs.emplace_back(std::move(label), run.spec());
      }
    }
    return specs;
  }

  BenchWatch watch(const std::string& now) {
    BenchWatch watch;
    watch.stop = interrupt_flag();
    watch.progress = [this, now, before = done_](double share) { bar_->show(before + share, total_, now); };
    done_ += 1;
    return watch;
  }

  // All runs on all cores. Cores that share a memory and a clock do not add up quite: products say by how much.
  double reproduction_seconds() const {
    double seconds = 0;
    for (const ExperimentTime& time : times_) seconds += time.seconds;
    return seconds * one_ / threads_ / all_;
  }

  void print_as_text() const {
    const Terminal terminal = Terminal::of(STDOUT_FILENO);
    const char* const threads = threads_ == 1 ? "thread" : "threads";
    const auto print_wrapped = [&terminal](const std::string& text) {
      fmt::print("{}\n", wrapped(text, terminal.width));
    };
    print_wrapped(machine_line());
    if (one_ > 0) {
      std::string best = fmt::format("Best matrix products: {:.0f} GF/s on {} {}", one_ / 1e9, threads_, threads);
      if (core_count() != threads_ && all_ > 0) best += fmt::format(", {:.0f} GF/s on {}", all_ / 1e9, core_count());
      print_wrapped(best + fmt::format("; relative error {:.1e}.", product_error(Products::full)));
    }
    if (in_three_terms_ > 0)
      print_wrapped(fmt::format("In three terms of bfloat16, by {}: {:.0f} GF/s on {} {}; relative error {:.1e}.",
                                tile_unit_line(), in_three_terms_ / 1e9, threads_, threads,
                                product_error(Products::bf16x3)));
    if (measured_.empty()) return;  // stopped before
    fmt::print("\n");
    using Align = TextTable::Align;
    TextTable table({{"system"},
                     {"steps/s", Align::right},
                     {"slowest", Align::right, false, 2},
                     {"fastest", Align::right, false, 1},
                     {"Mflop a step", Align::right},
                     {"GF/s", Align::right},
                     {"of products", Align::right},
                     {"probes", Align::right},
                     {"recorder", Align::right}});
    for (const Measured& m : measured_)
      table.row({m.name, fmt::format("{:.4g}", m.rate.median), fmt::format("{:.4g}", m.rate.slowest),
                 fmt::format("{:.4g}", m.rate.fastest),
                 m.cost ? fmt::format("{:.4g}", m.cost->operations / 1e6) : std::string("?"),
                 m.cost ? fmt::format("{:.3g}", m.operation_rate() / 1e9) : std::string("?"),
                 m.cost ? fmt::format("{:.0f} %", 100 * m.operation_rate() / m.best_products) : std::string("?"),
                 fmt::format("{:.1f} %", 100 * m.evaluations.probes),
                 fmt::format("{:.1f} %", 100 * m.evaluations.recorder)});
    fmt::print("{}", table.text(terminal));
    if (!all_experiments_) {
      double training = 0;
      for (const Measured& m : measured_) training = std::max(training, m.memory);
      fmt::print("\nPeak memory: {} in training, {} with evaluations and products.\n", memory_text(training),
                 memory_text(std::max(most_memory_, peak_memory())));
      return;
    }
    std::int64_t runs = 0;
    for (const ExperimentTime& time : times_) runs += time.runs;
    fmt::print("\nfovea reproduce --all --full would take about {}: {} experiments, {} runs, {} at a time.\n",
               duration_text(reproduction_seconds()), times_.size(), runs, core_count());
    std::vector<ExperimentTime> longest = times_;
    std::sort(longest.begin(), longest.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    if (longest.size() > 3) longest.resize(3);
    for (const ExperimentTime& time : longest)
      fmt::print("  {:<20} {} of one core, {} runs\n", time.name, duration_text(time.seconds), time.runs);
    for (const ExperimentTime& time : times_)
      if (!time.unknown.empty()) fmt::print("  {:<20} is not counted: {}\n", time.name, time.unknown);
  }

  // Null if the command was stopped before.
  static Json measured_number(double rate) { return rate > 0 ? Json(rate) : Json(nullptr); }

  void print_as_json() const {
    Json systems = Json::array();
    for (const Measured& m : measured_) {
      Json json{{"system", m.name},
                {"steps_per_second", m.rate.median},
                {"slowest", m.rate.slowest},
                {"fastest", m.rate.fastest},
                {"steps", m.rate.steps},
                {"seconds", m.rate.seconds},
                {"processor_seconds", m.rate.processor_seconds},
                {"peak_memory_bytes", m.memory},
                {"probes_share", m.evaluations.probes},
                {"recorder_share", m.evaluations.recorder}};
      if (m.cost) {
        json["operations_per_step"] = m.cost->operations;
        json["functions_per_step"] = m.cost->functions;
        json["bytes_per_step"] = m.cost->bytes;
        json["operations_per_second"] = m.operation_rate();
        json["share_of_products"] = m.operation_rate() / m.best_products;
      }
      systems.push_back(json);
    }
    Json json{{"version", version()},
              {"machine", machine_line()},
              {"started", utc_now()},
              {"threads", threads_},
              {"product_operations_per_second", measured_number(one_)},
              {"product_operations_per_second_on_all_cores", measured_number(all_)},
              {"product_error", product_error(Products::full)},
              {"bf16x3",
               {{"unit", tile_unit_line()},
                {"product_operations_per_second", measured_number(in_three_terms_)},
                {"product_error", product_error(Products::bf16x3)}}},
              {"systems", systems},
              {"peak_memory_bytes", std::max(most_memory_, peak_memory())}};
    if (all_experiments_) {
      Json experiments = Json::array();
      for (const ExperimentTime& time : times_) {
        Json one{{"experiment", time.name}, {"runs", time.runs}, {"steps", time.steps}, {"seconds", time.seconds}};
        if (!time.unknown.empty()) one["unknown"] = time.unknown;
        experiments.push_back(one);
      }
      json["full_reproduction"] = {
          {"seconds", reproduction_seconds()}, {"jobs", core_count()}, {"experiments", experiments}};
    }
    print_json(json);
  }

  std::vector<std::string> names_;
  ExperimentWords words_;
  int threads_ = 1;
  double seconds_ = 0;
  bool quick_ = false;

  Progress* bar_ = nullptr;
  double done_ = 0, total_ = 0;
  double one_ = 0, all_ = 0;  // best rates of products on threads_, and on every core
  double in_three_terms_ = 0;
  double most_memory_ = 0;  // before it was last forgotten
  std::vector<Measured> measured_;
  std::vector<std::string> untimed_;  // and why
  std::vector<ExperimentTime> times_;
  bool all_experiments_ = false;  // times_ has all of them
};

const Register<Command> bench_command("bench", "time training steps of each kind of model on this machine",
                                      [] { return std::make_unique<Bench>(); });

}  // namespace

}  // namespace fovea::cli
