// Command `fovea report` (folder apps/cli), which main.cpp makes by name. It writes all reproduced experiments to one
// page (report_file.h). Reads the store only.
#include <fmt/format.h>

#include <filesystem>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/report_file.h"
#include "apps/cli/run_words.h"
#include "fovea/base/file.h"
#include "fovea/view/picture/picture.h"
#include "fovea/view/plot/figure_kind.h"

namespace fovea::cli {

namespace {

// Writes every figure of the page as FOLDER/EXPERIMENT-N.ENDING; returns how many.
std::size_t write_figures(const Store& store, std::span<const Reproduction> reproductions, const std::string& folder,
                          const std::string& ending) {
  std::size_t written = 0;
  for (const Reproduction& reproduction : reproductions) {
    int number = 0;
    for (const FigureSpec& spec : reproduction.experiment.figures) {
      const std::string name = fmt::format("{}-{}.{}", reproduction.experiment.name, ++number, ending);
      save_figure(make_figure(spec, reproduction.runs, store.fetch_arrays()), std::filesystem::path(folder) / name);
      ++written;
    }
  }
  return written;
}

class Report : public Command {
 public:
  void options(CLI::App& app) override {
    output_ = app.add_option("-o,--output", file_, "file of the page (default: report.html; with --data: story.json)")
                  ->check(not_empty())
                  ->type_name("FILE.html");
    app.add_flag("--plain", plain_, "write a document without scripts, for printing or mail");
    app.add_flag("--data", data_, "write the content of the page as JSON, without the page itself")
        ->excludes("--plain");
    CLI::Option* const figures =
        app.add_option("--figures", figures_, "write each figure to its own file in this folder")
            ->check(not_empty())
            ->type_name("FOLDER")
            ->excludes(output_, "--plain", "--data");
    app.add_option("--format", format_, "format of the figures: svg (the default), pdf or png")
        ->check(one_of({"svg", "pdf", "png"}))
        ->type_name("FORMAT")
        ->needs(figures);
    app.footer(
        "Writes the experiments that `fovea reproduce` has stored to one file. The file needs no network.\n"
        "\n"
        "Examples:\n"
        "  fovea report -o report.html\n"
        "  fovea report --plain -o report-to-print.html\n"
        "  fovea report --figures paper --format pdf");
  }

  int run() override {
    if (data_ && file_ == default_file) file_ = "story.json";
    if (figures_.empty()) check_report_name(file_, data_ ? ".json" : ".html");
    if (!data_ && figures_.empty() && output_->count() == 0) check_own_report(file_);
    const Store store(Store::default_file(), Store::Mode::read_only);
    const std::vector<Reproduction> found = reproduced_before(store);
    if (found.empty())
      throw wrong_input("no experiment with claims has been reproduced yet", "begin with: fovea reproduce toy-uniform");
    if (!figures_.empty()) {
      make_folder(figures_, "name another folder for the figures");
      const std::size_t written = write_figures(store, found, figures_, format_);
      fmt::print("{} in {}\n", count_text(static_cast<std::int64_t>(written), "figure", "figures"),
                 std::filesystem::absolute(figures_).string());
      return 0;
    }
    write_report(store, found, file_, data_ ? ReportForm::data : plain_ ? ReportForm::plain : ReportForm::page);
    fmt::print("{}\n", std::filesystem::absolute(file_).string());
    return 0;
  }

 private:
  static constexpr const char* default_file = "report.html";
  std::string file_ = default_file, figures_, format_ = "svg";
  CLI::Option* output_ = nullptr;
  bool plain_ = false, data_ = false;
};

const Register<Command> report_command("report", "write all reproduced experiments to one page",
                                       [] { return std::make_unique<Report>(); });

}  // namespace

}  // namespace fovea::cli
