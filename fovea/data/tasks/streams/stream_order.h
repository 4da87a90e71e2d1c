// StreamOrder: base class of `stream-copy` and `stream-reverse`, whose output is the input in a fixed order (room
// data/tasks/streams). The rungs of the ladder: nothing of the input is known; its bag is, in which number j occurs
// n_j times, so each y_i is j with n_j / n; all is.
#pragma once

#include "fovea/data/tasks/streams/input_output.h"

namespace fovea {

class StreamOrder : public InputOutput {
 public:
  using InputOutput::InputOutput;

  std::vector<std::string> rungs() const final { return {"nothing", "bag", "all"}; }

 private:
  virtual int source_of(int i) const = 0;  // y_i = x[source_of(i)]

  void make_output(std::span<const int> x, std::span<int> y) const final {
    for (int i = 0; i < length(); ++i) y[at(i)] = x[at(source_of(i))];
  }

  int pattern_width() const final { return 1; }
  void write_right_positions(int i, std::span<int> positions) const final { positions[0] = source_of(i); }

  void predict_output(int rung, const Example& example, int i, std::span<float> said) const final {
    if (rung == 0) return predict_uniform(said, 1, numbers());
    if (rung == 2) return predict_token(said, example.y[at(i)]);
    for (const int number : example.x) said[at(number)] += 1 / static_cast<float>(length());
  }
};

}  // namespace fovea
