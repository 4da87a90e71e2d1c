// Command `fovea note` (folder apps/cli), which main.cpp makes by name. It writes or reads the note of a run in the
// store.
#include <fmt/format.h>

#include <optional>

#include "apps/cli/command.h"
#include "apps/cli/notice.h"
#include "apps/cli/run_words.h"
#include "fovea/io/utf8.h"

namespace fovea::cli {

namespace {

class Note : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("run", run_, "the id of a run")->required()->type_name("RUN");
    given_ = app.add_option("text", text_, "the new note, replacing any earlier one; '' removes it")->type_name("TEXT");
    app.footer(
        "Without a text, the note is printed. fovea show prints it too.\n\n"
        "Examples:\n"
        "  fovea note 12 'the plateau at step 300 is the second head'\n"
        "  fovea note 12");
  }

  int run() override {
    const bool given = given_->count() > 0;
    Store store(Store::default_file(), given ? Store::Mode::read_write : Store::Mode::read_only);
    const std::int64_t id = run_id(run_);
    const std::optional<RunRecord> run = store.find(id);
    if (!run) throw no_such_run(store, id);
    if (given) store.note(id, text_);
    else if (!run->note.empty()) fmt::print("{}\n", clean_utf8(run->note));
    else notice("run {} has no note", id);
    return 0;
  }

 private:
  std::string run_;
  CLI::Option* given_ = nullptr;
  std::string text_;
};

const Register<Command> note_command("note", "write or read a note on a run", [] { return std::make_unique<Note>(); });

}  // namespace

}  // namespace fovea::cli
