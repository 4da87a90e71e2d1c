// A task of token streams for tests: even tokens, and answers by a function of them.
#pragma once

#include <functional>
#include <span>
#include <utility>

#include "fovea/data/draw.h"
#include "fovea/data/task.h"

namespace fovea {

class MadeStream : public Task {
 public:
  // The answer at position t of tokens x, or -1; the stream is that of the sequence, and goes on from position to position.
  using Answer = std::function<int(std::span<const int> x, std::size_t t, RandomStream& stream)>;

  MadeStream(int vocab, int length, Answer answer) : vocab_(vocab), length_(length), answer_(std::move(answer)) {}

  void settings(Fields&) override {}
  void prepare(std::uint64_t) override {}
  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::token_streams;
    shape.vocab = shape.target_vocab = vocab_;
    shape.longest = length_;
    return shape;
  }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    batch.size = size;
    batch.source.resize(size, length_);
    batch.target.resize(size, length_);
    batch.alignment.clear();
    for (int row = 0; row < size; ++row) {
      RandomStream tokens = example_stream(1, "made-tokens", split, step, static_cast<std::uint64_t>(row));
      RandomStream answers = example_stream(1, "made-answers", split, step, static_cast<std::uint64_t>(row));
      for (int t = 0; t < length_; ++t)
        batch.source.at(row, t) = static_cast<int>(tokens.integer(static_cast<std::uint64_t>(vocab_)));
      const std::span<const int> x(&batch.source.at(row, 0), static_cast<std::size_t>(length_));
      for (int t = 0; t < length_; ++t) batch.target.at(row, t) = answer_(x, static_cast<std::size_t>(t), answers);
    }
  }

 private:
  int vocab_, length_;
  Answer answer_;
};

}  // namespace fovea
