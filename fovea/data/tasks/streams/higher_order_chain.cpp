// Task `higher-order-chain`: each example is the course of a Markov chain of order k of its own (room
// data/tasks/streams). lab/spec makes it by name for a run. The next token depends on the k before it:
//
//   rows of the chain      P_c ~ Dirichlet(alpha, .., alpha) for each context c of k tokens, drawn for each example
//   first k tokens         evenly, independently
//   each later one         from the row of the k before it
//
// The question is the token x_T after the T tokens of the source. Losses and rungs are of its row of the chain; the
// target is one draw from it. A rung sees the tokens at certain lags before x_T. There are V states. A position t, k
// <= t < T, counts if the tokens at these lags before t equal the tokens at these lags before x_T. Of the positions
// that count, n_v have the token v:
//
//   uniform       1 / V
//   unigram       (n_v + c) / (sum n + V c), at no lag
//   lag-j         the same at lag j alone
//   lags-1-..-j   at lags 1 to j; of lags 1 to k it is the best that can be done without the chain
//   truth         the row
//
// c is alpha at lags 1 to k. At others it is the one of a list that has the least loss on examples drawn for it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/base/functions/functions.h"
#include "fovea/base/random.h"
#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/ladder.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/streams/ladder_rows.h"
#include "fovea/data/tasks/streams/markov_chain.h"

