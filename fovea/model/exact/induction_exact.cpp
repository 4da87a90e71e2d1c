// Model `induction-exact` (room model/exact): the three parts of an induction head and nothing else. lab/spec makes it
// by name for a run. It writes only traces and gradients. Tokens are one-hot, so its matrices show the associations
// that it stores. A stream x has positions 0 .. n-1 and V tokens, and C of them may be answers. Each position T that
// asks attends to the positions before it:
//
//   A_ti   = softmax_{i<=t} a_(t-i)                 a (n): a logit for each lag, the same at all positions
//   s_t    = sum_{i<=t} A_ti c M[x_T, x_i]          M (V,V): which token attends to which; t < T
//   alpha  = softmax_{t<T} s_t
//   z      = sum_{t<T} alpha_t c W[x_t]             W (V,C): the answer if a token is attended to
//   loss   = mean cross-entropy of z over the positions that ask
//
// A is the map layer.1.head.1, alpha row T of layer.2.head.1, of which rows that ask nothing are 0. All parameters
// start at 0, except W, which may start at a multiple of the identity. The factor c is 1, or the root of V. With the
// root, descent moves c M and c W at V times its rate. That is as fast as if all tokens shared one memory, because
// each token is met in one example of V. Backward:
//
//   dalpha_t = c W[x_t] . dz                        dW[x_t] += c alpha_t dz
//   ds_t     = alpha_t (dalpha_t - sum_u alpha_u dalpha_u)
//   dM[x_T, x_i] += c sum_t ds_t A_ti               dA_ti += ds_t c M[x_T, x_i]
//   da_(t-i) += A_ti (dA_ti - sum_k A_tk dA_tk)
//
// Rules of attention change A and alpha as they change those of other models (nn/attention/attention_rule.h). When an
// induction head forms by the gradient flow of this model is theory/causal_induction.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/error/names.h"
#include "fovea/math/vector_math.h"
#include "fovea/model/exact/lag_heads.h"
#include "fovea/model/model.h"
#include "fovea/model/right_positions.h"
#include "fovea/nn/loss.h"

namespace fovea {

namespace {

template <class T>
class InductionExact final : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.flag("shared_pace", shared_pace_,
                "matrices act times the root of the vocabulary, so that descent moves them as one shared memory");
    fields.number("copy", copy_, 0, 1e6, "the output matrix starts at this times the identity");
    fields.texts("frozen", frozen_, "parts that stay as they start: lags, match, output");
  }

