// Task `text-translate`: the translation of a text, as a sequence of subwords or words (room data/tasks/files).
// lab/spec makes it by name for a run. It reads its settings, seed and files only. Both languages share the
// vocabulary.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "fovea/base/file.h"
#include "fovea/base/registry.h"
#include "fovea/data/corpus/corpus.h"
#include "fovea/data/task.h"
#include "fovea/data/text/reference_text.h"
#include "fovea/data/text/token_texts.h"
#include "fovea/data/text/vocabulary.h"
#include "fovea/data/words/subwords.h"
#include "fovea/data/words/words.h"
#include "fovea/io/digest.h"
#include "fovea/io/whitespace.h"

namespace fovea {

namespace {

constexpr std::size_t most_model_bytes = 256u << 20;

struct Pairs {
  struct Part {
    TokenTexts source, target;
    // Of all but the training texts: the targets as they were, the word of each token, and known alignments.
    std::vector<std::string> written;
    TokenTexts source_words, target_words;
    std::vector<WordAlignment> alignments;
  };
  std::shared_ptr<const Pieces> pieces;  // that tokens are, where they are pieces
  std::vector<std::string> words;        // by token
  int start = 0, end = 0, unknown = 0;
  std::array<Part, 3> parts;  // by split
};

class TextTranslate final : public Task, public WrittenTargets {
 public:
  const WrittenTargets* written_targets() const override { return this; }

  void settings(Fields& fields) override {
    fields.text("corpus", corpus_, "name of a corpus of pairs of texts");
    fields.text("digest", digest_, "digest that corpus and subword model must have; empty: the digest now");
    fields.choice("units", units_, {{"pieces", Units::pieces}, {"words", Units::words}},
                  "unit of a token: a SentencePiece subword, or a word");
    fields.integer("vocab", vocab_, 16, 1'000'000, "pieces: largest number that is learned");
    fields.text("model", model_, "pieces: a SentencePiece .model to use; empty: learned from the training texts");
    fields.integer("min_count", min_count_, 1, 1'000'000, "words: those seen less often in training are unknown");
    fields.integer("longest", longest_, 0, 1'000'000,
                   "training pairs with more tokens on either side are left out; 0: no limit");
    fields.flag("alike", alike_, "put texts of similar length into a training batch");
  }

  void pin() override {
    const Corpus corpus = find_paired();
    const std::string digest = whole_digest(corpus);
    check(digest);
    digest_ = digest;
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    const Corpus corpus = find_paired();
    const std::string digest = whole_digest(corpus);
    check(digest);
    static LastLoaded<Pairs> last;
    pairs_ = last.get(fmt::format("{} {} {} {} {}", digest, units_ == Units::words, vocab_, min_count_, longest_),
                      [&] { return load(corpus); });
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::token_pairs;
    shape.vocab = shape.target_vocab = static_cast<int>(pairs_->words.size());
    shape.start_token = pairs_->start;
    shape.end_token = pairs_->end;
    shape.unknown_token = pairs_->unknown;
    return shape;
  }

  std::int64_t examples(Split split) const override { return part(split).source.count(); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    const Pairs::Part& from = part(split);
    split_examples({seed_, "text-translate", alike_}, from.source, split, step, size, batch.scratch);
    batch.size = static_cast<int>(batch.scratch.size());
    fill_tokens(from.source, batch.scratch, batch.source);
    fill_tokens(from.target, batch.scratch, batch.target);
    batch.alignment.clear();
  }

  std::string word(int token) const override { return pairs_->words[static_cast<std::size_t>(token)]; }

  std::vector<std::string> cut(std::string_view text) const override {
    if (!pairs_->pieces) return cut_words(text);
    std::vector<std::string> cut;
    for (const int piece : pairs_->pieces->encode(text)) cut.push_back(word(piece));
    return cut;
  }

  std::string target_text(std::span<const int> tokens) const override {
    if (pairs_->pieces) return pairs_->pieces->decode({tokens.begin(), tokens.end()});
    std::string text;
    for (const int token : tokens) text += (text.empty() ? "" : " ") + word(token);
    return text;
  }
  std::string written_target(Split split, std::int64_t example) const override {
    const std::vector<std::string>& written = part(split).written;
    const auto at = static_cast<std::size_t>(example);
    return at < written.size() ? written[at] : std::string();
  }

  std::span<const int> source_words(Split split, std::int64_t example) const override {
    return part(split).source_words[static_cast<int>(example)];
  }
  std::span<const int> target_words(Split split, std::int64_t example) const override {
    return part(split).target_words[static_cast<int>(example)];
  }
  const WordAlignment* alignment(Split split, std::int64_t example) const override {
    const std::vector<WordAlignment>& known = part(split).alignments;
    const auto at = static_cast<std::size_t>(example);
    return at < known.size() ? &known[at] : nullptr;
  }

 private:
  enum class Units { pieces, words };
  using Encode = std::function<void(std::string_view, TokenTexts&)>;

  Corpus find_paired() const {
    Corpus corpus = find_corpus(corpus_);
    if (!corpus.paired)
      throw wrong_input(fmt::format("the corpus '{}' has texts with classes, not pairs", corpus_),
                        "use task 'text-classify', or another corpus");
    if (corpus.tagged)
      throw wrong_input(fmt::format("the corpus '{}' has words with tags, not translations", corpus_),
                        "use another corpus");
    if (!model_.empty() && units_ == Units::words)
      throw wrong_input("task 'text-translate' has units = \"words\", and also a model of pieces",
                        "remove one of the two settings");
    return corpus;
  }

