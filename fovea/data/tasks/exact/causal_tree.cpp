// Task `causal-tree`: one tree of parents for all examples, and a chain of its own for each (room data/tasks/exact).
// lab/spec makes it by name for a run. It reads its settings and seed only. Positions are 0 .. T-1:
//
//   parents    p(i) in 0 .. i-1 for i = 1 .. T-2, drawn evenly from the seed; 0 and T-1 have none
//   rows       P_s ~ Dirichlet(alpha, .., alpha), drawn for each example
//   x_0, x_(T-1)   even
//   x_i        from row x_p(i)
//   answer     from row x_(T-1), asked at T-1
//
// So the positions whose parents have the token x_(T-1) predict the answer; the model must find these positions. The
// right position of i = 1 .. T-2 is its parent. The right positions of T-1 are the positions just named.
//
// There are S states. The source has n_j tokens j, and m_j of them are at the right positions of T-1. The rungs of the
// ladder predict token j with
//
//   nothing   1 / S
//   bag       (n_j + 1) / (T + S)
//   bayes     (m_j + alpha) / (sum m + S alpha)    the best: positions without parents have no information on the rows
//
// (Nichani, Damian and Lee, How transformers learn causal structure with gradient descent, 2024; there roots are
// drawn from the chain's law at rest.)
#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/ladder.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/streams/ladder_rows.h"
#include "fovea/data/tasks/streams/markov_chain.h"

namespace fovea {

namespace {

class CausalTree final : public Task, public Ladder {
 public:
  void settings(Fields& fields) override {
    fields.integer("states", states_, 2, 64, "tokens, which are the states of the chains");
    fields.integer("length", length_, 3, 1024, "tokens in a source");
    fields.number("alpha", alpha_, 0.01, 1000, "rows of the chains are drawn from Dirichlet(alpha, .., alpha)");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    shapes_.assign(at(states_), alpha_);
    parents_.assign(at(length_), -1);
    RandomStream stream(seed, "causal-tree.parents");
    for (int i = 1; i < length_ - 1; ++i)
      parents_[at(i)] = static_cast<int>(stream.integer(static_cast<std::uint64_t>(i)));
  }

  TaskShape shape() const override { return stream_shape(states_, states_, length_); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    const std::size_t k = at(states_), T = at(length_), most = T - 2;
    batch.size = size;
    batch.source.resize(size, length_);
    batch.target.resize(size, length_);
    batch.pattern_width = length_ - 2;
    batch.pattern.assign(at(size) * T * most, -1);
    std::vector<double> chain(k * k);
    for (int row = 0; row < size; ++row) {
      RandomStream stream = example_stream(seed_, "causal-tree", split, step, static_cast<std::uint64_t>(row));
      for (std::size_t s = 0; s < k; ++s) draw_dirichlet(stream, shapes_, std::span(chain).subspan(s * k, k));
      const auto next = [&](int token) {
        return draw_index(stream, std::span<const double>(chain.data() + at(token) * k, k));
      };
      for (int t = 0; t < length_; ++t) {
        const int parent = parents_[at(t)];
        batch.source.at(row, t) = parent < 0 ? static_cast<int>(stream.integer(k)) : next(batch.source.at(row, parent));
        if (parent >= 0) batch.pattern[(at(row) * T + at(t)) * most] = parent;
      }
      const int last = length_ - 1, query = batch.source.at(row, last);
      batch.target.at(row, last) = next(query);
      auto position = batch.pattern.begin() + static_cast<std::ptrdiff_t>((at(row) * T + at(last)) * most);
      each_told(batch, row, query, [&](int t) { *position++ = t; });
    }
  }

  const Ladder* ladder() const override { return this; }
  std::vector<std::string> rungs() const override { return {"nothing", "bag", "bayes"}; }

  void predict(const Batch& batch, int rung, Matrix<float> probabilities) const override {
    each_asked(batch, probabilities, [&](int b, int t, std::span<float> said) {
      if (rung == 0) return predict_uniform(said, 0, states_);
      const double start = rung == 1 ? 1 : alpha_;
      double sum = states_ * start;
      std::fill(said.begin(), said.end(), static_cast<float>(start));
      const auto count = [&](int position) { said[at(batch.source.at(b, position))] += 1, sum += 1; };
      if (rung == 2) each_told(batch, b, batch.source.at(b, t), count);
      else
        for (int position = 0; position <= t; ++position) count(position);
      for (float& p : said) p = static_cast<float>(static_cast<double>(p) / sum);
    });
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // visit(position) for the positions that tell of the row of `token`: those whose parents hold it.
  template <class Visit>
  void each_told(const Batch& batch, int row, int token, Visit visit) const {
    for (int t = 1; t < length_ - 1; ++t)
      if (batch.source.at(row, parents_[at(t)]) == token) visit(t);
  }

  int states_ = 5;
  int length_ = 10;
  double alpha_ = 0.1;

  std::uint64_t seed_ = 0;
  std::vector<double> shapes_;  // (states) alpha
  std::vector<int> parents_;    // (length)
};

const Register<Task> causal_tree("causal-tree", "one tree of parents for all examples, and one Markov chain for each",
                                 [] { return std::make_unique<CausalTree>(); });

}  // namespace

}  // namespace fovea
