// Task `sink`, a bigram chain with back-copies (room data/tasks/streams). lab/spec makes it by name for a run. It
// reads its settings and seed only. There is one chain for all sources, but a trigger is followed by the token before
// it. Triggers therefore need earlier positions, and other tokens do not.
//
//   rows of the chain      P_i ~ Dirichlet(alpha, .., alpha), drawn from the seed; the triggers are the first tokens
//   first token            even, no trigger; or, with a start token, that one, and then such a token
//   after a trigger        the token before it
//   after another          from its row
//
// So two triggers are never neighbours. With u_t(j) the chance of token j in position t, exactly and of all sources:
//
//   u_0(j) = 1 / (V - triggers) for j no trigger, 0 for triggers
//   u_t(j) = sum over i no trigger of u_{t-1}(i) P_ij + [j no trigger] u_{t-2}(j) sum over triggers r of P_jr
//
// The rungs of the ladder predict the token after position t with
//
//   uniform     1 / V
//   unigram     u_{t+1}
//   bigram      the row of the token x_t; of a trigger r, u_{t-1}(j) P_jr / u_t(r) for token j; of the start token u_1
//   back-copy   the row of the token x_t; of a trigger, the token before it
//
// If no position is needed, softmax attention goes to the first token (Guo, Pai, Bai, Jiao, Jordan and Mei,
// Active-dormant attention heads, 2024).
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

class Sink final : public Task, public Ladder {
 public:
  void settings(Fields& fields) override {
    fields.integer("vocab", vocab_, 2, 512, "tokens, triggers included");
    fields.integer("length", length_, 2, 2048, "tokens in a source");
    fields.integer("triggers", triggers_, 1, 511, "tokens after which the previous token returns");
    fields.flag("start_token", start_token_, "begin every source with a token that occurs nowhere else");
    fields.number("alpha", alpha_, 0.01, 1000, "rows of the chain are drawn from Dirichlet(alpha, .., alpha)");
  }

  void prepare(std::uint64_t seed) override {
    if (triggers_ >= vocab_)
      throw wrong_input(fmt::format("task 'sink' has {} triggers among {} tokens", triggers_, vocab_),
                        "set triggers to less than vocab");
    seed_ = seed;
    chain_.resize(at(vocab_) * at(vocab_));
    const std::vector<double> shapes(at(vocab_), alpha_);
    RandomStream stream(seed, "sink.chain");
    for (int i = 0; i < vocab_; ++i)
      draw_dirichlet(stream, shapes, std::span(chain_).subspan(at(i) * shapes.size(), shapes.size()));
    find_chances();
  }

  TaskShape shape() const override { return stream_shape(vocab_ + begin(), vocab_, length_); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    begin_streams(batch, size, length_);
    for (int row = 0; row < size; ++row) {
      RandomStream stream = example_stream(seed_, "sink", split, step, static_cast<std::uint64_t>(row));
      int before = -1;
      int token = triggers_ + static_cast<int>(stream.integer(static_cast<std::uint64_t>(vocab_ - triggers_)));
      if (start_token_) {
        batch.source.at(row, 0) = vocab_;
        batch.target.at(row, 0) = token;
      }
      for (int t = begin(); t < length_; ++t) {
        batch.source.at(row, t) = token;
        if (is_trigger(token)) batch.alignment[at(row) * at(length_) + at(t)] = t - 1;
        const int next = is_trigger(token) ? before : draw_index(stream, row_of(token));
        batch.target.at(row, t) = next;
        before = token;
        token = next;
      }
    }
  }

  const Ladder* ladder() const override { return this; }
  std::vector<std::string> rungs() const override { return {"uniform", "unigram", "bigram", "back-copy"}; }

  void predict(const Batch& batch, int rung, Matrix<float> probabilities) const override {
    each_asked(batch, probabilities, [&](int b, int t, std::span<float> said) {
      const int token = batch.source.at(b, t);
      if (rung == 0) return predict_uniform(said, 0, vocab_);
      if (rung == 3 && is_trigger(token)) return predict_token(said, batch.source.at(b, t - 1));
      for (int j = 0; j < vocab_; ++j) {
        double p = chance(t + 1, j);
        if (rung < 2 || token == vocab_) {
          said[at(j)] = static_cast<float>(p);
          continue;
        }
        if (is_trigger(token)) p = is_trigger(j) ? 0 : chance(t - 1, j) * row_of(j)[at(token)] / chance(t, token);
        else p = row_of(token)[at(j)];
        said[at(j)] = static_cast<float>(p);
      }
    });
  }

  std::string word(int token) const override {
    if (token == vocab_) return "<start>";
    return is_trigger(token) ? fmt::format("<trigger {}>", token) : std::to_string(token);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool is_trigger(int token) const { return token < triggers_; }
  std::span<const double> row_of(int token) const {
    return std::span(chain_).subspan(at(token) * at(vocab_), at(vocab_));
  }
  int begin() const { return start_token_ ? 1 : 0; }  // the position of the chain's first token
  double chance(int t, int token) const { return chances_[at(t - begin()) * at(vocab_) + at(token)]; }

  void find_chances() {
    const std::size_t vocab = at(vocab_);
    chances_.assign(at(length_ + 1) * vocab, 0.0);
    for (int j = triggers_; j < vocab_; ++j) chances_[at(j)] = 1.0 / (vocab_ - triggers_);
    for (int t = 1; t <= length_; ++t) {
      double* const now = chances_.data() + at(t) * vocab;
      for (int i = triggers_; i < vocab_; ++i) {
        const double before = now[i - static_cast<std::ptrdiff_t>(vocab)];
        for (std::size_t j = 0; j < vocab; ++j) now[j] += before * row_of(i)[j];
        if (t < 2) continue;
        double returns = 0;
        for (int r = 0; r < triggers_; ++r) returns += row_of(i)[at(r)];
        now[i] += now[i - 2 * static_cast<std::ptrdiff_t>(vocab)] * returns;
      }
    }
  }

  int vocab_ = 64;
  int length_ = 64;
  int triggers_ = 3;
  bool start_token_ = false;
  double alpha_ = 1;

  std::uint64_t seed_ = 0;
  std::vector<double> chain_;    // (vocab, vocab)
  std::vector<double> chances_;  // (length + 1, vocab) of each token in each position
};

const Register<Task> sink("sink", "a chain of tokens; after a trigger, the token before the trigger returns",
                          [] { return std::make_unique<Sink>(); });

}  // namespace

}  // namespace fovea
