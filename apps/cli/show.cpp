#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <limits>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/run_text.h"
#include "apps/cli/run_words.h"
#include "fovea/lab/store/store.h"
#include "fovea/view/terminal/attention_text.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea::cli {

namespace {

class Show : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("run", id_, "the id of a run")->required()->type_name("RUN");
    CLI::Option* json = app.add_flag("--json", json_, "print one JSON document; its settings are the spec");
    app.add_option("--step", step_,
                   "the attention at this step, or at the last evaluation before it (default: the end)")
        ->check(between(std::int64_t{0}, many))
        ->type_name("N")
        ->excludes(json);
    app.add_flag("--series", series_, "with --json: every point of every series")->needs(json);
    app.add_flag("--spec", spec_, "print the run's spec as TOML, to run it again")->excludes(json);
    app.footer(
        "Examples:\n"
        "  fovea show 12\n"
        "  fovea show 12 --step 200\n"
        "  fovea show 12 --spec > again.toml");
  }

  int run() override {
    const Store store(Store::default_file(), Store::Mode::read_only);
    const std::optional<RunRecord> found = store.find(id_);
    if (!found) throw no_such_run(store, id_);
    if (spec_) fmt::print("{}", found->spec.text());
    else if (json_) print_json(run_json(*found, series_));
    else print_all(*found, store);
    return 0;
  }

 private:
  void print_all(const RunRecord& run, const Store& store) const {
    const Terminal terminal = Terminal::of(STDOUT_FILENO);
    print_run(run);
    fmt::print("\nstarted {}   fovea {}   {}\n\n{}", run.started, run.version, run.machine, run.spec.text());
    std::vector<ArrayRecord> arrays = store.arrays(run.id, "attention_items");
    for (ArrayRecord& map : store.arrays(run.id, "attention")) arrays.push_back(std::move(map));
    std::erase_if(arrays, [this](const ArrayRecord& array) { return array.step > step_; });
    const std::vector<std::string> attention = attention_lines(run.spec, arrays, 0, terminal);
    if (!attention.empty()) fmt::print("\n{}\n", fmt::join(attention, "\n"));
  }

  std::int64_t id_ = 0, step_ = std::numeric_limits<std::int64_t>::max();
  bool json_ = false, series_ = false, spec_ = false;
};

const Register<Command> show_command("show", "show one run: settings, metrics, attention",
                                     [] { return std::make_unique<Show>(); });

}  // namespace

}  // namespace fovea::cli
