// Task `entities`: the tag of each word of a sentence, of a corpus of words with tags (room data/tasks/files).
// lab/spec makes it by name for a run.
//
// The vocabulary is of the training sentences. Each word has features of how it is written, too, so that words outside
// the vocabulary differ. Training goes through the sentences in shuffled epochs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "fovea/base/registry.h"
#include "fovea/data/corpus/corpus.h"
#include "fovea/data/task.h"
#include "fovea/data/text/token_texts.h"
#include "fovea/data/text/vocabulary.h"
#include "fovea/data/words/word_features.h"
#include "fovea/io/whitespace.h"

namespace fovea {

namespace {

struct TaggedTexts {
  struct Part {
    TokenTexts words, tags, features;  // of the features word_features a word
  };
  Vocabulary vocabulary, features;
  std::vector<std::string> tags;
  std::array<Part, 3> parts;  // by split
};

class Entities final : public Task {
 public:
  void settings(Fields& fields) override {
    fields.text("corpus", corpus_, "name of a corpus of words with tags");
    fields.text("digest", digest_, "digest that the corpus must have; empty: its digest now");
    fields.flag("lower_case", lower_case_, "convert the letters of words to lower case; features keep them");
    fields.integer("min_count", min_count_, 1, 1'000'000, "words and features seen less often in training are unknown");
    fields.flag("features", with_features_, "give shape, beginning and ending of each word");
    fields.flag("alike", alike_, "put sentences of similar length into a training batch");
  }

  void pin() override { digest_ = corpus().digest; }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    const Corpus corpus = this->corpus();
    static LastLoaded<TaggedTexts> last;
    texts_ = last.get(fmt::format("{} {} {}", corpus.digest, lower_case_, min_count_), [&] { return load(corpus); });
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::tagged_tokens;
    shape.vocab = texts_->vocabulary.size();
    shape.target_vocab = static_cast<int>(texts_->tags.size());
    shape.features = with_features_ ? texts_->features.size() : 0;
    shape.unknown_token = Vocabulary::unknown;
    return shape;
  }

  std::int64_t examples(Split split) const override { return part(split).words.count(); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    const TaggedTexts::Part& from = part(split);
    split_examples({seed_, "entities", alike_}, from.words, split, step, size, batch.scratch);
    batch.size = static_cast<int>(batch.scratch.size());
    fill_tokens(from.words, batch.scratch, batch.source);
    fill_tokens(from.tags, batch.scratch, batch.target);
    batch.alignment.clear();
    batch.features.clear();
    batch.feature_width = with_features_ ? static_cast<int>(word_features) : 0;
    if (!with_features_) return;
    const std::size_t row = static_cast<std::size_t>(batch.source.columns) * word_features;
    batch.features.assign(row * batch.scratch.size(), -1);
    for (std::size_t b = 0; b < batch.scratch.size(); ++b)
      std::ranges::copy(from.features[batch.scratch[b]], batch.features.begin() + static_cast<std::ptrdiff_t>(b * row));
  }

  std::string word(int token) const override { return texts_->vocabulary.word(token); }
  std::vector<std::string> cut(std::string_view text) const override {
    std::vector<std::string> words;
    each_word(text, [&](std::string_view word) { words.push_back(known(word)); });
    return words;
  }
  std::string target_word(int tag) const override { return texts_->tags[static_cast<std::size_t>(tag)]; }

 private:
  Corpus corpus() const {
    Corpus corpus = pinned_corpus(corpus_, digest_);
    if (!corpus.tagged)
      throw wrong_input(fmt::format("the corpus '{}' has no words with tags", corpus_), "use another corpus");
    return corpus;
  }

  std::string known(std::string_view word) const { return lower_case_ ? lower_case(word) : std::string(word); }

  TaggedTexts load(const Corpus& corpus) const {
    TaggedTexts texts;
    WordCounter words, features;
    std::set<std::string, std::less<>> tags{"O"};
    each_example(corpus, Split::train, [&](const TextExample& example) {
      each_word(example.text, [&](std::string_view word) {
        words.add(known(word));
        for (const std::string& feature : features_of(word)) features.add(feature);
      });
      each_word(example.target, [&](std::string_view tag) {
        if (tag == "O") return;
        for (const char* const prefix : {"B-", "I-"}) tags.insert(prefix + std::string(tag.substr(2)));
      });
    });
    texts.vocabulary = Vocabulary(words, min_count_, 0);
    texts.features = Vocabulary(features, min_count_, 0);
    texts.tags.assign(tags.begin(), tags.end());
    for (const Split split : all_splits) {
      TaggedTexts::Part& part = texts.parts[static_cast<std::size_t>(split)];
      each_example(corpus, split, [&](const TextExample& example) { add(example, texts, part); });
      for (TokenTexts* const tokens : {&part.words, &part.tags, &part.features}) tokens->shrink();
    }
    return texts;
  }

  void add(const TextExample& example, const TaggedTexts& texts, TaggedTexts::Part& part) const {
    for (TokenTexts* const tokens : {&part.words, &part.tags, &part.features}) tokens->begin();
    each_word(example.text, [&](std::string_view word) {
      part.words.token(texts.vocabulary.number(known(word)));
      for (const std::string& feature : features_of(word)) part.features.token(texts.features.number(feature));
    });
    each_word(example.target, [&](std::string_view tag) {
      const auto at = std::ranges::lower_bound(texts.tags, tag);
      if (at == texts.tags.end() || *at != tag)
        throw wrong_input(fmt::format("no training sentence has the tag '{}'", tag),
                          "correct it, or put sentences with this tag into the training data", example.location);
      part.tags.token(static_cast<int>(at - texts.tags.begin()));
    });
    const int last = part.words.count() - 1;
    if (part.words[last].size() != part.tags[last].size())
      throw wrong_input(fmt::format("{} words have {} tags", part.words[last].size(), part.tags[last].size()),
                        fmt::format("add the corpus '{}' again", corpus_), example.location);
  }

  const TaggedTexts::Part& part(Split split) const { return texts_->parts[static_cast<std::size_t>(split)]; }

  std::string corpus_ = "made-mentions";
  std::string digest_;
  bool lower_case_ = true;
  std::int64_t min_count_ = 2;
  bool with_features_ = true;
  bool alike_ = true;

  std::uint64_t seed_ = 0;
  std::shared_ptr<const TaggedTexts> texts_;
};

const Register<Task> entities_task("entities", "the named entities of a corpus: a tag for each word",
                                   [] { return std::make_unique<Entities>(); });

}  // namespace

}  // namespace fovea
