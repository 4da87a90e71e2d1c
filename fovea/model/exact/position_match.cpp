// Model `position-match`: two layers that find the tokens which followed earlier copies of a context, and nothing
// else (room model/exact). lab/spec makes it by name for a run. Heads that attend by position alone add earlier
// tokens to the token of each position. One head then compares these features, and predicts the tokens that it
// attends to. For streams x_b of n positions over V tokens, each position T that asks:
//
//   A_hti  = softmax_{i<=t} a_h,(t-i)                    a (H,n)          model/exact/lag_heads.h
//   f_t    = [onehot(x_t), sum_i A_1ti onehot(x_i), …, sum_i A_Hti onehot(x_i)]            f_t (d), d = V (1 + H)
//   s_t    = f_T' M f_t                                  M (d,d); t <= T
//   alpha  = softmax_{t<=T} s_t
//   q_v    = sum_t alpha_t [x_t = v]
//   z_v    = log(q_v + 1e-8)
//   loss   = mean cross-entropy of z over the positions that ask, of the answer or of its distribution, if given
//
// A_h is the map layer.1.head.h, alpha row T of layer.2.head.1, whose rows are 0 where nothing is asked. a and M start
// at small random numbers. Backward:
//
//   dalpha_t = dz_v / (q_v + 1e-8), v = x_t              ds_t = alpha_t (dalpha_t - sum_u alpha_u dalpha_u)
//   dM   += f_T (sum_t ds_t f_t)'                        df_t += ds_t M' f_T      df_T += M sum_t ds_t f_t
//   dA_hti += the part of df_t that head h brought, at x_i                        da of dA by the heads
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "fovea/base/functions/functions.h"
#include "fovea/math/vector_math.h"
#include "fovea/model/exact/answer_loss.h"
#include "fovea/model/exact/lag_heads.h"
#include "fovea/model/model.h"

namespace fovea {

namespace {

constexpr double least_chance = 1e-8;

template <class T>
class PositionMatch final : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.integer("heads", heads_, 1, 16, "heads of the first layer");
    fields.number("start", start_, 0, 1e3, "standard deviation of all parameters at the start");
  }

