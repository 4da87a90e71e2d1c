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
    app.footer(
        "Shows what `fovea reproduce` has put into the store. One file, no network.\n\n"
        "Example:\n"
        "  fovea report -o report.html");
  }

  int run() override {
    const Store store(Store::default_file(), Store::Mode::read_only);
    const std::size_t shown = write_report(store, file_);
    if (shown == 0) throw wrong_input("nothing has been reproduced yet", "begin with: fovea reproduce toy-uniform");
    fmt::print("{}\n", std::filesystem::absolute(file_).string());
    return 0;
  }

 private:
  std::string file_ = "report.html";
};

const Register<Command> registered("report", "everything that was reproduced, on one page",
                                   [] { return std::make_unique<Report>(); });

}  // namespace

}  // namespace fovea::cli