namespace fovea {

namespace {

constexpr std::array additions{0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0};
constexpr std::int64_t most_contexts = 4096;

class HigherOrderChain final : public Task, public Ladder {
 public:
  void settings(Fields& fields) override {
    fields.integer("states", states_, 2, 64, "tokens, which are the states of the chains");
    fields.integer("order", order_, 1, 4, "tokens that the next one depends on");
    fields.integer("length", length_, 2, 10'000, "tokens in a source");
    fields.number("alpha", alpha_, 0.1, 1000, "rows of the chains are drawn from Dirichlet(alpha, .., alpha)");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    contexts_ = 1;
    for (int lag = 1; lag <= order_ && contexts_ <= most_contexts; ++lag) contexts_ *= states_;
    if (contexts_ > most_contexts)
      throw wrong_input(fmt::format("task 'higher-order-chain' has more than {} contexts", most_contexts),
                        "use fewer states, or a lower order");
    if (length_ <= order_)
      throw wrong_input(fmt::format("task 'higher-order-chain' has {} tokens, and the order is {}", length_, order_),
                        "use a larger length");
    shapes_.assign(at(states_), alpha_);
    make_rungs();
    find_additions();
  }

  TaskShape shape() const override { return stream_shape(states_, states_, length_); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    const int last = length_ - 1;
    begin_streams(batch, size, length_);
    batch.truth.assign(at(size) * at(length_) * at(states_), 0.0f);
    Chain chain(*this);
    for (int row = 0; row < size; ++row) {
      RandomStream stream = example_stream(seed_, "higher-order-chain", split, step, static_cast<std::uint64_t>(row));
      const std::span<const double> next = chain.draw(stream, batch.source.row(row));
      batch.target.at(row, last) = draw_index(stream, next);
      float* const truth = batch.truth.data() + (at(row) * at(length_) + at(last)) * at(states_);
      for (std::size_t v = 0; v < next.size(); ++v) truth[v] = static_cast<float>(next[v]);
    }
  }

  const Ladder* ladder() const override { return this; }
  bool answers_are_distributions() const override { return true; }
  std::vector<std::string> rungs() const override {
    std::vector<std::string> names{"uniform"};
    for (const Rung& rung : rungs_) names.push_back(rung.name);
    names.emplace_back("truth");
    return names;
  }

  void predict(const Batch& batch, int rung, Matrix<float> probabilities) const override {
    const auto number = at(rung);
    std::vector<double> counts(at(states_));
    each_asked(batch, probabilities, [&](int b, int t, std::span<float> said) {
      if (rung == 0) return predict_uniform(said, 0, states_);
      if (number == rungs_.size() + 1) {
        std::copy_n(batch.truth.begin() + (std::ptrdiff_t{b} * length_ + t) * states_, states_, said.begin());
        return;
      }
      const double c = rungs_[number - 1].addition, sum = count(batch.source.row(b), rungs_[number - 1].lags, counts);
      for (std::size_t v = 0; v < said.size(); ++v) said[v] = static_cast<float>((counts[v] + c) / (sum + states_ * c));
    });
  }

 private:
  struct Rung {
    std::string name;
    std::vector<int> lags;
    double addition = 0;  // c
  };
  // The rows of one example's chain.
  struct Chain {
    explicit Chain(const HigherOrderChain& task)
        : of(task), rows(at(static_cast<int>(task.contexts_)) * at(task.states_)) {}

    // Draws a chain and its course; the row of the token after it.
    std::span<const double> draw(RandomStream& stream, std::span<int> tokens) {
      const std::size_t V = at(of.states_), k = at(of.order_), contexts = rows.size() / V;
      for (std::size_t c = 0; c < contexts; ++c) draw_dirichlet(stream, of.shapes_, std::span(rows).subspan(c * V, V));
      std::size_t context = 0;
      for (std::size_t t = 0; t < tokens.size(); ++t) {
        tokens[t] = t < k ? static_cast<int>(stream.integer(V)) : draw_index(stream, row(context));
        context = (context * V + at(tokens[t])) % contexts;
      }
      return row(context);
    }
    std::span<const double> row(std::size_t context) const {
      return std::span(rows).subspan(context * at(of.states_), at(of.states_));
    }

    const HigherOrderChain& of;
    std::vector<double> rows;  // (contexts, V), the newest token of a context last
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void make_rungs() {
    rungs_ = {{"unigram", {}, 0}};
    for (int lag = 1; lag <= order_; ++lag) rungs_.push_back({fmt::format("lag-{}", lag), {lag}, 0});
    std::string name = "lags-1";
    for (int lag = 2; lag <= order_; ++lag) {
      std::vector<int> lags(at(lag));
      std::iota(lags.begin(), lags.end(), 1);
      rungs_.push_back({name += fmt::format("-{}", lag), lags, 0});
    }
    rungs_.back().addition = alpha_;
  }

  // n_v of a source's tokens; their sum.
  double count(std::span<const int> tokens, const std::vector<int>& lags, std::span<double> counts) const {
    std::ranges::fill(counts, 0.0);
    double sum = 0;
    for (std::size_t t = at(order_); t < tokens.size(); ++t) {
      const bool alike =
          std::ranges::all_of(lags, [&](int lag) { return tokens[t - at(lag)] == tokens[tokens.size() - at(lag)]; });
      if (!alike) continue;
      counts[at(tokens[t])] += 1;
      ++sum;
    }
    return sum;
  }

  void find_additions() {
    std::vector<int> tokens(at(length_));
    std::vector<double> counts(at(states_));
    std::vector<std::array<double, additions.size()>> losses(rungs_.size());
    Chain chain(*this);
    const auto drawn = std::clamp<std::int64_t>(2'000'000 / (contexts_ * states_ + length_), 100, 4000);
    for (std::int64_t m = 0; m < drawn; ++m) {
      RandomStream stream(seed_, "higher-order-chain.additions", static_cast<std::uint64_t>(m));
      const std::span<const double> truth = chain.draw(stream, tokens);
      for (std::size_t r = 0; r + 1 < rungs_.size(); ++r) {
        const double sum = count(tokens, rungs_[r].lags, counts);
        for (std::size_t i = 0; i < additions.size(); ++i)
          for (std::size_t v = 0; v < counts.size(); ++v)
            losses[r][i] -= truth[v] * math::log((counts[v] + additions[i]) / (sum + states_ * additions[i]));
      }
    }
    for (std::size_t r = 0; r + 1 < rungs_.size(); ++r) {
      const auto least = std::min_element(losses[r].begin(), losses[r].end());
      rungs_[r].addition = additions[static_cast<std::size_t>(least - losses[r].begin())];
    }
  }

  int states_ = 3, order_ = 2, length_ = 64;
  double alpha_ = 1;

  std::uint64_t seed_ = 0;
  std::int64_t contexts_ = 1;   // states to the power of the order
  std::vector<double> shapes_;  // (states) alpha
  std::vector<Rung> rungs_;     // from unigram to the longest context
};

const Register<Task> higher_order_chain("higher-order-chain",
                                        "each example is a sequence of its own Markov chain of order k",
                                        [] { return std::make_unique<HigherOrderChain>(); });

}  // namespace

}  // namespace fovea
