// Command `fovea show` (folder apps/cli), which main.cpp makes by name. It prints one run: settings, metrics,
// attention. Reads the store only.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/run_text.h"
#include "apps/cli/run_words.h"
#include "fovea/lab/store/store.h"
#include "fovea/lab/train/weights_file.h"
#include "fovea/view/terminal/attention_text.h"
#include "fovea/view/terminal/heads_text.h"
#include "fovea/view/terminal/runs_table.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea::cli {

namespace {

class Show : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("run", run_, "the id of a run")->required()->type_name("RUN");
    CLI::Option* json =
        app.add_flag("--json", json_, "print one JSON document; its key 'settings' has the settings of the run");
    at_step_ =
        app.add_option(
               "--step", step_,
               "show attention at this step, or at the last evaluation before it (default: the end; with --json: none)")
            ->check(between(std::int64_t{0}, many))
            ->type_name("N");
    app.add_flag("--series", series_, "print every point of every series")->needs(json);
    app.add_flag("--spec", spec_, "print the run as a .toml file, to run it again")->excludes(json, "--step");
    app.footer(
        "Examples:\n"
        "  fovea show 12\n"
        "  fovea show 12 --step 200\n"
        "  fovea show 12 --step 200 --json\n"
        "  fovea show 12 --spec > again.toml");
  }

  int run() override {
    const Store store(Store::default_file(), Store::Mode::read_only);
    const std::int64_t id = run_id(run_);
    const std::optional<RunRecord> found = store.find(id);
    if (!found) throw no_such_run(store, id);
    if (spec_) fmt::print("{}", found->spec.text());
    else if (json_) print_as_json(*found, store);
    else print_all(*found, store);
    return 0;
  }

 private:
  void print_all(const RunRecord& run, const Store& store) const {
    const Terminal terminal = Terminal::of(STDOUT_FILENO);
    print_run(run);
    if (!run.error.empty()) fmt::print("\n{}\n", wrapped(state_text(run), terminal.width));
    print_checkpoints(store, run, terminal);
    fmt::print("\nstarted {}   fovea {}   {}\n", run.started, run.version, run.machine);
    if (run.arithmetic != arithmetic_revision)
      fmt::print("arithmetic revision {}: this program has revision {}, and computes other last digits\n",
                 run.arithmetic, arithmetic_revision);
    fmt::print("\n{}", run.spec.text());
    const std::vector<ArrayRecord> kept =
        kept_until_step(run, store, {"attention_items", "attention_labels", "attention_answers", "attention"});
    if (const std::string heads = heads_text(run.series, terminal); !heads.empty()) fmt::print("\n{}", heads);
    const std::vector<std::string> attention = attention_lines(run.spec, kept, 0, terminal);
    if (!attention.empty()) fmt::print("\n{}\n", fmt::join(attention, "\n"));
  }

  static void print_checkpoints(const Store& store, const RunRecord& run, const Terminal& terminal) {
    TextTable table({{"weights at step", TextTable::Align::right}, {"sha256"}});
    const std::vector<std::pair<std::int64_t, std::string>> digests = checkpoint_digests(store, run);
    for (const auto& [step, digest] : digests) table.row({std::to_string(step), digest});
    if (!digests.empty()) fmt::print("\n{}", table.text(terminal));
  }

  static std::vector<std::pair<std::int64_t, std::string>> checkpoint_digests(const Store& store,
                                                                              const RunRecord& run) {
    std::vector<std::pair<std::int64_t, std::string>> digests;
    if (const std::optional<TensorFile> kept = store.weights(run))
      for (const KeptCheckpoint& one : checkpoints_in(*kept)) digests.emplace_back(one.step, one.sha256);
    return digests;
  }

  // With the attention of the first example, a list for each of its rows, where a step is asked for.
  void print_as_json(const RunRecord& run, const Store& store) const {
    Json json = run_json(run, series_);
    for (const auto& [step, digest] : checkpoint_digests(store, run))
      json["checkpoints"].push_back({{"step", step}, {"sha256", digest}});
    if (at_step_->count() > 0) {
      Json& attention = json["attention"] = nullptr;
      const std::vector<ArrayRecord> kept =
          kept_until_step(run, store, {"attention_labels", "attention_answers", "attention"});
      const ArrayRecord* const map = last_of(kept, "attention");
      if (map && map->shape.size() == 3) {
        attention = first_of(*map);
        for (const auto& [key, name] : {std::pair("label", "attention_labels"), {"answer", "attention_answers"}})
          if (const ArrayRecord* const numbers = last_of(kept, name))
            attention[key] = static_cast<int>(numbers->values.at(0));
      }
    }
    print_json(json);
  }

  static Json first_of(const ArrayRecord& map) {
    const auto columns = static_cast<std::ptrdiff_t>(map.shape[2]);
    Json rows = Json::array();
    for (auto row = map.values.begin(); std::ssize(rows) < map.shape[1]; row += columns)
      rows.push_back(std::vector<float>(row, row + columns));
    return {{"step", map.step}, {"weights", std::move(rows)}};
  }

  std::vector<ArrayRecord> kept_until_step(const RunRecord& run, const Store& store,
                                           const std::vector<std::string>& names) const {
    std::vector<ArrayRecord> kept;
    for (const std::string& name : names)
      for (ArrayRecord& array : store.arrays(run.id, name))
        if (array.step <= step_) kept.push_back(std::move(array));
    return kept;
  }

  std::string run_;
  std::int64_t step_ = std::numeric_limits<std::int64_t>::max();
  const CLI::Option* at_step_ = nullptr;
  bool json_ = false, series_ = false, spec_ = false;
};

const Register<Command> show_command("show", "show one run: settings, metrics, attention",
                                     [] { return std::make_unique<Show>(); });

}  // namespace

}  // namespace fovea::cli
