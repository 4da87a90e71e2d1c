// Task `markov-icl`: each example is a sequence of a Markov chain of its own (room data/tasks/streams). lab/spec
// makes it by name for a run. It reads its settings and seed only. Only the earlier tokens of the example predict the
// next one.
//
//   rows of the chain      P_i ~ Dirichlet(alpha, .., alpha), drawn for each example
//   first token            from the distribution pi = pi P
//   each later one         from the row of the one before it
//
// doubly: columns sum to 1 too, and pi is uniform: the frequency of tokens gives no information. With two states the
// chain is then [[p, 1-p], [1-p, p]] with (p, 1-p) ~ Dirichlet(alpha, alpha). With more, rows and columns of the drawn
// chain are divided by their sums in turn until both are 1. (These are not uniform among all doubly stochastic
// matrices.)
//
// There are k states. Among x_0 .. x_t, n_j tokens are j, and m_j tokens j follow an earlier copy of x_t. The rungs of
// the ladder predict token j after x_t with (sums over all j):
//
//   uniform   1 / k
//   unigram   (n_j + alpha) / (sum n + k alpha)
//   bigram    (m_j + alpha) / (sum m + k alpha)      nearly the best: x_0, from pi, has a little more information on P
//   truth     P[x_t][j]                              which no model can know
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/ladder.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/streams/ladder_rows.h"
#include "fovea/data/tasks/streams/markov_chain.h"

namespace fovea {

namespace {

class MarkovIcl final : public Task, public Ladder {
 public:
  void settings(Fields& fields) override {
    fields.integer("states", states_, 2, 64, "tokens, which are the states of the chains");
    fields.integer("length", length_, 1, 10'000, "tokens in a source");
    fields.number("alpha", alpha_, 0.1, 1000, "rows of the chains are drawn from Dirichlet(alpha, .., alpha)");
    fields.flag("doubly", doubly_,
                "make the columns of the chains sum to 1 too, so that all tokens are equally frequent");
    fields.choice("ask", ask_, {{"all", Ask::all}, {"last", Ask::last}},
                  "ask for the next token at each position, or only at the last");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    shapes_.assign(at(states_), alpha_);
  }

  TaskShape shape() const override { return stream_shape(states_, states_, length_); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    const std::size_t k = at(states_), rows = at(size) * at(length_);
    begin_streams(batch, size, length_);
    batch.truth.assign(rows * k, 0.0f);
    std::vector<double> chain(k * k), rest(k), scratch(k * k);
    for (int row = 0; row < size; ++row) {
      RandomStream stream = example_stream(seed_, "markov-icl", split, step, static_cast<std::uint64_t>(row));
      draw_chain(stream, chain, rest, scratch);
      int token = draw_index(stream, rest);
      for (int t = 0; t < length_; ++t) {
        const std::span<const double> next(chain.data() + at(token) * k, k);
        batch.source.at(row, t) = token;
        token = draw_index(stream, next);
        if (ask_ == Ask::last && t < length_ - 1) continue;
        batch.target.at(row, t) = token;
        float* const truth = batch.truth.data() + (at(row) * at(length_) + at(t)) * k;
        for (std::size_t j = 0; j < k; ++j) truth[j] = static_cast<float>(next[j]);
      }
    }
  }

  const Ladder* ladder() const override { return this; }
  std::vector<std::string> rungs() const override { return {"uniform", "unigram", "bigram", "truth"}; }

  void predict(const Batch& batch, int rung, Matrix<float> probabilities) const override {
    std::vector<int> counts(at(states_));
    each_asked(batch, probabilities, [&](int b, int t, std::span<float> said) {
      if (rung == 0) return predict_uniform(said, 0, states_);
      if (rung == 3) {
        const auto truth =
            batch.truth.begin() + (std::ptrdiff_t{b} * length_ + t) * static_cast<std::ptrdiff_t>(states_);
        std::copy_n(truth, states_, said.begin());
        return;
      }
      std::fill(counts.begin(), counts.end(), 0);
      int sum = 0;
      const auto count = [&](int token) { ++counts[at(token)], ++sum; };
      if (rung == 1) {
        for (int s = 0; s <= t; ++s) count(batch.source.at(b, s));
      } else {
        for (int s = 0; s < t; ++s) {
          if (batch.source.at(b, s) == batch.source.at(b, t)) count(batch.source.at(b, s + 1));
        }
      }
      for (std::size_t j = 0; j < said.size(); ++j)
        said[j] = static_cast<float>((counts[j] + alpha_) / (sum + states_ * alpha_));
    });
  }

 private:
  enum class Ask { all, last };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void draw_chain(RandomStream& stream, std::span<double> chain, std::span<double> rest,
                  std::span<double> scratch) const {
    const std::size_t k = at(states_);
    if (doubly_ && k == 2) {
      draw_dirichlet(stream, shapes_, chain.first(2));
      chain[2] = chain[1];
      chain[3] = chain[0];
    } else {
      for (std::size_t i = 0; i < k; ++i) draw_dirichlet(stream, shapes_, chain.subspan(i * k, k));
      if (doubly_) balance(chain, scratch.first(k));
    }
    if (doubly_) std::fill(rest.begin(), rest.end(), 1 / static_cast<double>(k));
    else find_rest(chain, rest, scratch);
  }

  int states_ = 3;
  int length_ = 100;
  double alpha_ = 1;
  bool doubly_ = false;
  Ask ask_ = Ask::all;

  std::uint64_t seed_ = 0;
  std::vector<double> shapes_;  // (states) alpha
};

const Register<Task> markov_icl("markov-icl", "each example is a sequence of its own Markov chain",
                                [] { return std::make_unique<MarkovIcl>(); });

}  // namespace

}  // namespace fovea
