// Task `stream-repeat`: [x_1 .. x_n, SEP, y_1 .. y_n] in blocks (room data/tasks/streams). lab/spec makes it by name
// for a run. It reads its settings and seed only. Input and output are divided into `blocks` of the same length. Each
// block of the output repeats the first number of the same block of the input: y_i = x_1 of one block.
//
// The rungs of the ladder: no output is known; y_i = y_{i-1} within a block is known; all outputs are known.
#include <fmt/format.h>

#include "fovea/data/tasks/streams/input_output.h"

namespace fovea {

namespace {

class StreamRepeat final : public InputOutput {
 public:
  StreamRepeat() : InputOutput("stream-repeat") {}

  void settings(Fields& fields) override {
    InputOutput::settings(fields);
    fields.integer("blocks", blocks_, 1, 2000, "how many numbers are repeated, each in its own part of the output");
  }

  void prepare(std::uint64_t seed) override {
    InputOutput::prepare(seed);
    if (length() % blocks_ != 0)
      throw wrong_input(fmt::format("{} numbers of task 'stream-repeat' cannot be cut into {} blocks of one length",
                                    length(), blocks_),
                        "set n to a multiple of blocks");
  }

  std::vector<std::string> rungs() const override { return {"nothing", "previous", "all"}; }

 private:
  int source_of(int i) const { return i - i % (length() / blocks_); }

  void make_output(std::span<const int> x, std::span<int> y) const override {
    for (int i = 0; i < length(); ++i) y[at(i)] = x[at(source_of(i))];
  }

  int pattern_width() const override { return 1; }
  void write_right_positions(int i, std::span<int> positions) const override { positions[0] = source_of(i); }

  void predict_output(int rung, const Example& example, int i, std::span<float> said) const override {
    if (rung == 2) predict_token(said, example.y[at(i)]);
    else if (rung == 1 && source_of(i) != i) predict_token(said, example.current);
    else predict_uniform(said, 1, numbers());
  }

  int blocks_ = 1;
};

const Register<Task> stream_repeat("stream-repeat", "a stream of numbers, and then the first again and again",
                                   [] { return std::make_unique<StreamRepeat>(); });

}  // namespace

}  // namespace fovea
