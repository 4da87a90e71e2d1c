// Base class of the stream tasks with an input and an output (room data/tasks/streams). Copy, reverse, repeat, sum and
// histogram tasks derive from it. The sequence is
//
//   x_1 .. x_n SEP y_1 .. y_n          x_i uniform from 1 .. numbers
//
// The source is all but the last token. The question at each position is the next token, so y_i is the answer at the
// position of y_{i-1}, and y_1 at SEP. Values are tokens 0 .. most_value(), and SEP is the next token. At positions
// whose answer is an x, every rung of the ladder predicts 1 / numbers for each number. Before SEP, every rung predicts
// SEP.
//
// Indices of x and y start at 0 here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/base/registry.h"
#include "fovea/data/ladder.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/streams/ladder_rows.h"

namespace fovea {

class InputOutput : public Task, public Ladder {
 public:
  explicit InputOutput(std::string name) : name_(std::move(name)) {}

  void settings(Fields& fields) override;
  void prepare(std::uint64_t seed) override;
  TaskShape shape() const final;
  void batch(Split split, std::uint64_t step, int size, Batch& batch) const final;
  std::string word(int token) const final;
  const Ladder* ladder() const final { return this; }
  void predict(const Batch& batch, int rung, Matrix<float> probabilities) const final;

 protected:
  struct Example {
    std::span<const int> x, y;
    int current;  // the token where it is asked: SEP, or the output before
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int length() const { return n_; }
  int numbers() const { return numbers_; }
  int modulus() const { return numbers_ + 1; }
  int position_of_output(int i) const { return n_ + i; }  // where y_i is asked

  // The sum of `count` numbers, modulo the modulus, said to be known of nothing but how many there are: of m = modulus,
  // each number is 1 .. m-1, so all roots of unity but 1 have mean -1/(m-1), and with r = (-1/(m-1))^count
  //   P(0) = (1 + (m-1) r) / m,   P(other) = (1 - r) / m.
  void predict_sum(int count, std::span<float> said) const;

 private:
  virtual int most_value() const { return numbers_; }
  virtual void make_output(std::span<const int> x, std::span<int> y) const = 0;

  // At which positions of the source one has to look to say y_i; at most pattern_width(), 0 where there are too many to
  // name. Those not used are left as they are. If one position is enough, it is the alignment too.
  virtual int pattern_width() const { return 0; }
  virtual void write_right_positions(int /*i*/, std::span<int> /*positions*/) const {}

  // What a rung says of y_i, with what it may know of the example.
  virtual void predict_output(int rung, const Example& example, int i, std::span<float> said) const = 0;

  std::string name_;
  int n_ = 16;
  int numbers_ = 16;
  std::uint64_t seed_ = 0;
};

}  // namespace fovea
