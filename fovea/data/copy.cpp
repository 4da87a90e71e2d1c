// Task `copy` (SCIENCE 6): say the source again, in its order, backwards, or in a fixed other order.
//
// Words are 0 .. V-1, the end token is V and the start token V+1. With distinct words and length = vocab every source
// is a permutation, so its bag of words is always the same and tells nothing before attention moves.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/task.h"

namespace fovea {

namespace {

class Copy final : public Task {
 public:
  void settings(Fields& fields) override {
    fields.integer("vocab", vocab_, 1, 1'000'000, "words to draw from");
    fields.integer("length", length_, 1, 10'000, "words in a source, before the end token");
    fields.flag("distinct", distinct_, "no word twice in a source");
    fields.choice("target", order_,
                  {{"same", Order::same}, {"reversed", Order::reversed}, {"permuted", Order::permuted}},
                  "the order the words are said in: the source's, backwards, or a fixed one drawn from the seed");
  }

  void prepare(std::uint64_t seed) override {
    if (distinct_ && length_ > vocab_)
      throw wrong_input(fmt::format("task 'copy' can not draw {} distinct words from {}", length_, vocab_),
                        "set length to at most vocab, or distinct = false");
    seed_ = seed;
    from_.resize(static_cast<std::size_t>(length_) + 1);
    const std::span<int> words(from_.data(), static_cast<std::size_t>(length_));
    if (order_ == Order::permuted) {
      Stream(seed, "copy.order").permutation(words);
    } else {
      for (int t = 0; t < length_; ++t) from_[at(t)] = order_ == Order::same ? t : length_ - 1 - t;
    }
    from_.back() = length_;  // the end is said from the end
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::token_pairs;
    shape.vocab = shape.target_vocab = vocab_ + 2;
    shape.end_token = vocab_;
    shape.start_token = vocab_ + 1;
    return shape;
  }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    const int columns = length_ + 1;
    batch.size = size;
    batch.source.resize(size, columns);
    batch.target.resize(size, columns);
    batch.alignment.resize(at(size) * at(columns));
    if (distinct_) batch.scratch.resize(at(vocab_));
    for (int row = 0; row < size; ++row) {
      Stream stream = example_stream(seed_, "copy", split, step, static_cast<std::uint64_t>(row));
      const std::span<int> source(&batch.source.at(row, 0), at(length_));
      if (distinct_) {
        stream.distinct(source, batch.scratch);
      } else {
        for (int& word : source) word = static_cast<int>(stream.integer(static_cast<std::uint64_t>(vocab_)));
      }
      batch.source.at(row, length_) = vocab_;
      for (int t = 0; t < columns; ++t) batch.target.at(row, t) = batch.source.at(row, from_[at(t)]);
      std::copy(from_.begin(), from_.end(), batch.alignment.begin() + std::ptrdiff_t{row} * columns);
    }
  }

  std::string word(int token) const override {
    if (token == vocab_) return "<end>";
    if (token == vocab_ + 1) return "<start>";
    return std::to_string(token);
  }

 private:
  enum class Order { same, reversed, permuted };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  int vocab_ = 40;
  int length_ = 40;
  bool distinct_ = true;
  Order order_ = Order::same;

  std::uint64_t seed_ = 0;
  std::vector<int> from_;  // (length + 1) source position of each target word
};

const Register<Task> registered("copy", "the target is the source, in the same or another order",
                                [] { return std::make_unique<Copy>(); });

}  // namespace

}  // namespace fovea