  Kind takes() const override { return Kind::token_streams; }
  typename Model<T>::Heads heads() const override { return {{heads_, 1}, true}; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (shape.longest < 1 || shape.target_vocab != shape.vocab)
      throw wrong_input("model 'position-match' needs a task of streams whose answers are its tokens",
                        "use task 'higher-order-chain'");
    vocab_ = shape.vocab;
    lags_.logits = &parameters.add("lags", {heads_, shape.longest}, Init::normal(start_), Group::attention);
    match_ = &parameters.add("match", {width(), width()}, Init::normal(start_), Group::attention);
    for (int head = 1; head <= heads_; ++head) names_.push_back(fmt::format("layer.1.head.{}", head));
    names_.emplace_back("layer.2.head.1");
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;

 private:
  using Lags = LagHeads<T>;
  struct Question {
    Index b = 0, position = 0;  // position: T
    RuledRow<T> row;            // alpha
    std::span<T> query;         // M' f_T (d)
    std::span<T> chances;       // q (V)
  };
  struct TraceArrays {
    std::span<typename Lags::Map> heads;  // A
    Matrix<T> features;                   // f (B n,d)
    std::span<Question> questions;
    Matrix<T> d_logits;  // (B n,V)
  };

  Index width() const { return vocab_ * (1 + heads_); }
  static AttentionRule second_rule(const Trace<T>& trace) { return trace.pass.rules.of(2, 1); }
  static std::span<const int> right_of(const Trace<T>& trace, const Question& question) {
    return right_positions(*trace.batch).of(question.b * trace.batch->source.columns + question.position);
  }
  static Index token(const Trace<T>& trace, Index b, Index t) {
    return trace.batch->source.at(static_cast<int>(b), static_cast<int>(t));
  }

  void write_features(const Trace<T>& trace, const TraceArrays& own, Index b) const;
  void attend(const Trace<T>& trace, const TraceArrays& own, Question& question, std::span<T> scores) const;

  int heads_ = 2;
  double start_ = 0.01;
  Index vocab_ = 0;
  Lags lags_;
  const Param<T>* match_ = nullptr;  // M
  std::vector<std::string> names_;
};

// f of a stream.
template <class T>
void PositionMatch<T>::write_features(const Trace<T>& trace, const TraceArrays& own, Index b) const {
  const Index n = trace.batch->source.columns;
  for (Index t = 0; t < n; ++t) {
    const std::span<T> f = own.features[b * n + t].flat();
    std::ranges::fill(f, T{0});
    f[static_cast<std::size_t>(token(trace, b, t))] = 1;
    for (Index h = 0; h < heads_; ++h) {
      const std::span<const T> weights = own.heads[static_cast<std::size_t>(h)].used(b, t);
      for (Index i = 0; i <= t; ++i)
        f[static_cast<std::size_t>(vocab_ * (1 + h) + token(trace, b, i))] += weights[static_cast<std::size_t>(i)];
    }
  }
}

template <class T>
void PositionMatch<T>::attend(const Trace<T>& trace, const TraceArrays& own, Question& question,
                              std::span<T> scores) const {
  const Index n = trace.batch->source.columns, first = question.b * n;
  const AttentionRule rule = second_rule(trace);
  std::ranges::fill(question.query, T{0});
  for (Index i = 0; i < width(); ++i)
    add_scaled(own.features(first + question.position, i), std::span<const T>(match_->matrix()[i].flat()),
               question.query);
  for (Index t = 0; t <= question.position; ++t)
    scores[static_cast<std::size_t>(t)] =
        dot(std::span<const T>(question.query), std::span<const T>(own.features[first + t].flat()));
  weigh_row<T>(rule, question.b, question.position, right_of(trace, question), scores, question.row);
  std::ranges::fill(question.chances, T{0});
  for (Index t = 0; t <= question.position; ++t)
    question.chances[static_cast<std::size_t>(token(trace, question.b, t))] +=
        question.row.used[static_cast<std::size_t>(t)];
}

template <class T>
Trace<T> PositionMatch<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  TraceArrays own;
  const Index n = batch.source.columns;
  own.heads = compute.arena.take<typename Lags::Map>(static_cast<std::size_t>(heads_));
  for (std::size_t h = 0; h < own.heads.size(); ++h)
    own.heads[h] = lags_.weigh(compute, trace, static_cast<int>(h) + 1);
  own.features = compute.array<T>(batch.size * n, width());
  compute.team.split(batch.size, 8, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) write_features(trace, own, b);
  });
  const auto asked = static_cast<std::size_t>(std::ranges::count_if(batch.target.ids, [](int id) { return id >= 0; }));
  own.questions = compute.arena.take<Question>(asked);
  std::size_t count = 0;
  for (Index b = 0; b < batch.size; ++b)
    for (Index t = 0; t < n; ++t) {
      if (batch.target.at(static_cast<int>(b), static_cast<int>(t)) < 0) continue;
      const auto numbers = [&](Index of) { return compute.arena.take<T>(static_cast<std::size_t>(of)); };
      own.questions[count++] = {b, t, {numbers(t + 1), numbers(t + 1)}, numbers(width()), numbers(vocab_)};
    }
  trace.scores = compute.zeros<T>(batch.size * n, vocab_);
  const Matrix<T> scores = compute.array<T>(static_cast<Index>(asked), n);
  compute.team.split(static_cast<Index>(asked), 8, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      Question& question = own.questions[static_cast<std::size_t>(k)];
      attend(trace, own, question, scores[k].flat().first(static_cast<std::size_t>(question.position + 1)));
      for (Index v = 0; v < vocab_; ++v)
        trace.scores(question.b * n + question.position, v) =
            math::log(question.chances[static_cast<std::size_t>(v)] + static_cast<T>(least_chance));
    }
  });
  trace.answers = batch.target.ids;
  if (pass.training) own.d_logits = compute.array<T>(batch.size * n, vocab_);
  trace.loss = answer_loss(compute, batch, Matrix<const T>(trace.scores), own.d_logits);
  if (!pass.training) {
    const auto maps = compute.arena.take<AttentionMap<T>>(names_.size());
    for (std::size_t h = 0; h < own.heads.size(); ++h) {
      maps[h] = {names_[h], compute.array<T>(batch.size, n, n)};
      own.heads[h].copy_to(maps[h].weights);
    }
    maps.back() = {names_.back(), compute.zeros<T>(batch.size, n, n)};
    for (const Question& question : own.questions)
      std::ranges::copy(question.row.used, maps.back().weights[question.b][question.position].data());
    trace.attention = maps.back().weights;
    trace.further = maps;
  }
  trace.keep(compute, own);
  return trace;
}