  Kind takes() const override { return Kind::token_streams; }
  typename Model<T>::Heads heads() const override { return {{1, 1}, true}; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override;
  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;

 private:
  struct Question {
    Index b = 0, position = 0;  // position: T, and how many are before it
    RuledRow<T> row;
  };
  struct TraceArrays {
    std::span<Question> questions;
    typename LagHeads<T>::Map lags;  // A
    Matrix<T> d_logits;              // (B n,C)
  };

  Group group(const std::string& part, Group otherwise) const {
    return std::ranges::find(frozen_, part) == frozen_.end() ? otherwise : Group::statistics;
  }
  static AttentionRule second_rule(const Trace<T>& trace) { return trace.pass.rules.of(2, 1); }
  static std::span<const int> right_of(const Trace<T>& trace, Index b, Index t) {
    return right_positions(*trace.batch).of(b * trace.batch->source.columns + t);
  }

  void attend(const Trace<T>& trace, const TraceArrays& own, Question& question, std::span<T> matches,
              std::span<T> scores) const;
  T scale() const { return *scale_->value; }
  // c M[x_T, x_i] of the positions before T.
  void write_matches(const Tokens& source, const Question& question, std::span<T> matches) const {
    const auto row = match_->matrix()[source.at(static_cast<int>(question.b), static_cast<int>(question.position))];
    for (Index i = 0; i < question.position; ++i)
      matches[static_cast<std::size_t>(i)] =
          scale() * row(source.at(static_cast<int>(question.b), static_cast<int>(i)));
  }

  bool shared_pace_ = true;
  double copy_ = 0;
  std::vector<std::string> frozen_;
  LagHeads<T> lags_;
  const Param<T>*match_ = nullptr, *output_ = nullptr, *scale_ = nullptr;
};

template <class T>
void InductionExact<T>::build(const TaskShape& shape, ParameterSet<T>& parameters) {
  if (shape.longest < 2 || shape.target_vocab < shape.vocab)
    throw wrong_input("model 'induction-exact' needs a task of streams whose answers are its tokens",
                      "use task 'induction'");
  const std::vector<std::string> known{"lags", "match", "output"};
  for (const std::string& name : frozen_)
    if (std::ranges::find(known, name) == known.end())
      throw wrong_input(fmt::format("model.frozen names '{}', which this model does not have", name),
                        suggest_name(name, known));
  const double c = shared_pace_ ? std::sqrt(shape.vocab) : 1;
  lags_.logits = &parameters.add("lags", {shape.longest}, Init::constant(0), group("lags", Group::attention));
  match_ = &parameters.add("match", {shape.vocab, shape.vocab}, Init::constant(0), group("match", Group::attention));
  output_ = &parameters.add("output", {shape.vocab, shape.target_vocab}, Init::diagonal(copy_ / c),
                            group("output", Group::body));
  scale_ = &parameters.add("scale", {1}, Init::constant(c), Group::statistics);
}

template <class T>
void InductionExact<T>::attend(const Trace<T>& trace, const TraceArrays& own, Question& question, std::span<T> matches,
                               std::span<T> scores) const {
  const AttentionRule rule = second_rule(trace);
  write_matches(trace.batch->source, question, matches);
  for (Index t = 0; t < question.position; ++t)
    scores[static_cast<std::size_t>(t)] = dot(std::span<const T>(own.lags.used(question.b, t)),
                                              std::span<const T>(matches.first(static_cast<std::size_t>(t + 1))));
  weigh_row<T>(rule, question.b, question.position, right_of(trace, question.b, question.position), scores,
               question.row);
}

template <class T>
Trace<T> InductionExact<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  TraceArrays own;
  const Tokens& source = batch.source;
  const Index n = source.columns, C = output_->shape[1];
  own.lags = lags_.weigh(compute, trace, 1);
  const auto asked = static_cast<std::size_t>(std::ranges::count_if(batch.target.ids, [](int id) { return id >= 0; }));
  own.questions = compute.arena.take<Question>(asked);
  std::size_t count = 0;
  for (Index b = 0; b < batch.size; ++b)
    for (Index t = 0; t < n; ++t) {
      if (batch.target.at(static_cast<int>(b), static_cast<int>(t)) < 0) continue;
      const auto row = [&] { return compute.arena.take<T>(static_cast<std::size_t>(t)); };
      own.questions[count++] = {b, t, {row(), row()}};
    }
  trace.scores = compute.zeros<T>(batch.size * n, C);
  const Matrix<T> matches = compute.array<T>(static_cast<Index>(asked), n);
  const Matrix<T> scores = compute.array<T>(static_cast<Index>(asked), n);
  compute.team.split(static_cast<Index>(asked), 8, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      Question& question = own.questions[static_cast<std::size_t>(k)];
      const auto before = static_cast<std::size_t>(question.position);
      attend(trace, own, question, matches[k].flat().first(before), scores[k].flat().first(before));
      for (Index t = 0; t < question.position; ++t)
        add_scaled(
            scale() * question.row.used[static_cast<std::size_t>(t)],
            std::span<const T>(output_->matrix()[source.at(static_cast<int>(question.b), static_cast<int>(t))].flat()),
            trace.scores[question.b * n + question.position].flat());
    }
  });
  trace.answers = batch.target.ids;
  if (pass.training) own.d_logits = compute.array<T>(batch.size * n, C);
  trace.loss = cross_entropy(compute, Matrix<const T>(trace.scores), trace.answers, own.d_logits);
  if (!pass.training) {
    const auto maps = compute.arena.take<AttentionMap<T>>(2);
    maps[0] = {"layer.1.head.1", compute.array<T>(batch.size, n, n)};
    maps[1] = {"layer.2.head.1", compute.zeros<T>(batch.size, n, n)};
    own.lags.copy_to(maps[0].weights);
    for (const Question& question : own.questions)
      std::ranges::copy(question.row.used, maps[1].weights[question.b][question.position].data());
    trace.attention = maps[1].weights;
    trace.further = maps;
  }
  trace.keep(compute, own);
  return trace;
}

// One question after the other: they add to the same matrices.
template <class T>
void InductionExact<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  const Tokens& source = trace.batch->source;
  const Index n = source.columns;
  const AttentionRule second = second_rule(trace);
  const typename LagHeads<T>::Rows d_lags{compute.zeros<T>(own.lags.used.weights.size(0), n, n)};
  const std::span<T> matches = compute.arena.take<T>(static_cast<std::size_t>(n));
  const std::span<T> d_matches = compute.arena.take<T>(static_cast<std::size_t>(n));
  const std::span<T> d = compute.arena.take<T>(static_cast<std::size_t>(n));
  for (const Question& question : own.questions) {
    const auto before = static_cast<std::size_t>(question.position);
    const auto token = [&](std::size_t t) {
      return static_cast<Index>(source.at(static_cast<int>(question.b), static_cast<int>(t)));
    };
    const std::span<const T> dz = own.d_logits[question.b * n + question.position].flat();
    for (std::size_t t = 0; t < before; ++t) {
      d[t] = scale() * dot(std::span<const T>(output_->matrix()[token(t)].flat()), dz);
      if (output_->learns())
        add_scaled(scale() * question.row.used[t], dz, output_->matrix_gradient()[token(t)].flat());
    }
    weigh_row_backward(second, right_of(trace, question.b, question.position), question.row, d.first(before));
    if (!question.row.follows) continue;
    write_matches(source, question, matches);
    std::fill_n(d_matches.begin(), before, T{0});
    for (std::size_t t = 0; t < before; ++t) {
      const auto row = static_cast<Index>(t);
      add_scaled(d[t], std::span<const T>(own.lags.used(question.b, row)), d_matches.first(t + 1));
      if (lags_.learns()) add_scaled(d[t], std::span<const T>(matches.first(t + 1)), d_lags(question.b, row));
    }
    if (!match_->learns()) continue;
    const auto asking = match_->matrix_gradient()[token(before)];
    for (std::size_t i = 0; i < before; ++i) asking(token(i)) += scale() * d_matches[i];
  }
  lags_.backward(trace, own.lags, 1, d_lags);
}

const RegisterModel<InductionExact> induction_exact(
    "induction-exact", "an induction head in three parts: lags, a match of tokens, and an output for each token");

}  // namespace

}  // namespace fovea