  // Of the texts and, where the pieces come from a file, of that.
  std::string whole_digest(const Corpus& corpus) const {
    if (model_.empty()) return corpus.digest;
    Digest digest;
    digest.add(corpus.digest);
    digest.add(read_file(model_, most_model_bytes));
    return digest.hex();
  }

  void check(const std::string& digest) const {
    if (!digest_.empty() && digest != digest_)
      throw wrong_input(fmt::format("the corpus '{}'{} has changed since this run was made: the digest is {}, not {}",
                                    corpus_, model_.empty() ? "" : " with this model", digest, digest_),
                        "name the original corpus and model, or leave task.digest empty to use these");
  }

  // Learned pieces are kept beside the corpus: learning takes a while.
  Pieces pieces(const Corpus& corpus) const {
    if (!model_.empty()) return Pieces(read_file(model_, most_model_bytes), model_);
    const auto file = corpus.folder / fmt::format("pieces-{}-{}.model", vocab_, corpus.digest);
    std::error_code ignored;
    if (!corpus.folder.empty() && std::filesystem::exists(file, ignored))
      return Pieces(read_file(file, most_model_bytes), file);
    const std::string model = Pieces::learn(
        [&](const std::function<void(std::string_view)>& take) {
          each_example(corpus, Split::train, [&](const TextExample& example) {
            take(example.text);
            take(example.target);
          });
        },
        vocab_);
    if (!corpus.folder.empty()) write_whole(file, model);
    return Pieces(model, file);
  }

  Pairs load(const Corpus& corpus) const {
    Pairs pairs;
    if (units_ == Units::pieces) {
      pairs.pieces = std::make_shared<const Pieces>(this->pieces(corpus));
      const Pieces& pieces = *pairs.pieces;
      for (int i = 0; i < pieces.size(); ++i) pairs.words.push_back(pieces.piece(i));
      pairs.start = pieces.start();
      pairs.end = pieces.end();
      pairs.unknown = pieces.unknown();
      read(corpus, pairs, [&](std::string_view text, TokenTexts& tokens) {
        for (const int piece : pieces.encode(text)) tokens.token(piece);
      });
      return pairs;
    }
    WordSplitter splitter;
    WordCounter counter;
    each_example(corpus, Split::train, [&](const TextExample& example) {
      for (const std::string_view text : {example.text, example.target})
        for (const std::string_view word : splitter.split(text)) counter.add(word);
    });
    const Vocabulary vocabulary(counter, min_count_, 0, {"<start>", "<end>"});
    for (int i = 0; i < vocabulary.size(); ++i) pairs.words.push_back(vocabulary.word(i));
    pairs.start = 1;
    pairs.end = 2;
    pairs.unknown = Vocabulary::unknown;
    read(corpus, pairs, [&](std::string_view text, TokenTexts& tokens) {
      for (const std::string_view word : splitter.split(text)) tokens.token(vocabulary.number(word));
    });
    return pairs;
  }

  void read(const Corpus& corpus, Pairs& pairs, const Encode& encode) const {
    for (const Split split : {Split::train, Split::validation, Split::test}) {
      Pairs::Part& part = pairs.parts[static_cast<std::size_t>(split)];
      each_example(corpus, split, [&](const TextExample& example) {
        std::size_t longer = 0;
        for (const auto& [text, tokens] : {std::pair{example.text, &part.source}, {example.target, &part.target}}) {
          tokens->begin();
          encode(text, *tokens);
          tokens->token(pairs.end);
          longer = std::max(longer, (*tokens)[tokens->count() - 1].size());
        }
        if (split != Split::train) {
          part.written.emplace_back(example.target);
          number_words(example.text, part.source, encode, part.source_words);
          number_words(example.target, part.target, encode, part.target_words);
          if (!example.alignment.empty())
            part.alignments.push_back(parse_alignment(example.alignment, example.location));
        }
        if (split != Split::train || longest_ == 0 || longer <= static_cast<std::size_t>(longest_)) return;
        part.source.drop();
        part.target.drop();
      });
      part.source.shrink();
      part.target.shrink();
    }
    if (pairs.parts[0].source.count() == 0)
      throw wrong_input(
          fmt::format("every training pair of the corpus '{}' has more than {} tokens", corpus_, longest_),
          "raise longest of task 'text-translate'");
  }

  // Adds the word of each token of the last of `texts`, which is `text` and its end.
  static void number_words(std::string_view text, const TokenTexts& texts, const Encode& encode, TokenTexts& words) {
    const auto last = [](const TokenTexts& of) { return of[of.count() - 1].size(); };
    words.begin();
    int word = 0;
    TokenTexts alone;
    each_word(text, [&](std::string_view one) {
      alone.begin();
      encode(one, alone);
      for (std::size_t i = 0; i < last(alone); ++i) words.token(word);
      ++word;
    });
    if (last(words) + 1 == last(texts)) return;
    words.drop();
    words.begin();
  }

  const Pairs::Part& part(Split split) const { return pairs_->parts[static_cast<std::size_t>(split)]; }

  std::string corpus_ = "made-phrases";
  std::string digest_;
  Units units_ = Units::pieces;
  int vocab_ = 8000;
  std::string model_;
  std::int64_t min_count_ = 2;
  int longest_ = 0;
  bool alike_ = true;

  std::uint64_t seed_ = 0;
  std::shared_ptr<const Pairs> pairs_;
};

const Register<Task> text_translate_task("text-translate", "the translation of a text of a corpus",
                                         [] { return std::make_unique<TextTranslate>(); });

}  // namespace

}  // namespace fovea
