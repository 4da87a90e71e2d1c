// Task `keyword`: whether the sequence contains the keyword (room data/tasks). lab/spec makes it by name for a run.
// It reads its settings and seed only. Half of the sequences contain it, at random positions.
//
// The keyword is word V-1. With two keywords, word V-2 is in the other half and marks the negative class. All other
// words give no information on the label, except the distractors, 0 .. n-1: they are rarer in negative sequences.
#include <fmt/format.h>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/task.h"

namespace fovea {

namespace {

class Keyword final : public Task {
 public:
  void settings(Fields& fields) override {
    fields.integer("vocab", vocab_, 2, 1'000'000, "words, keywords included");
    fields.integer("length", length_, 1, 100'000, "words in a sequence (the largest number, if shortest is set)");
    fields.integer("shortest", shortest_, 0, 100'000, "lengths are drawn from this to length; 0: all are of length");
    fields.integer("keywords", keywords_, 1, 2, "2: a second keyword marks the negative class");
    fields.integer("occurrences", occurrences_, 1, 100'000, "number of times that a keyword is in its sequence");
    fields.integer("distractors", distractors_, 0, 1'000'000,
                   "ordinary words that are more frequent in the positive class");
    fields.number("pull", pull_, 0, 1, "share of these words that is removed from negative sequences");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    const int ordinary = vocab_ - keywords_;
    if (ordinary < 1)
      throw wrong_input(fmt::format("task 'keyword' has {} keywords and no other word", keywords_),
                        fmt::format("set vocab to {} or more", keywords_ + 1));
    if (shortest_ > length_)
      throw wrong_input(fmt::format("shortest of task 'keyword' is {}, but length is {}", shortest_, length_),
                        "set shortest to at most length");
    if (const int least = shortest_ == 0 ? length_ : shortest_; occurrences_ > least)
      throw wrong_input(
          fmt::format("{} occurrences of the keyword do not fit into a sequence of {} words", occurrences_, least),
          fmt::format("set occurrences of task 'keyword' to at most {}", least));
    if (distractors_ >= ordinary && distractors_ > 0)
      throw wrong_input(
          fmt::format("task 'keyword' has {} distractors among {} ordinary words", distractors_, ordinary),
          "leave at least one ordinary word that is no distractor");
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::labelled_tokens;
    shape.vocab = vocab_;
    shape.classes = 2;
    return shape;
  }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    const auto columns = static_cast<std::size_t>(length_);
    batch.size = size;
    batch.source.resize(size, length_);
    batch.labels.resize(static_cast<std::size_t>(size));
    batch.marked.assign(static_cast<std::size_t>(size) * columns, 0);
    batch.scratch.resize(2 * columns);
    for (int row = 0; row < size; ++row) {
      RandomStream stream = example_stream(seed_, "keyword", split, step, static_cast<std::uint64_t>(row));
      const int label = static_cast<int>(stream.integer(2));
      const int length =
          shortest_ == 0 ? length_ : shortest_ + static_cast<int>(stream.integer(below(length_ - shortest_ + 1)));
      batch.labels[static_cast<std::size_t>(row)] = label;
      batch.source.lengths[static_cast<std::size_t>(row)] = length;
      for (int l = 0; l < length; ++l) batch.source.at(row, l) = ordinary_word(stream, label);
      if (label == 0 && keywords_ == 1) continue;
      const std::span<int> positions(batch.scratch.data(), static_cast<std::size_t>(occurrences_));
      stream.distinct(positions, {batch.scratch.data() + columns, static_cast<std::size_t>(length)});
      for (const int position : positions) {
        batch.source.at(row, position) = label == 1 ? vocab_ - 1 : vocab_ - 2;
        batch.marked[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(position)] = 1;
      }
    }
  }

  std::string word(int token) const override {
    if (token == vocab_ - 1) return "key";
    if (keywords_ == 2 && token == vocab_ - 2) return "anti-key";
    return std::to_string(token);
  }
  std::string class_name(int label) const override { return label == 1 ? "positive" : "negative"; }

 private:
  static std::uint64_t below(int n) { return static_cast<std::uint64_t>(n); }

  int ordinary_word(RandomStream& stream, int label) const {
    const int ordinary = vocab_ - keywords_;
    const int word = static_cast<int>(stream.integer(below(ordinary)));
    if (word >= distractors_ || label == 1 || stream.uniform() >= pull_) return word;
    return distractors_ + static_cast<int>(stream.integer(below(ordinary - distractors_)));
  }

  int vocab_ = 50;
  int length_ = 20;
  int shortest_ = 0;
  int keywords_ = 1;
  int occurrences_ = 1;
  int distractors_ = 0;
  double pull_ = 0.5;

  std::uint64_t seed_ = 0;
};

const Register<Task> keyword_task("keyword", "does the sequence contain the keyword?",
                                  [] { return std::make_unique<Keyword>(); });

}  // namespace

}  // namespace fovea
