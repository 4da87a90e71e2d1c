// Task `binary-chain`: one Markov chain of two states for all sequences, from its stationary law (room
// data/tasks/streams). lab/spec makes it by name for a run. It reads its settings and seed only. With p = P(0 → 1)
// and q = P(1 → 0):
//
//   P(x_0 = 1) = p / (p + q)        P(x_(t+1) = 1 | x_t) = p if x_t = 0, else 1 - q
//
// At each position the next state is asked. The rungs of the ladder are, with π = p / (p + q):
//
//   uniform     1/2
//   unigram     1 - π, π
//   bigram      the chain
//
// The entropies of the last two are the same for (p, q) and (1 - p, 1 - q) if p = q. The sign of λ = 1 - p - q, the
// correlation of neighbours, differs: states with λ > 0 tend to stay, and those with λ < 0 alternate.
#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/ladder.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/streams/ladder_rows.h"

namespace fovea {

namespace {

class BinaryChain final : public Task, public Ladder {
 public:
  void settings(Fields& fields) override {
    fields.number("to_one", to_one_, 1e-6, 1 - 1e-6, "probability of 1 after 0");
    fields.number("to_zero", to_zero_, 1e-6, 1 - 1e-6, "probability of 0 after 1");
    fields.integer("length", length_, 1, 10'000, "states in a source");
  }

  void prepare(std::uint64_t seed) override { seed_ = seed; }
  TaskShape shape() const override { return stream_shape(2, 2, length_); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    begin_streams(batch, size, length_);
    for (int row = 0; row < size; ++row) {
      RandomStream stream = example_stream(seed_, "binary-chain", split, step, static_cast<std::uint64_t>(row));
      int state = stream.uniform() < stationary() ? 1 : 0;
      for (int t = 0; t < length_; ++t) {
        batch.source.at(row, t) = state;
        state = stream.uniform() < after(state) ? 1 : 0;
        batch.target.at(row, t) = state;
      }
    }
  }

  const Ladder* ladder() const override { return this; }
  std::vector<std::string> rungs() const override { return {"uniform", "unigram", "bigram"}; }

  void predict(const Batch& batch, int rung, Matrix<float> probabilities) const override {
    each_asked(batch, probabilities, [&](int b, int t, std::span<float> said) {
      const double one = rung == 0 ? 0.5 : rung == 1 ? stationary() : after(batch.source.at(b, t));
      said[0] = static_cast<float>(1 - one);
      said[1] = static_cast<float>(one);
    });
  }

 private:
  double stationary() const { return to_one_ / (to_one_ + to_zero_); }
  double after(int state) const { return state == 0 ? to_one_ : 1 - to_zero_; }

  double to_one_ = 0.2, to_zero_ = 0.2;
  int length_ = 16;
  std::uint64_t seed_ = 0;
};

const Register<Task> binary_chain("binary-chain", "the next state of one Markov chain of two states",
                                  [] { return std::make_unique<BinaryChain>(); });

}  // namespace

}  // namespace fovea
