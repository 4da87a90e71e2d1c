// Command `fovea export` (folder apps/cli), which main.cpp makes by name. It writes runs to files by lab/export.
// Reads the store only.
#include "fovea/lab/export/export.h"

#include <fmt/format.h>

#include <filesystem>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/notice.h"
#include "apps/cli/output_file.h"
#include "apps/cli/run_words.h"
#include "fovea/lab/store/store.h"

namespace fovea::cli {

namespace {

class Export : public Command {
 public:
  void options(CLI::App& app) override {
    runs_.add(app);
    app.add_flag("--all", all_, "export every run of the store");
    std::vector<std::string> formats;
    for (const ExportFormat& format : export_formats()) formats.push_back(format.name);
    app.add_option("--format", format_,
                   "csv, jsonl, npz, safetensors, checkpoints, words or tensorboard (default: by the file's ending)")
        ->check(one_of(formats))
        ->type_name("FORMAT");
    app.add_option("-o,--output", file_, "the file to write; for checkpoints and tensorboard a folder")
        ->required()
        ->check(not_empty())
        ->type_name("FILE");
    app.footer(
        "Formats:\n"
        "  csv          a line for each point: run, experiment, seed, metric, step, value\n"
        "  jsonl        a line for each run, with everything except arrays\n"
        "  npz          for NumPy: series/METRIC/values and series/METRIC/steps,\n"
        "               arrays/NAME/values and arrays/NAME/steps\n"
        "  safetensors  the weights at the end of training, for PyTorch and others\n"
        "  checkpoints  a folder; a safetensors file for each step of train.checkpoints\n"
        "  words        (.txt) the words, one per line; line 1 is row 0 of the embeddings\n"
        "  tensorboard  a folder with an event file for each run\n"
        "\n"
        "If npz or safetensors has several runs, each name begins with the run's id and a slash.\n"
        "\n"
        "Examples:\n"
        "  fovea export --all -o runs.csv\n"
        "  fovea export 3 4 5 -o three.jsonl\n"
        "  fovea export 3 --where 'accuracy >= 0.9' -o good.npz\n"
        "  fovea export 12 -o weights.safetensors\n"
        "  fovea export 12 --format checkpoints -o steps\n"
        "  fovea export 12 -o words.txt\n"
        "  fovea export --where 'experiment = \"copy-subset\"' --format tensorboard -o logs");
  }

  int run() override {
    const std::string format = format_.empty() ? export_format_of(file_) : format_;
    if (all_ && !runs_.none())
      throw wrong_input("--all already selects every run, so it cannot be used with ids or --where",
                        "use one of the two");
    if (format != "tensorboard" && format != "checkpoints") check_output_file(file_);
    refuse_other_ending(format);
    const Store store(Store::default_file(), Store::Mode::read_only);
    const std::vector<std::int64_t> ids = all_ ? every_run(store) : runs_.of(store);
    export_runs(store, ids, format, file_);
    notice("wrote {} to {}", count_text(std::ssize(ids), "run", "runs"), file_);
    return 0;
  }

 private:
  // Programs read a file by its ending.
  void refuse_other_ending(const std::string& format) const {
    const std::filesystem::path file = file_;
    for (const ExportFormat& other : export_formats())
      if (other.name != format && !other.ending.empty() && file.extension() == other.ending)
        throw wrong_input(
            fmt::format("the name '{}' ends as the format {}, and --format is {}", file_, other.name, format),
            fmt::format("use --format {}, or another ending", other.name));
  }

  static std::vector<std::int64_t> every_run(const Store& store) {
    std::vector<std::int64_t> ids;
    store.visit({}, [&ids](const RunRecord& run, std::int64_t) { ids.push_back(run.id); });
    if (ids.empty()) throw wrong_input("the store has no runs yet", "see: fovea run --help");
    return ids;
  }

  RunWords runs_;
  bool all_ = false;
  std::string format_, file_;
};

const Register<Command> export_command("export",
                                       "write runs for other programs: csv, jsonl, NumPy, safetensors, TensorBoard",
                                       [] { return std::make_unique<Export>(); });

}  // namespace

}  // namespace fovea::cli
