// Command `fovea gc` (folder apps/cli), which main.cpp makes by name. It empties the bin of the store and deletes
// unused files.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/run_words.h"

namespace fovea::cli {

namespace {

std::string size_text(std::uintmax_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 1e3) return fmt::format("{} bytes", bytes);
  if (size < 1e6) return fmt::format("{:.3g} kB", size / 1e3);
  return size < 1e9 ? fmt::format("{:.3g} MB", size / 1e6) : fmt::format("{:.3g} GB", size / 1e9);
}

class Gc : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("--older", days_, "only runs that have been in the bin for this many days")
        ->check(between(0, 100'000))
        ->type_name("DAYS");
    app.add_flag("--dry", dry_, "only print the runs and files that would be removed");
    app.add_flag("--json", json_, "print one JSON document");
    app.footer(
        "Deletes the runs in the bin for good, and frees their disk space. Weights, checkpoints and vocabularies that\n"
        "belong to no run are deleted too.\n"
        "\n"
        "Examples:\n"
        "  fovea gc --dry\n"
        "  fovea gc --older 30");
  }

  int run() override {
    Store store(Store::default_file());
    const Store::Collected collected = store.collect_garbage(before(), dry_);
    if (json_) {
      print_json(Json{{"runs", collected.runs},
                      {"weights", collected.weights},
                      {"checkpoints", collected.checkpoints},
                      {"vocabularies", collected.vocabularies},
                      {"bytes", collected.bytes},
                      {"shrunk", collected.shrunk && !dry_}});
      return 0;
    }
    fmt::print("{}{} of the bin, weights of {}, {}, {} ({} on the disk)\n",
               dry_ ? "would be deleted: " : "deleted: ", count_text(collected.runs, "run", "runs"),
               count_text(collected.weights, "run", "runs"),
               count_text(collected.checkpoints, "checkpoint", "checkpoints"),
               count_text(collected.vocabularies, "vocabulary", "vocabularies"), size_text(collected.bytes));
    if (!collected.shrunk)
      fmt::print("The store keeps its size while runs are being trained. New runs use the free space.\n");
    return 0;
  }

 private:
  std::string before() const {
    if (days_ < 0) return {};
    const auto then = std::chrono::system_clock::now() - std::chrono::hours(24) * days_;
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(then)));
  }

  int days_ = -1;
  bool dry_ = false, json_ = false;
};

const Register<Command> gc_command("gc", "empty the bin, and free its disk space",
                                   [] { return std::make_unique<Gc>(); });

}  // namespace

}  // namespace fovea::cli
