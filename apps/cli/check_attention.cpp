// Command `fovea check-attention FILE` (folder apps/cli), which main.cpp makes by name. It reads the labelled texts,
// and passes them to the Python package, which does the check (python/fovea/text/believing.py).
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/labelled_file.h"
#include "apps/cli/notice.h"
#include "apps/cli/report_file.h"
#include "apps/cli/run_words.h"
#include "fovea/base/error/names.h"
#include "fovea/data/corpus/corpus.h"
#include "fovea/lab/engine/python_engine.h"

namespace fovea::cli {

namespace {

// The Python program that does the check. It reports a missing package.
constexpr const char* ask = R"(import sys
sys.path[:] = [folder for folder in sys.path if folder]
try:
    from fovea.text.believe_command import believe
except ImportError as error:
    print(f"fovea: 'check-attention' needs the Python package 'fovea', and {sys.executable} cannot import it: {error}. "
          "Install the package there with pip, or set FOVEA_PYTHON to a Python that has it.", file=sys.stderr)
    sys.exit(1)
believe()
)";

class CheckAttention : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option(
           "file", labelled_.file,
           "labelled texts: a .tsv, .csv or .jsonl file, a folder for each class, or a corpus (fovea data list)")
        ->required()
        ->type_name("FILE|CORPUS");
    labelled_.add_columns(app);
    of_files_ = labelled_.columns;
    of_files_.push_back(app.add_flag("--skip-bad", skip_bad_, "skip malformed lines, and print their number"));
    const auto whole = [&](const char* name, std::int64_t& into, std::int64_t least, const char* says) {
      app.add_option(name, into, says)->check(between(least, many))->type_name("N");
    };
    whole("--seeds", seeds_, 2, "train each kind of attention with this many seeds (default 3)");
    whole("--epochs", epochs_, 1, "largest number of passes over the texts (default 12)");
    whole("--hidden", hidden_, 1, "width of embeddings and states (default 64)");
    whole("--longest", longest_, 1, "number of words read from the start of each text (default 200)");
    whole("--seed", seed_, 0, "first seed, of the splits and of the trainings (default 0)");
    whole("--threads", threads_, 0, "number of trainings at a time (default 0: one per core)");
    app.add_option("-o,--output", output_, "write the report with its figure as an .html page")
        ->check(not_empty())
        ->type_name("FILE");
    app.add_flag("--json", json_, "print one JSON document");
    app.add_flag("--quiet", quiet_, "show no progress");
    app.footer(
        "Trains classifiers on a part of the texts, and tests their attention on the rest. The report compares their\n"
        "accuracy with the accuracy of three simpler models: uniform attention, single words, and logistic "
        "regression.\n"
        "It shows whether attention is needed, and whether seeds attend to the same words. It shows which words the\n"
        "answers depend on, and whether the answer changes when the words with the most attention are deleted.\n"
        "A check of 10 000 sentences takes minutes. Nothing is stored.\n"
        "The command needs the Python package 'fovea'. It uses the Python that $FOVEA_PYTHON names, or python3.\n"
        "\n"
        "Examples:\n"
        "  fovea check-attention reviews.tsv\n"
        "  fovea check-attention news.csv --label class --text title,body -o news.html\n"
        "  fovea check-attention reviews.jsonl --seeds 5 --json");
  }

  int run() override {
    if (!output_.empty()) check_report_name(output_, ".html");
    Json question = labelled_texts();
    question["settings"] = {
        {"seeds", seeds_}, {"epochs", epochs_}, {"hidden", hidden_}, {"longest", longest_}, {"seed", seed_}};
    if (threads_ > 0) question["settings"]["threads"] = threads_;
    question["output"] = output_;
    question["json"] = json_;
    question["quiet"] = quiet_;
    return ask_python(json_text(question));
  }

 private:
  Json labelled_texts() const {
    std::error_code ignored;
    if (!std::filesystem::exists(labelled_.file, ignored)) {
      std::vector<std::string> names;
      for (const Corpus& corpus : all_corpora()) {
        if (corpus.name == labelled_.file) return texts_of(corpus);
        names.push_back(corpus.name);
      }
      if (const std::string near = nearest_name(labelled_.file, names); !near.empty())
        throw wrong_input(fmt::format("there is no file, folder or corpus '{}'", labelled_.file),
                          Remedy::did_you_mean(near));
      throw wrong_input(fmt::format("there is no file, folder or corpus '{}'", labelled_.file),
                        "check the path, or see: fovea data list");
    }
    Json texts = Json::array(), labels = Json::array();
    TextSource source = labelled_.source();
    if (skip_bad_) source.bad = BadLine::skip;
    TextReader reader = read_labelled([&] { return TextReader(source); });
    for (TextExample example; reader.next(example);) {
      texts.push_back(example.text);
      labels.push_back(example.label);
    }
    if (const std::int64_t skipped = reader.report().skipped; skipped > 0)
      notice("{} skipped", count_text(skipped, "malformed line is", "malformed lines are"));
    return {{"file", labelled_.file}, {"texts", std::move(texts)}, {"labels", std::move(labels)}};
  }

  Json texts_of(const Corpus& corpus) const {
    for (const CLI::Option* option : of_files_)
      if (option->count() > 0)
        throw wrong_input(
            fmt::format("{} is an option for files, and '{}' is a corpus", option->get_name(), corpus.name),
            "leave the option out");
    if (corpus.trace || corpus.tagged || corpus.paired)
      throw wrong_input(fmt::format("the corpus '{}' has {}", corpus.name,
                                    corpus.trace    ? "memory accesses"
                                    : corpus.tagged ? "tagged words"
                                                    : "pairs of texts"),
                        "name a corpus of texts with classes: fovea data list");
    Json texts = Json::array(), labels = Json::array();
    for (const Split split : all_splits)
      each_example(corpus, split, [&](const TextExample& example) {
        texts.push_back(example.text);
        labels.push_back(example.label);
      });
    return {{"file", corpus.name}, {"texts", std::move(texts)}, {"labels", std::move(labels)}};
  }

  // Replaces this process by Python, with the texts as standard input.
  static int ask_python(const std::string& question) {
    std::FILE* const input = std::tmpfile();
    if (!input || std::fwrite(question.data(), 1, question.size(), input) != question.size() ||
        std::fflush(input) != 0 || ::lseek(::fileno(input), 0, SEEK_SET) != 0 || ::dup2(::fileno(input), 0) < 0)
      throw failure("the texts could not be passed to Python", "check that the disk of temporary files has free space");
    const char* const named = std::getenv("FOVEA_PYTHON");
    const char* const python = named && *named ? named : "python3";
    ::execlp(python, python, "-c", ask, nullptr);
    throw python_not_started("check-attention", python, errno);
  }

  LabelledFile labelled_;
  std::vector<CLI::Option*> of_files_;  // those that a corpus does not have
  std::string output_;
  std::int64_t seeds_ = 3, epochs_ = 12, hidden_ = 64, longest_ = 200, seed_ = 0, threads_ = 0;
  bool skip_bad_ = false, json_ = false, quiet_ = false;
};

const Register<Command> check_attention_command("check-attention",
                                                "test whether attention on your labelled texts can be trusted",
                                                [] { return std::make_unique<CheckAttention>(); });

}  // namespace

}  // namespace fovea::cli
