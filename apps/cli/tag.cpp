// Command `fovea tag` (folder apps/cli), which main.cpp makes by name. It adds, removes or lists tags of runs in the
// store.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/notice.h"
#include "apps/cli/run_words.h"
#include "fovea/base/error/names.h"

namespace fovea::cli {

namespace {

class Tag : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("tag", tag_, "the tag; without one, the existing tags are listed")->type_name("TAG");
    runs_.add(app);
    app.add_flag("--remove", remove_, "remove the tag");
    app.add_flag("--json", json_, "print the list of tags as one JSON document");
    app.footer(
        "Examples:\n"
        "  fovea tag good 3 7\n"
        "  fovea tag paper --where 'experiment = \"copy-subset\" and accuracy >= 0.9'\n"
        "  fovea tag --remove good 7\n"
        "  fovea runs --where 'tagged(\"good\")' --show tags accuracy\n"
        "  fovea tag");
  }

  int run() override {
    if (tag_.empty()) {
      if (remove_ || !runs_.none())
        throw wrong_input("no tag is named",
                          remove_ ? "write: fovea tag --remove good 3 7" : "write: fovea tag good 3 7");
      list();
      return 0;
    }
    if (json_)
      throw wrong_input(fmt::format("--json prints the list of tags, and '{}' names one tag", tag_),
                        "leave out --json, or the tag");
    if (names_a_run(tag_))
      throw wrong_input(fmt::format("'{}' is a number, and a tag is a word", tag_), "write: fovea tag good 3 7");
    Store store(Store::default_file());
    if (remove_) require_known(store);
    const std::vector<std::int64_t> ids = runs_.of(store);
    const std::array<std::string, 1> tag{tag_};
    if (remove_) store.tag(ids, {}, tag);
    else store.tag(ids, tag, {});
    notice("{} {} tagged '{}'", count_text(std::ssize(ids), "run is", "runs are"), remove_ ? "no longer" : "now", tag_);
    return 0;
  }

 private:
  void require_known(const Store& store) const {
    std::vector<std::string> known;
    for (const auto& [tag, runs] : store.tags()) known.push_back(tag);
    if (std::ranges::find(known, tag_) == known.end())
      throw wrong_input(fmt::format("no run is tagged '{}'", tag_),
                        known.empty() ? Remedy("there are no tags yet") : suggest_name(tag_, known));
  }

  void list() const {
    const Store store(Store::default_file(), Store::Mode::read_only);
    const auto tags = store.tags();
    if (json_) {
      Json all = Json::array();
      for (const auto& [tag, runs] : tags) all.push_back({{"tag", tag}, {"runs", runs}});
      print_json(Json{{"tags", all}});
      return;
    }
    if (tags.empty()) fmt::print("No run has a tag yet. Begin with: fovea tag good RUN\n");
    for (const auto& [tag, runs] : tags) fmt::print("{}  {}\n", tag, count_text(runs, "run", "runs"));
  }

  std::string tag_;
  RunWords runs_;
  bool remove_ = false, json_ = false;
};

const Register<Command> tag_command("tag", "tag runs, to find them again", [] { return std::make_unique<Tag>(); });

}  // namespace

}  // namespace fovea::cli
