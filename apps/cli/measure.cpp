// Command `fovea measure` (folder apps/cli), which main.cpp makes by name. It measures agreement across runs by
// lab/analysis/measurement.h. Reads the store only.
#include <fmt/format.h>
#include <unistd.h>

#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/run_words.h"
#include "fovea/lab/analysis/analysis_json.h"
#include "fovea/lab/store/vocabulary_cache.h"
#include "fovea/view/terminal/measures_text.h"

namespace fovea::cli {

namespace {

class Measure : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("runs", runs_, "the id of a run with learned attention, then the ids of the runs to compare it with")
        ->required()
        ->type_name("RUN");
    app.add_option("--class", class_, "measure only the texts of this class")->type_name("NAME");
    app.add_flag("--json", json_, "print one JSON document");
    app.footer(
        "Measures how well attention (α) agrees with five quantities:\n"
        "  β     the evidence of single positions\n"
        "  Δ     influence\n"
        "  βᵘᶠ   β of a run with uniform attention\n"
        "  βᵖˣ   β of the model word-mean\n"
        "  the prediction of attention from the data alone\n"
        "\n"
        "Attention of other seeds agrees with α more as they train. Column ξ is the mean performance of these seeds\n"
        "when they first agree with α better than the row's quantity does.\n"
        "\n"
        "If only one run is named, the store is searched for other runs of the same task. These have other seeds,\n"
        "uniform attention, or the model word-mean. All runs need the probe 'evidence'.\n"
        "\n"
        "Examples:\n"
        "  fovea reproduce text-classify --set task.corpus=spam      trains and measures\n"
        "  fovea measure 12\n"
        "  fovea measure 12 --class spam\n"
        "  fovea measure 12 13 17 --json");
  }

  int run() override {
    const Store store(Store::default_file());
    std::vector<std::int64_t> ids;
    for (const std::string& word : runs_)
      if (!store.has(ids.emplace_back(run_id(word)))) throw no_such_run(store, ids.back());
    const MeasurementRuns runs = runs_to_measure(store, ids);
    MeasureOptions options;
    if (!class_.empty()) options.only_class = vocabulary_cache(store).of(runs.reference.spec).class_number(class_);
    const Measures measures = measure(runs, store.fetch_arrays(), options);
    if (json_) {
      Json json = measures_json(measures);
      if (!class_.empty()) json["class"] = class_;
      print_json(json);
      return 0;
    }
    if (!class_.empty()) fmt::print("Class '{}' alone: ", class_);
    fmt::print("{}", measures_text(measures, Terminal::of(STDOUT_FILENO)));
    return 0;
  }

 private:
  std::vector<std::string> runs_;
  std::string class_;
  bool json_ = false;
};

const Register<Command> measure_command("measure",
                                        "measure whether attention agrees with the effect of each word alone",
                                        [] { return std::make_unique<Measure>(); });

}  // namespace

}  // namespace fovea::cli
