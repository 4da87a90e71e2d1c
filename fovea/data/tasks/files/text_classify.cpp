// Task `text-classify`: the class of a text of a corpus, as a sequence of words (room data/tasks/files). lab/spec
// makes it by name for a run. It reads its settings, seed and files only.
//
// The vocabulary is that of the training texts. Training visits them in shuffled epochs.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fovea/base/registry.h"
#include "fovea/data/corpus/corpus.h"
#include "fovea/data/task.h"
#include "fovea/data/text/token_texts.h"
#include "fovea/data/text/vocabulary.h"
#include "fovea/data/words/words.h"

namespace fovea {

namespace {

struct Texts {
  Vocabulary vocabulary;
  std::vector<std::string> classes;
  std::array<LabelledTexts, 3> parts;  // by split
};

class TextClassify final : public Task {
 public:
  void settings(Fields& fields) override {
    fields.text("corpus", corpus_, "name of a corpus of labelled texts");
    fields.text("digest", digest_, "digest that the corpus must have; empty: its digest now");
    fields.flag("lower_case", lower_case_, "convert letters to lower case");
    fields.integer("min_count", min_count_, 1, 1'000'000, "words seen less often in training are unknown");
    fields.integer("words", words_, 0, 10'000'000, "largest number of known words; 0: no limit");
    fields.integer("longest", longest_, 0, 1'000'000, "number of words read from each text; 0: all");
    fields.flag("alike", alike_, "put texts of similar length into a training batch");
  }

  void pin() override { digest_ = corpus().digest; }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    const Corpus corpus = this->corpus();
    static LastLoaded<Texts> last;
    texts_ = last.get(fmt::format("{} {} {} {} {}", corpus.digest, lower_case_, min_count_, words_, longest_),
                      [&] { return load(corpus); });
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::labelled_tokens;
    shape.vocab = texts_->vocabulary.size();
    shape.classes = static_cast<int>(texts_->classes.size());
    shape.unknown_token = Vocabulary::unknown;
    return shape;
  }

  std::int64_t examples(Split split) const override { return part(split).tokens.count(); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    fill_labelled(part(split), {seed_, "text-classify", alike_}, split, step, size, batch);
  }

  std::string word(int token) const override { return texts_->vocabulary.word(token); }
  std::string class_name(int label) const override { return texts_->classes[static_cast<std::size_t>(label)]; }
  std::vector<std::string> cut(std::string_view text) const override { return cut_words(text, lower_case_); }

 private:
  Corpus corpus() const {
    Corpus corpus = pinned_corpus(corpus_, digest_);
    if (corpus.paired)
      throw wrong_input(fmt::format("the corpus '{}' has pairs of texts, not texts with classes", corpus_),
                        "use task 'text-translate', or another corpus");
    return corpus;
  }

  Texts load(const Corpus& corpus) const {
    Texts texts;
    texts.classes = corpus.classes;
    WordSplitter splitter(lower_case_);
    WordCounter counter;
    const auto read = [&](Split split, const std::function<int(std::string_view)>& number, int no_word) {
      LabelledTexts& part = texts.parts[static_cast<std::size_t>(split)];
      each_example(corpus, split, [&](const TextExample& example) {
        part.tokens.begin();
        int length = 0;
        for (const std::string_view word : splitter.split(example.text)) {
          if (longest_ > 0 && length++ == longest_) break;
          part.tokens.token(number(word));
        }
        if (part.tokens[part.tokens.count() - 1].empty()) part.tokens.token(no_word);  // a text of no words
        const auto at = std::lower_bound(texts.classes.begin(), texts.classes.end(), example.label);
        if (at == texts.classes.end() || *at != example.label)
          throw wrong_input(fmt::format("the label '{}' is not a class of the corpus", example.label),
                            fmt::format("add the corpus '{}' again", corpus.name), example.location);
        part.labels.push_back(static_cast<int>(at - texts.classes.begin()));
      });
      part.tokens.shrink();
    };
    constexpr int none_counted = -1;
    read(Split::train, [&](std::string_view word) { return counter.add(word); }, none_counted);
    texts.vocabulary = Vocabulary(counter, min_count_, words_);
    for (int& id : texts.parts[static_cast<std::size_t>(Split::train)].tokens.ids())
      id = id == none_counted ? Vocabulary::unknown : texts.vocabulary.number(counter.word(id));
    for (const Split split : {Split::validation, Split::test}) {
      read(split, [&](std::string_view word) { return texts.vocabulary.number(word); }, Vocabulary::unknown);
      mix_if_sorted(texts.parts[static_cast<std::size_t>(split)]);
    }
    if (texts.parts[static_cast<std::size_t>(Split::train)].labels.empty())
      throw wrong_input(fmt::format("the corpus '{}' has no training text", corpus.name), "add the corpus again");
    return texts;
  }

  const LabelledTexts& part(Split split) const { return texts_->parts[static_cast<std::size_t>(split)]; }

  std::string corpus_ = "made-reviews";
  std::string digest_;
  bool lower_case_ = true;
  std::int64_t min_count_ = 5;
  std::int64_t words_ = 0;
  int longest_ = 0;
  bool alike_ = true;

  std::uint64_t seed_ = 0;
  std::shared_ptr<const Texts> texts_;
};

const Register<Task> text_classify_task("text-classify", "the class of a text of a corpus",
                                        [] { return std::make_unique<TextClassify>(); });

}  // namespace

}  // namespace fovea
