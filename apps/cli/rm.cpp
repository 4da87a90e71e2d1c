// Command `fovea rm` (folder apps/cli), which main.cpp makes by name. It moves runs of the store into the bin, or out
// of it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/cli/command.h"
#include "apps/cli/notice.h"
#include "apps/cli/run_words.h"

namespace fovea::cli {

namespace {

class Rm : public Command {
 public:
  void options(CLI::App& app) override {
    runs_.add(app);
    app.add_flag("--restore", restore_, "move the runs out of the bin");
    app.footer(
        "A run in the bin can be restored until `fovea gc` empties the bin.\n"
        "\n"
        "Examples:\n"
        "  fovea rm 12 13\n"
        "  fovea rm --where 'state = \"failed\"'\n"
        "  fovea runs --bin\n"
        "  fovea rm --restore 12");
  }

  int run() override {
    Store store(Store::default_file());
    std::vector<std::int64_t> ids = runs_.of(store, restore_);
    if (!restore_) {
      store.put_in_bin(ids);
      notice("{} now in the bin. To take {} out: fovea rm --restore {}",
             count_text(std::ssize(ids), "run is", "runs are"), ids.size() == 1 ? "it" : "them",
             ids.size() <= 10 ? fmt::format("{}", fmt::join(ids, " ")) : "ID…");
      return 0;
    }
    const std::vector<std::int64_t> in_bin = store.restore(ids);
    const std::int64_t restored = std::ssize(ids) - std::ssize(in_bin);
    if (restored > 0) notice("{} restored", count_text(restored, "run is", "runs are"));
    if (in_bin.empty()) return 0;
    notice("the store already has the same run, so {} in the bin: {}",
           count_text(std::ssize(in_bin), "run stays", "runs stay"), fmt::join(in_bin, " "));
    return 1;
  }

 private:
  RunWords runs_;
  bool restore_ = false;
};

const Register<Command> rm_command("rm", "move runs into the bin, or out of it", [] { return std::make_unique<Rm>(); });

}  // namespace

}  // namespace fovea::cli
