// Command `fovea inspect` (folder apps/cli), which main.cpp makes by name. It shades the words of an example
// (view/terminal/shades.h). Reads the store only.
#include <fmt/format.h>
#include <unistd.h>

#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/run_words.h"
#include "fovea/lab/store/store.h"
#include "fovea/view/terminal/shades.h"

namespace fovea::cli {

namespace {

class Inspect : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("run", run_, "the id of a run")->required()->type_name("RUN");
    app.add_option("--example", choice_.example, "number of the stored example, from 1 (default 1)")->type_name("N");
    app.add_option(
           "--map", choice_.map,
           "the attention map to show as α, if the model has several (default: attention); --json lists the names")
        ->type_name("NAME");
    app.add_option("--row", choice_.row,
                   "show only row N, from 1 (default: all). A row is a word of a translation or a position of a stream")
        ->type_name("N");
    app.add_option("--step", choice_.step, "show this step, or the last evaluation before it (default: the end)")
        ->type_name("N");
    app.add_flag("--json", json_, "print one JSON document");
    app.footer(
        "Shades the words of an example by attention (α), by the evidence of each word alone (β) and by influence "
        "(Δ),\n"
        "side by side. For a translation, each is a matrix with a row for each target word and a column for each\n"
        "source word. For a stream, the matrix has a row and a column for each position. For tags, the sentence is\n"
        "shown once for each tagged word, with the right tag and the tag that the model gave. The run must have\n"
        "been trained with the probe 'evidence'.\n"
        "\n"
        "Examples:\n"
        "  fovea inspect 12\n"
        "  fovea inspect 12 --example 7\n"
        "  fovea inspect 12 --map head.3\n"
        "  fovea inspect 31 --map layer.2.head.1 --row 40 --step 200");
  }

  int run() override {
    const Store store(Store::default_file());
    const std::int64_t id = run_id(run_);
    const std::optional<RunRecord> found = store.find(id);
    if (!found) throw no_such_run(store, id);
    const ExampleView seen = view_example(*found, store.fetch_arrays(), vocabulary_cache(store), choice_);
    if (json_) print_as_json(seen);
    else fmt::print("{}", shades_text(seen, Terminal::of(STDOUT_FILENO)));
    return 0;
  }

 private:
  static void print_as_json(const ExampleView& seen) {
    Json json{{"run", seen.run}, {"example", seen.example}, {"step", seen.step}, {"source", seen.source}};
    if (!seen.row.empty()) json["row"] = seen.row;
    else if (seen.target.empty()) json["label"] = seen.label;
    else json["target"] = seen.target;
    if (!seen.answers.empty()) json["answers"] = seen.answers;
    if (!seen.maps.empty()) {
      json["map"] = seen.map;
      json["maps"] = seen.maps;
    }
    for (const ExampleView::Quantity& quantity : seen.quantities) json[quantity.name] = quantity.rows;
    print_json(json);
  }

  std::string run_;
  ExampleChoice choice_;
  bool json_ = false;
};

const Register<Command> inspect_command("inspect", "shade the words of an example by attention, evidence and influence",
                                        [] { return std::make_unique<Inspect>(); });

}  // namespace

}  // namespace fovea::cli
