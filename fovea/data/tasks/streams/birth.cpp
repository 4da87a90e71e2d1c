// Task `birth`: one bigram chain for all sources, with triggers whose successors are drawn for each source (room
// data/tasks/streams). lab/spec makes it by name for a run. It reads its settings and seed only. At a repeated
// trigger, and only there, the token after it is asked: the source itself has the answer.
//
//   rows of the chain      P_i ~ Dirichlet(c z_1, .., c z_V), z_j in proportion to 1 / j, c = concentration, drawn from
//                          the seed
//   triggers               the most frequent tokens of the chain at rest, pi = pi P
//   first token            from pi
//   after trigger r        o_r, drawn for each source evenly from all tokens
//   after another          from its row
//
// The ladder:
//
//   unigram     how often each token is the answer, counted in 8192 sources of the seed's own, which are in no split,
//               with 1 added to each count. This is not even: a trigger that follows itself is asked to the end.
//   bag         uniform attention: n_j / t for token j that occurs n_j times in the positions 1 .. t, where t is asked
//   induction   the token after the trigger's earlier copy
//
// After Bietti, Cabannes, Bouchacourt, Jegou and Bottou, Birth of a transformer: a memory viewpoint, 2023.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/ladder.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/streams/ladder_rows.h"
#include "fovea/data/tasks/streams/markov_chain.h"

namespace fovea {

namespace {

class Birth final : public Task, public Ladder {
 public:
  void settings(Fields& fields) override {
    fields.integer("vocab", vocab_, 2, 512, "tokens, triggers included");
    fields.integer("length", length_, 3, 2048, "tokens in a source");
    fields.integer("triggers", triggers_, 1, 511, "tokens whose successor is drawn for each source");
    fields.number("concentration", concentration_, 1, 100'000, "how close the rows of the chain are to Zipf's law");
  }

  void prepare(std::uint64_t seed) override {
    if (triggers_ >= vocab_)
      throw wrong_input(fmt::format("task 'birth' has {} triggers among {} tokens", triggers_, vocab_),
                        "set triggers to less than vocab");
    seed_ = seed;
    draw_chain();
    count_answers();
  }

  TaskShape shape() const override { return stream_shape(vocab_, vocab_, length_); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    begin_streams(batch, size, length_);
    batch.scratch.resize(at(2 * triggers_));
    for (int row = 0; row < size; ++row) {
      RandomStream stream = example_stream(seed_, "birth", split, step, static_cast<std::uint64_t>(row));
      draw_source(stream, batch.scratch, [&](int t, int token, int next, int from) {
        batch.source.at(row, t) = token;
        if (from < 0) return;
        batch.target.at(row, t) = next;
        batch.alignment[at(row) * at(length_) + at(t)] = from;
      });
    }
  }

  const Ladder* ladder() const override { return this; }
  std::vector<std::string> rungs() const override { return {"unigram", "bag", "induction"}; }

  void predict(const Batch& batch, int rung, Matrix<float> probabilities) const override {
    each_asked(batch, probabilities, [&](int b, int t, std::span<float> said) {
      if (rung == 0) {
        std::copy(answers_.begin(), answers_.end(), said.begin());
      } else if (rung == 1) {
        for (int s = 1; s <= t; ++s) said[at(batch.source.at(b, s))] += 1 / static_cast<float>(t);
      } else {
        int s = 0;
        while (batch.source.at(b, s) != batch.source.at(b, t)) ++s;
        predict_token(said, batch.source.at(b, s + 1));
      }
    });
  }

  std::string word(int token) const override {
    return trigger_of_[at(token)] < 0 ? std::to_string(token) : fmt::format("<trigger {}>", token);
  }

 private:
  static constexpr int counted_sources = 8192;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::span<const double> row_of(int token) const {
    return std::span(chain_).subspan(at(token) * at(vocab_), at(vocab_));
  }

  void draw_chain() {
    const std::size_t vocab = at(vocab_);
    std::vector<double> shapes(vocab), scratch(vocab * vocab);
    double sum = 0;
    for (std::size_t j = 0; j < vocab; ++j) sum += shapes[j] = 1 / static_cast<double>(j + 1);
    for (double& shape : shapes) shape *= concentration_ / sum;
    chain_.resize(vocab * vocab);
    RandomStream stream(seed_, "birth.chain");
    for (std::size_t i = 0; i < vocab; ++i) draw_dirichlet(stream, shapes, std::span(chain_).subspan(i * vocab, vocab));
    rest_.resize(vocab);
    find_rest(chain_, rest_, scratch);
    std::vector<int> order(vocab);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rest_[at(a)] > rest_[at(b)]; });
    trigger_of_.assign(vocab, -1);
    for (int r = 0; r < triggers_; ++r) trigger_of_[at(order[at(r)])] = r;
  }

  // visit(position, token, the token after it, where that stood after the last earlier copy of the token) for each
  // position of a source; the last is -1 if the token is no trigger, or has not stood before.
  template <class Visit>
  void draw_source(RandomStream& stream, std::span<int> scratch, Visit&& visit) const {
    const std::span<int> successors = scratch.first(at(triggers_)), positions = scratch.subspan(at(triggers_));
    for (int& successor : successors) successor = static_cast<int>(stream.integer(static_cast<std::uint64_t>(vocab_)));
    std::fill(positions.begin(), positions.end(), -1);
    int token = draw_index(stream, rest_);
    for (int t = 0; t < length_; ++t) {
      const int trigger = trigger_of_[at(token)];
      const int next = trigger < 0 ? draw_index(stream, row_of(token)) : successors[at(trigger)];
      visit(t, token, next, trigger < 0 ? -1 : positions[at(trigger)]);
      if (trigger >= 0) positions[at(trigger)] = t + 1;
      token = next;
    }
  }

  void count_answers() {
    std::vector<double> counts(at(vocab_), 1.0);
    std::vector<int> scratch(at(2 * triggers_));
    double sum = vocab_;
    for (std::uint64_t source = 0; source < counted_sources; ++source) {
      RandomStream stream(seed_, "birth.unigram", 0, source);
      draw_source(stream, scratch, [&](int, int, int next, int from) {
        if (from >= 0) ++counts[at(next)], ++sum;
      });
    }
    answers_.resize(at(vocab_));
    for (std::size_t j = 0; j < counts.size(); ++j) answers_[j] = static_cast<float>(counts[j] / sum);
  }

  int vocab_ = 65;
  int length_ = 64;
  int triggers_ = 5;
  double concentration_ = 30;

  std::uint64_t seed_ = 0;
  std::vector<double> chain_;    // (vocab, vocab)
  std::vector<double> rest_;     // (vocab)
  std::vector<int> trigger_of_;  // (vocab) which trigger a token is, -1: none
  std::vector<float> answers_;   // (vocab) how often each token is the answer
};

const Register<Task> birth("birth", "a chain of tokens; each source has its own successors of the most frequent ones",
                           [] { return std::make_unique<Birth>(); });

}  // namespace

}  // namespace fovea
