// Task `language`: the next token of a text, at every position of a window of it (room data/tasks/files). lab/spec
// makes it by name for a run. It reads its settings, seed and files only. Training windows are drawn from the whole
// training part. Validation windows follow one another.
//
// The rungs of the ladder predict the token c after x_0 .. x_t. There are V tokens. The probability p is computed from
// the counts of the training part (data/tasks/files/ngrams.h). In the window, c is m(c) times after an earlier copy of
// x_t, and m is the sum of m(c) over c:
//
//   uniform      1 / V
//   unigram      p(c)
//   bigram       p(c | x_t)
//   trigram      p(c | x_(t-1) x_t); at the first position of a window, the bigram
//   in-context   (m(c) + k p(c | x_t)) / (m + k), k = 100: a longer window reduces the weight of the training part
//
// The best prediction is unknown: a model's loss may be below all rungs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/epochs.h"
#include "fovea/data/ladder.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/files/language_text.h"
#include "fovea/data/tasks/files/ngrams.h"
#include "fovea/data/tasks/files/token_windows.h"
#include "fovea/data/tasks/streams/ladder_rows.h"
#include "fovea/io/digest.h"

namespace fovea {

namespace {

constexpr int most_vocab = 100'000;
constexpr double bigram_weight = 100;  // k

// A text, and its counts once somebody asks for them.
class CountedText {
 public:
  explicit CountedText(LanguageText text) : text_(std::move(text)) {}
  const LanguageText& text() const { return text_; }
  const Ngrams& ngrams() const {
    std::call_once(counts_->made,
                   [&] { counts_->ngrams.emplace(text_.part(Split::train), static_cast<int>(text_.words.size())); });
    return *counts_->ngrams;
  }

