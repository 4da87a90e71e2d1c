// Task `made-names`: the names in sentences of a made language, with cues that are known (room data/tasks). lab/spec
// makes it by name for a run.
//
// A sentence has ordinary words, and names of one word or two. A name has one of the types 0 .. K-1. Half of the name
// words belong to one type each. The others are shared: a name of them has any type, and a cue indicates it. The cue
// of an even type is right before the name, the cue of an odd type right after it. So it is known which position
// determines the type of each word of a name: its own, or its cue.
//
//   token        the village   Dr  Aha Oke   saw   Bil  Inc         Dr: cue of type 0, Inc: cue of type 1
//   tag          O    O        O   B-0 I-0   O     B-1  O           shared names: Aha, Oke, Bil
//   alignment    -    -        -   2   2     -     7    -
//
// Tokens: ordinary words, then the cues of each type, then the words of each type's own names, then shared ones. The
// one feature of a word is 1 for words of names, as capitals are. The last `unseen` of the shared name words are in no
// training sentence.
#include <fmt/format.h>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/task.h"

namespace fovea {

namespace {

class MadeNames final : public Task {
 public:
  void settings(Fields& fields) override {
    fields.integer("types", types_, 2, 20, "types of names");
    fields.integer("words", words_, 1, 1'000'000, "ordinary words");
    fields.integer("cues", cues_, 1, 1000, "cue words of each type");
    fields.integer("own", own_, 0, 100'000, "name words of each type that no other type has");
    fields.integer("shared", shared_, 1, 1'000'000, "name words that all types share");
    fields.integer("unseen", unseen_, 0, 1'000'000, "shared name words that no training sentence has");
    fields.integer("length", length_, 4, 10'000, "words of a sentence");
    fields.number("names", names_, 0, 1, "probability that the next words are a name");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    if (unseen_ >= shared_)
      throw wrong_input(fmt::format("task 'made-names' has {} shared name words, and {} unseen ones", shared_, unseen_),
                        "set unseen to less than shared");
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::tagged_tokens;
    shape.vocab = first_shared() + shared_;
    shape.target_vocab = 1 + 2 * types_;
    shape.features = 2;
    return shape;
  }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    batch.size = size;
    batch.source.resize(size, length_);
    batch.target.resize(size, length_);
    batch.alignment.assign(batch.target.ids.size(), -1);
    batch.feature_width = 1;
    batch.features.resize(batch.source.ids.size());
    for (int row = 0; row < size; ++row) {
      RandomStream stream = example_stream(seed_, "made-names", split, step, static_cast<std::uint64_t>(row));
      for (int at = 0; at < length_;) at = next_words(stream, split, row, at, batch);
    }
    for (std::size_t i = 0; i < batch.features.size(); ++i) batch.features[i] = batch.source.ids[i] >= first_own();
  }

  std::string word(int token) const override {
    if (token >= first_shared()) return fmt::format("Name{}", token - first_shared());
    if (token >= first_own())
      return fmt::format("Own{}-{}", (token - first_own()) / own_, (token - first_own()) % own_);
    if (token >= words_) return fmt::format("cue{}-{}", (token - words_) / cues_, (token - words_) % cues_);
    return fmt::format("w{}", token);
  }
  std::string target_word(int tag) const override {
    return tag == 0 ? "O" : fmt::format("{}-{}", tag % 2 == 1 ? 'B' : 'I', (tag - 1) / 2);
  }

 private:
  int first_own() const { return words_ + types_ * cues_; }
  int first_shared() const { return first_own() + types_ * own_; }

  // A word, or a name and its cue, at `at`; gives the position behind them. The name has an ordinary word behind it, so
  // that no cue stands between two names. What does not fit into the sentence is an ordinary word.
  int next_words(RandomStream& stream, Split split, int row, int at, Batch& batch) const {
    const auto below = [&](int n) { return static_cast<int>(stream.integer(static_cast<std::uint64_t>(n))); };
    const auto put = [&](int token, int tag) {
      batch.source.at(row, at) = token;
      batch.target.at(row, at++) = tag;
    };
    const bool is_name = stream.uniform() < names_;
    const int type = below(types_), length = 1 + below(2);
    const bool own = below(2) == 0 && own_ > 0, cue_first = type % 2 == 0;
    if (!is_name || at + length + (own ? 1 : 2) > length_) {
      put(below(words_), 0);
      return at;
    }
    const int cue = words_ + type * cues_ + below(cues_);
    if (!own && cue_first) put(cue, 0);
    const int begin = at, cue_at = cue_first ? at - 1 : at + length;
    const int known = split == Split::train ? shared_ - unseen_ : shared_;
    for (int i = 0; i < length; ++i) {
      batch.alignment[static_cast<std::size_t>(row * length_ + at)] = own ? at : cue_at;
      put(own ? first_own() + type * own_ + below(own_) : first_shared() + below(known),
          1 + 2 * type + (at > begin ? 1 : 0));
    }
    if (!own && !cue_first) put(cue, 0);
    put(below(words_), 0);
    return at;
  }

  int types_ = 4;
  int words_ = 40;
  int cues_ = 2;
  int own_ = 6;
  int shared_ = 30;
  int unseen_ = 10;
  int length_ = 14;
  double names_ = 0.25;

  std::uint64_t seed_ = 0;
};

const Register<Task> made_names_task("made-names", "names in a made language, with types that words or cues indicate",
                                     [] { return std::make_unique<MadeNames>(); });

}  // namespace

}  // namespace fovea
