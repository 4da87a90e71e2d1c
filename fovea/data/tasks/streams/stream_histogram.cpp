// Task `stream-histogram`: [x_1 .. x_n, SEP, y_1 .. y_n] with y_i the count of j for which x_j = x_i, i included
// (room data/tasks/streams). lab/spec makes it by name for a run. It reads its settings and seed only.
//
// The ladder has three rungs. Without the input, y_i - 1 is binomial, of n-1 draws with probability 1 / numbers. With
// the bag of the input, y_i is one of the n counts. At the last rung all outputs are known.
#include <algorithm>

#include "fovea/base/functions/functions.h"
#include "fovea/data/tasks/streams/input_output.h"

namespace fovea {

namespace {

class StreamHistogram final : public InputOutput {
 public:
  StreamHistogram() : InputOutput("stream-histogram") {}

  std::vector<std::string> rungs() const override { return {"nothing", "bag", "all"}; }

 private:
  int most_value() const override { return std::max(numbers(), length()); }

  void make_output(std::span<const int> x, std::span<int> y) const override {
    for (int i = 0; i < length(); ++i) y[at(i)] = static_cast<int>(std::count(x.begin(), x.end(), x[at(i)]));
  }

  void predict_output(int rung, const Example& example, int i, std::span<float> said) const override {
    if (rung == 2) return predict_token(said, example.y[at(i)]);
    if (rung == 1) {
      for (const int count : example.y) said[at(count)] += 1 / static_cast<float>(length());
      return;
    }
    const int draws = length() - 1;
    const double chance = 1.0 / numbers();
    double log_p = draws * math::log1p(-chance);  // of no other that is the same
    for (int others = 0; others <= draws; ++others) {
      said[at(others + 1)] = static_cast<float>(math::exp(log_p));
      log_p += math::log(static_cast<double>(draws - others) / (others + 1) * chance / (1 - chance));
    }
  }
};

const Register<Task> stream_histogram("stream-histogram", "a stream of numbers, and how often each of them is in it",
                                      [] { return std::make_unique<StreamHistogram>(); });

}  // namespace

}  // namespace fovea
