// Task `prefix-sum`: sums of all inputs so far (room data/tasks/streams). lab/spec makes it by name for a run. It
// reads its settings and seed only. The stream is [x_1 .. x_n, SEP, y_1 .. y_n] with
//
//   y_i = x_1 + .. + x_i  mod m,   m = numbers + 1
//
// y_i = y_{i-1} + x_i, so its right positions are the positions of y_{i-1} and x_i. The rungs of the ladder: no output
// is known; y_1 is known; y_i is known to differ from y_{i-1}, too; all outputs are known.
#include "fovea/data/tasks/streams/input_output.h"

namespace fovea {

namespace {

class PrefixSum final : public InputOutput {
 public:
  PrefixSum() : InputOutput("prefix-sum") {}

  std::vector<std::string> rungs() const override { return {"nothing", "first", "previous", "all"}; }

 private:
  void make_output(std::span<const int> x, std::span<int> y) const override {
    int sum = 0;
    for (int i = 0; i < length(); ++i) y[at(i)] = sum = (sum + x[at(i)]) % modulus();
  }

  int pattern_width() const override { return 2; }
  void write_right_positions(int i, std::span<int> positions) const override {
    positions[0] = i;
    if (i > 0) positions[1] = position_of_output(i);
  }

  void predict_output(int rung, const Example& example, int i, std::span<float> said) const override {
    if (rung == 3 || (rung > 0 && i == 0)) return predict_token(said, example.y[at(i)]);
    if (rung < 2) return predict_sum(i + 1, said);
    for (float& p : said.first(at(modulus()))) p = 1 / static_cast<float>(numbers());
    said[at(example.current)] = 0;
  }
};

const Register<Task> prefix_sum("prefix-sum", "each output is the sum of all inputs up to it, modulo a number",
                                [] { return std::make_unique<PrefixSum>(); });

}  // namespace

}  // namespace fovea
