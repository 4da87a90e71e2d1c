// Task `copy`: repeat the source, in its order, backwards, or in a fixed other order (room data/tasks). lab/spec
// makes it by name for a run. It reads its settings and seed only.
//
// Words are 0 .. V-1, the end token is V and the start token V+1. With distinct words and length = vocab, every
// source is a permutation. Its bag of words is then always the same, and gives no information before attention moves.
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
    fields.integer("length", length_, 1, 10'000,
                   "words in a source before the end token (the largest number, if shortest is set)");
    fields.integer("shortest", shortest_, 0, 10'000, "lengths are drawn from this to length; 0: all are of length");
    fields.flag("distinct", distinct_, "no word twice in a source");
    fields.choice("target", order_,
                  {{"same", Order::same}, {"reversed", Order::reversed}, {"permuted", Order::permuted}},
                  "the order of the target: the same as the source, backwards, or a fixed order drawn from the seed");
  }

  void prepare(std::uint64_t seed) override {
    if (distinct_ && length_ > vocab_)
      throw wrong_input(fmt::format("task 'copy' cannot draw {} distinct words from {}", length_, vocab_),
                        message("set length to at most vocab, or distinct to {}", Value{false, {}}));
    if (shortest_ > length_)
      throw wrong_input(fmt::format("shortest of task 'copy' is {}, but length is {}", shortest_, length_),
                        "set shortest to at most length");
    if (shortest_ > 0 && order_ == Order::permuted)
      throw wrong_input("target \"permuted\" of task 'copy' needs sources of one length",
                        "leave shortest at 0, or set target to \"same\" or \"reversed\"");
    seed_ = seed;
    if (order_ != Order::permuted) return;
    permuted_.resize(at(length_));
    RandomStream(seed, "copy.order").permutation(permuted_);
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
    batch.alignment.assign(at(size) * at(columns), -1);
    if (distinct_) batch.scratch.resize(at(vocab_));
    for (int row = 0; row < size; ++row) {
      RandomStream stream = example_stream(seed_, "copy", split, step, static_cast<std::uint64_t>(row));
      const int length =
          shortest_ == 0
              ? length_
              : shortest_ + static_cast<int>(stream.integer(static_cast<std::uint64_t>(length_ - shortest_ + 1)));
      const std::span<int> source(&batch.source.at(row, 0), at(length));
      if (distinct_) {
        stream.distinct(source, batch.scratch);
      } else {
        for (int& word : source) word = static_cast<int>(stream.integer(static_cast<std::uint64_t>(vocab_)));
      }
      batch.source.at(row, length) = vocab_;
      batch.source.lengths[at(row)] = batch.target.lengths[at(row)] = length + 1;
      for (int t = 0; t <= length; ++t) {
        const int from = source_of(t, length);
        batch.target.at(row, t) = batch.source.at(row, from);
        batch.alignment[at(row) * at(columns) + at(t)] = from;
      }
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

  // The source position of target word t, in a source of `length` words. The end is said from the end.
  int source_of(int t, int length) const {
    if (t == length || order_ == Order::same) return t;
    return order_ == Order::reversed ? length - 1 - t : permuted_[at(t)];
  }

  int vocab_ = 40;
  int length_ = 40;
  int shortest_ = 0;
  bool distinct_ = true;
  Order order_ = Order::same;

  std::uint64_t seed_ = 0;
  std::vector<int> permuted_;  // (length) source position of each target word, where the order is permuted
};

const Register<Task> copy_task("copy", "the target is the source, in the same or another order",
                               [] { return std::make_unique<Copy>(); });

}  // namespace

}  // namespace fovea