template <class T>
void PositionMatch<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  const Index n = trace.batch->source.columns;
  const AttentionRule second = second_rule(trace);
  const Matrix<T> d_features = compute.zeros<T>(trace.batch->size * n, width());
  const std::span<T> d = compute.arena.take<T>(static_cast<std::size_t>(n));
  const std::span<T> d_query = compute.arena.take<T>(static_cast<std::size_t>(width()));
  for (const Question& question : own.questions) {
    const Index first = question.b * n, row = first + question.position;
    for (Index t = 0; t <= question.position; ++t) {
      const Index v = token(trace, question.b, t);
      d[static_cast<std::size_t>(t)] =
          own.d_logits(row, v) / (question.chances[static_cast<std::size_t>(v)] + static_cast<T>(least_chance));
    }
    const std::span<T> slopes = d.first(static_cast<std::size_t>(question.position + 1));
    weigh_row_backward(second, right_of(trace, question), question.row, slopes);
    if (!question.row.follows) continue;
    std::ranges::fill(d_query, T{0});
    for (Index t = 0; t <= question.position; ++t) {
      const T slope = slopes[static_cast<std::size_t>(t)];
      add_scaled(slope, std::span<const T>(own.features[first + t].flat()), d_query);
      add_scaled(slope, std::span<const T>(question.query), d_features[first + t].flat());
    }
    for (Index i = 0; i < width(); ++i) {
      add_scaled(own.features(row, i), std::span<const T>(d_query), match_->matrix_gradient()[i].flat());
      d_features(row, i) += dot(std::span<const T>(match_->matrix()[i].flat()), std::span<const T>(d_query));
    }
  }
  const auto d_heads = compute.arena.take<typename Lags::Rows>(own.heads.size());
  for (std::size_t h = 0; h < d_heads.size(); ++h)
    d_heads[h] = {compute.zeros<T>(own.heads[h].used.weights.size(0), n, n)};
  compute.team.split(heads_, 1, [&](Index begin, Index end) {
    for (Index h = begin; h < end; ++h) {
      const typename Lags::Rows& d_map = d_heads[static_cast<std::size_t>(h)];
      for (Index b = 0; b < trace.batch->size; ++b)
        for (Index t = 0; t < n; ++t) {
          const std::span<T> d_weights = d_map(b, t);
          for (Index i = 0; i <= t; ++i)
            d_weights[static_cast<std::size_t>(i)] += d_features(b * n + t, vocab_ * (1 + h) + token(trace, b, i));
        }
      lags_.backward(trace, own.heads[static_cast<std::size_t>(h)], static_cast<int>(h) + 1, d_map);
    }
  });
}

const RegisterModel<PositionMatch> position_match(
    "position-match", "heads that attend by position alone, and one head that compares the attended tokens");

}  // namespace

}  // namespace fovea
