// Task `mws`, the moving-window sum (room data/tasks/streams). lab/spec makes it by name for a run. It reads its
// settings and seed only. The stream is [x_1 .. x_n, SEP, y_1 .. y_n] with
//
//   y_i = x_{i-w+1} + .. + x_i  mod m,   x_j = 0 for j < 1,   w = window, m = numbers + 1
//
// so y_1 = x_1. The rungs of the ladder: no output is known; y_1 is known; all outputs are known. Without the input,
// y_i is the sum of min(i, w) uniform numbers. A sum of two or more is nearly uniform over 0 .. m-1.
//
// The loss stays at the second rung, and then falls suddenly (Gopalani and Hu, What happens during the loss plateau?
// 2025).
#include <fmt/format.h>

#include <algorithm>

#include "fovea/data/tasks/streams/input_output.h"

namespace fovea {

namespace {

class Mws final : public InputOutput {
 public:
  Mws() : InputOutput("mws") {}

  void settings(Fields& fields) override {
    InputOutput::settings(fields);
    fields.integer("window", window_, 1, 2000, "how many numbers are summed");
  }

  void prepare(std::uint64_t seed) override {
    InputOutput::prepare(seed);
    if (window_ > length())
      throw wrong_input(fmt::format("window of task 'mws' is {}, but n is {}", window_, length()),
                        "set window to at most n");
  }

  std::vector<std::string> rungs() const override { return {"nothing", "first", "all"}; }

 private:
  void make_output(std::span<const int> x, std::span<int> y) const override {
    int sum = 0;
    for (int i = 0; i < length(); ++i) {
      sum += x[at(i)];
      if (i >= window_) sum -= x[at(i - window_)];
      y[at(i)] = sum % modulus();
    }
  }

  int pattern_width() const override { return window_; }
  void write_right_positions(int i, std::span<int> positions) const override {
    const int first = std::max(0, i - window_ + 1);
    for (int from = first; from <= i; ++from) positions[at(from - first)] = from;
  }

  void predict_output(int rung, const Example& example, int i, std::span<float> said) const override {
    if (rung == 2 || (rung == 1 && i == 0)) predict_token(said, example.y[at(i)]);
    else predict_sum(std::min(i + 1, window_), said);
  }

  int window_ = 2;
};

const Register<Task> mws("mws", "each output is the sum of the last few inputs up to it, modulo a number",
                         [] { return std::make_unique<Mws>(); });

}  // namespace

}  // namespace fovea