 private:
  struct Counts {
    std::once_flag made;
    std::optional<Ngrams> ngrams;
  };
  LanguageText text_;
  std::unique_ptr<Counts> counts_ = std::make_unique<Counts>();
};

class Language final : public Task, public Ladder {
 public:
  void settings(Fields& fields) override {
    fields.text("corpus", corpus_, "name of a corpus; its texts are joined, one per line");
    fields.only_of("a task without a file", [this] { return file_.empty(); });
    fields.text("file", file_, "a file of text or of lines of numbers, in place of a corpus");
    fields.text("digest", digest_, "digest that the corpus or file must have; empty: its digest now");
    fields.choice(
        "tokens", units_,
        {{"characters", TokenUnits::characters}, {"subwords", TokenUnits::subwords}, {"numbers", TokenUnits::numbers}},
        "unit of a token: a character, a SentencePiece subword, or a whole number in a file of numbers, one sequence "
        "per line");
    fields.integer(
        "vocab", vocab_, 16, most_vocab,
        "characters, numbers: how many of the most frequent ones are known; subwords: largest number that is learned");
    fields.integer("length", length_, 1, 10'000, "tokens in a window");
  }

  void pin() override {
    if (!file_.empty()) file_ = std::filesystem::absolute(file_).lexically_normal();
    digest_ = file_.empty() ? corpus().digest : digest_of(read_file());
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    if (file_.empty() && units_ == TokenUnits::numbers)
      throw wrong_input("task.tokens is \"numbers\", and a corpus has texts",
                        "name a file of numbers in task.file, or set task.tokens = \"characters\"");
    static LastLoaded<CountedText> last;
    const auto key = [&](const std::string& digest) {
      return fmt::format("{} {} {}", digest, static_cast<int>(units_), vocab_);
    };
    if (file_.empty()) {
      const Corpus corpus = this->corpus();
      text_ = last.get(key(corpus.digest), [&] { return CountedText(cut_language_corpus(corpus, units_, vocab_)); });
    } else {
      const std::string bytes = read_file();
      text_ =
          last.get(key(digest_of(bytes)), [&] { return CountedText(cut_language_file(bytes, file_, units_, vocab_)); });
    }
    check();
    for (const Split split : all_splits) windows_[static_cast<std::size_t>(split)] = TokenWindows(part(split), length_);
  }

  TaskShape shape() const override {
    const int words = static_cast<int>(text_->text().words.size());
    TaskShape shape = stream_shape(words, words, length_);
    shape.unknown_token = text_->text().pieces ? text_->text().pieces->unknown() : 0;
    return shape;
  }

  // Of training, whose windows begin anywhere, as many as lie beside each other: more would tell nothing new.
  std::int64_t examples(Split split) const override { return windows(split).in_turn(); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    Slice slice{0, size};
    if (split != Split::train) slice = slice_of(windows(split).in_turn(), step, size);
    batch.size = slice.size;
    batch.source.resize(slice.size, length_);
    batch.target.resize(slice.size, length_);
    for (int row = 0; row < slice.size; ++row) {
      std::span<const int> window;
      if (split == Split::train) {
        RandomStream stream = example_stream(seed_, "language", split, step, static_cast<std::uint64_t>(row));
        const std::uint64_t start = stream.integer(static_cast<std::uint64_t>(windows(split).starts()));
        window = windows(split).start(part(split), static_cast<std::int64_t>(start));
      } else {
        window = windows(split).of_turn(part(split), slice.begin + row);
      }
      const std::size_t positions = window.size() - 1;
      std::copy_n(window.begin(), positions, &batch.source.at(row, 0));
      std::copy_n(window.begin() + 1, positions, &batch.target.at(row, 0));
      batch.source.lengths[static_cast<std::size_t>(row)] = static_cast<int>(positions);
      batch.target.lengths[static_cast<std::size_t>(row)] = static_cast<int>(positions);
    }
  }

  std::string word(int token) const override { return text_->text().words[static_cast<std::size_t>(token)]; }

  std::vector<std::string> cut(std::string_view text) const override {
    if (units_ == TokenUnits::numbers) return Task::cut(text);
    if (units_ == TokenUnits::characters) return readable_characters(text);
    std::vector<std::string> cut;
    for (const int piece : text_->text().pieces->encode(text)) cut.push_back(word(piece));
    return cut;
  }

  const Ladder* ladder() const override { return this; }
  std::vector<std::string> rungs() const override { return {"uniform", "unigram", "bigram", "trigram", "in-context"}; }

  void predict(const Batch& batch, int rung, Matrix<float> probabilities) const override {
    const Ngrams& ngrams = text_->ngrams();
    each_asked(batch, probabilities, [&](int b, int t, std::span<float> said) {
      const int token = batch.source.at(b, t);
      if (rung == 0) return predict_uniform(said, 0, static_cast<int>(said.size()));
      if (rung == 1) return ngrams.unigram(said);
      if (rung == 3 && t > 0) return ngrams.trigram(batch.source.at(b, t - 1), token, said);
      ngrams.bigram(token, said);
      if (rung == 4) add_window(batch, b, t, said);
    });
  }

 private:
  static std::string digest_of(const std::string& bytes) {
    Digest digest;
    digest.add(bytes);
    return digest.hex();
  }

  Corpus corpus() const { return pinned_corpus(corpus_, digest_); }

  std::string read_file() const {
    std::string bytes = read_language_file(file_);
    if (const std::string digest = digest_of(bytes); !digest_.empty() && digest != digest_)
      throw wrong_input(fmt::format("has changed since this run was made: its digest is {}, not {}", digest, digest_),
                        "name the original file, or leave task.digest empty to use this one", {file_});
    return bytes;
  }

  // What is wrong with the text as a whole.
  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const {
    if (!file_.empty()) throw wrong_input(problem, remedy, {file_});
    throw wrong_input(fmt::format("the corpus '{}' {}", corpus_, problem), remedy);
  }

  void check() const {
    const TokenTexts &trained = part(Split::train), &kept_back = part(Split::validation);
    const auto longest_of = [](const TokenTexts& texts) {
      std::size_t longest = 0;
      for (int i = 0; i < texts.count(); ++i) longest = std::max(longest, texts[i].size());
      return longest;
    };
    const bool lines = units_ == TokenUnits::numbers;
    const std::size_t positions = longest_of(trained), kept_positions = longest_of(kept_back);
    if (positions < 2 || kept_positions < 2)
      refuse(
          fmt::format("is too short: it has {} tokens{} for training and {} for validation, and each split needs two",
                      positions, lines ? " in a line" : "", kept_positions),
          lines ? "give it more lines, or longer ones" : "use a longer text");
    std::int64_t tokens = 0, as_the_first = 0;
    const int first = trained[0].empty() ? -1 : trained[0][0];
    for (int i = 0; i < trained.count(); ++i) {
      tokens += static_cast<std::int64_t>(trained[i].size());
      as_the_first += std::count(trained[i].begin(), trained[i].end(), first);
    }
    if (tokens == as_the_first)
      refuse(fmt::format("has only one distinct training token: '{}', {} times", word(first), tokens),
             "use another text: this one leaves nothing to predict");
    const std::size_t shortest = lines ? positions : std::min(positions, kept_positions);
    if (shortest > static_cast<std::size_t>(length_)) return;
    const std::string remedy = fmt::format("set task.length to {} or less", shortest - 1);
    if (lines)
      refuse(fmt::format("has at most {} tokens in a training line, and a window of {} needs one more token", positions,
                         length_),
             remedy);
    refuse(fmt::format("is shorter than a window: it has {} tokens for training and {} for validation, and a window of "
                       "{} needs one more token",
                       positions, kept_positions, length_),
           remedy + ", or use a longer text");
  }

  static void add_window(const Batch& batch, int b, int t, std::span<float> said) {
    int seen = 0;
    for (int s = 0; s < t; ++s) seen += batch.source.at(b, s) == batch.source.at(b, t);
    const double sum = seen + bigram_weight;
    for (float& p : said) p *= static_cast<float>(bigram_weight / sum);
    for (int s = 0; s < t; ++s)
      if (batch.source.at(b, s) == batch.source.at(b, t))
        said[static_cast<std::size_t>(batch.source.at(b, s + 1))] += static_cast<float>(1 / sum);
  }

  const TokenTexts& part(Split split) const { return text_->text().part(split); }
  const TokenWindows& windows(Split split) const { return windows_[static_cast<std::size_t>(split)]; }

  std::string corpus_ = "made-reviews";
  std::string file_;
  std::string digest_;
  TokenUnits units_ = TokenUnits::characters;
  int vocab_ = 2000;
  int length_ = 128;

  std::uint64_t seed_ = 0;
  std::shared_ptr<const CountedText> text_;
  std::array<TokenWindows, 3> windows_;  // by split
};

const Register<Task> language("language", "the next token of a text", [] { return std::make_unique<Language>(); });

}  // namespace

}  // namespace fovea
