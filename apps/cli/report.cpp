#include <fmt/format.h>

#include <filesystem>

#include "apps/cli/command.h"
#include "apps/cli/report_file.h"

namespace fovea::cli {

namespace {

class Report : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("-o,--output", file_, "the page (default: report.html)")->type_name("FILE.html");
    app.add_option("--figures", figures_, "write each figure to a file of its own, in this folder")
        ->type_name("FOLDER");
    app.add_option("--format", format_, "of the figures: svg (the default), pdf or png")
        ->check(CLI::IsMember({"svg", "pdf", "png"}));
    app.footer(
        "Shows what `fovea reproduce` has put into the store. One file, no network.\n\n"
        "Examples:\n"
        "  fovea report -o report.html\n"
        "  fovea report --figures paper --format pdf");
  }

  int run() override {
    const Store store(Store::default_file(), Store::Mode::read_only);
    const std::vector<Reproduction> found = reproduced_before(store);
    if (found.empty()) throw wrong_input("nothing has been reproduced yet", "begin with: fovea reproduce toy-uniform");
    if (!figures_.empty()) {
      if (!std::filesystem::is_directory(figures_))
        throw wrong_input(fmt::format("there is no folder '{}'", figures_), "make it first");
      const std::size_t written = write_figures(store, found, figures_, format_);
      fmt::print("{} figures in {}\n", written, std::filesystem::absolute(figures_).string());
      return 0;
    }
    write_report(store, found, file_);
    fmt::print("{}\n", std::filesystem::absolute(file_).string());
    return 0;
  }

 private:
  std::string file_ = "report.html", figures_, format_ = "svg";
};

const Register<Command> registered("report", "everything that was reproduced, on one page",
                                   [] { return std::make_unique<Report>(); });

}  // namespace

}  // namespace fovea::cli
