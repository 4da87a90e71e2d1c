// The export format words: the vocabulary of a run, a word a line, in the order of their numbers (room lab/export).
// export.cpp opens it through run_export.h. Line 1 belongs to row 0 of the embeddings.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "fovea/base/file.h"
#include "fovea/lab/export/run_export.h"
#include "fovea/lab/store/vocabulary_cache.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

class Words : public RunExport {
 public:
  explicit Words(fs::path file) : file_(std::move(file)) {}

  void add(const RunRecord& run, const Store& store) override {
    KnownWords words = vocabulary_cache(store).of(run.spec);
    if (words.source.empty())
      throw wrong_input(fmt::format("run {} has no words: task {} has none", run.id, run.spec.task.at("name").text()),
                        "choose a run whose task reads texts or copies words");
    for (const auto* list : {&words.source, &words.target})
      for (const std::string& word : *list) check(word, run);
    if (first_ == 0) {
      first_ = run.id;
      words_ = std::move(words);
    } else if (words.source != words_.source || words.target != words_.target) {
      throw wrong_input(fmt::format("runs {} and {} have different words", run.id, first_),
                        "export the words of each run to its own file");
    }
  }

  void finish() override {
    write_whole(file_, lines(words_.source));
    if (words_.target.empty()) return;
    fs::path answers = file_;
    write_whole(answers.replace_extension(".target" + file_.extension().string()), lines(words_.target));
  }

 private:
  static void check(const std::string& word, const RunRecord& run) {
    if (word.find_first_of("\r\n") == std::string::npos) return;
    throw wrong_input(fmt::format("run {} has a word with a line end in it, and each word needs one line", run.id),
                      "use a model of pieces without line ends");
  }

  static std::string lines(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += word + '\n';
    return text;
  }

  fs::path file_;
  std::int64_t first_ = 0;
  KnownWords words_;
};

}  // namespace

std::unique_ptr<RunExport> export_words(const fs::path& file, bool) { return std::make_unique<Words>(file); }

}  // namespace fovea
