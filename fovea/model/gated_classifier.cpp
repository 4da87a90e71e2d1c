#include "fovea/model/gated_classifier.h"

#include <algorithm>

#include "fovea/math/vector_math.h"
#include "fovea/nn/attention/attention.h"
#include "fovea/nn/loss.h"

namespace fovea {

template <class T>
void GatedClassifier<T>::settings(Fields& fields) {
  fields.integer("embedding", embedding_width_, 1, 1 << 14, "width of the embeddings");
  fields.number("embedding_spread", embedding_spread_, 0, 1e6, "standard deviation of the embeddings at the start");
  fields.integer("hidden", hidden_, 1, 1 << 14, "width of the recurrent states, each direction");
  fields.choice("cell", cell_, {{"lstm", Cell::lstm}, {"gru", Cell::gru}}, "the recurrent cell");
  fields.flag("bidirectional", bidirectional_, "read both ways");
  fields.choice("score", score_kind_, {{"linear", ScoreKind::linear}, {"mlp", ScoreKind::mlp}},
                "how a position's importance is read off its state");
  fields.integer("score_hidden", score_hidden_, 1, 1 << 14, "mlp score: hidden width");
  fields.choice("attention", attention_, {{"learned", Attention::learned}, {"uniform", Attention::uniform}},
                "learned, or the same on every position");
  fields.number("dropout", dropout_, 0, 0.99,
                "share of each embedding, and of each state, that a training step misses");
}

template <class T>
void GatedClassifier<T>::build(const TaskShape& shape, ParameterSet<T>& parameters) {
  if (shape.classes < 2)
    throw wrong_input("model 'gated-classifier' is for tasks of two classes or more", "choose another task");
  table_ =
      Embedding<T>::declare(parameters, "embedding", shape.vocab, embedding_width_, Init::normal(embedding_spread_));
  encoder_ =
      Recurrent<T>::declare(parameters, "encoder", {cell_, embedding_width_, hidden_, 1, bidirectional_ ? 2 : 1, 0, 0});
  score_ = Score<T>::declare(parameters, "score", score_kind_, encoder_.out(), 0, score_hidden_);
  beta_ = Linear<T>::declare(parameters, "beta", encoder_.out(), shape.classes == 2 ? 1 : shape.classes, Group::body,
                             Bias::no);
  word_dropout_ = {dropout_, 0};
  state_dropout_ = {dropout_, 1};
}

template <class T>
void GatedClassifier<T>::weigh(Compute& compute, const Pass& pass) {
  const Index B = batch_->size, S = batch_->source.columns;
  const std::span<const int> lengths(batch_->source.lengths);
  weights_ = compute.array<T>(B, 1, S);
  uniform_ = attention_ == Attention::uniform || pass.attend == Attend::uniform;
  held_ = {};
  if (uniform_) {
    hold_uniform(lengths, weights_);
    return;
  }
  const Cube<T> scores = score_.forward(compute, time_major(h_));
  masked_softmax(compute.team, Cube<const T>(scores), lengths, weights_);
  if (pass.attend == Attend::truth && !batch_->marked.empty()) {
    held_ = compute.arena.take_zeros<std::uint8_t>(static_cast<std::size_t>(B));
    hold_marked(std::span<const std::uint8_t>(batch_->marked), weights_, held_);
  }
}

template <class T>
Outcome<T> GatedClassifier<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) {
  batch_ = &batch;
  pass_ = pass;
  const Index B = batch.size, S = batch.source.columns;
  tokens_ = distinct_tokens(compute.arena, time_major(compute.arena, batch.source.ids, B, S), table_.vocabulary);
  rows_ = table_.forward(compute, tokens_.ids);
  word_dropout_.forward(compute, pass.training, pass.seed, pass.step, std::span<const T>(rows_.flat()), rows_.flat());
  return read(compute, SequenceInput<T>::of_tokens(S, B, rows_, tokens_.index, batch.source.lengths), pass,
              pass.training);
}

template <class T>
Outcome<T> GatedClassifier<T>::read(Compute& compute, const SequenceInput<T>& input, const Pass& pass,
                                    bool with_gradients) {
  const Batch& batch = *batch_;
  const Index B = batch.size, S = batch.source.columns, C = beta_.out;
  const std::span<const int> lengths(batch.source.lengths);
  trace_ = encoder_.forward(compute, input, {}, {pass.training, pass.seed, pass.step});
  h_ = trace_.output();
  if (pass.training && dropout_ > 0) {
    const Cube<T> seen = compute.array<T>(S, B, encoder_.out());
    state_dropout_.forward(compute, true, pass.seed, pass.step, h_.flat(), seen.flat());
    h_ = seen;
  }
  weigh(compute, pass);
  betas_ = beta_.forward(compute, h_.as(S * B, encoder_.out())).as(S, B, C);

  Outcome<T> outcome;
  outcome.scores = compute.array<T>(B, C);
  outcome.answers = batch.labels;
  outcome.attention = weights_;
  attend(compute.team, Cube<const T>(weights_), time_major(Cube<const T>(betas_)), lengths,
         batch_major(outcome.scores.as(B, 1, C)));
  d_logits_ = with_gradients ? compute.array<T>(B, C) : Matrix<T>();
  outcome.loss =
      C == 1 ? logistic_loss(compute, std::span<const T>(outcome.scores.flat()), outcome.answers, d_logits_.flat())
             : cross_entropy(compute, Matrix<const T>(outcome.scores), outcome.answers, d_logits_);
  return outcome;
}

template <class T>
void GatedClassifier<T>::backward(Compute& compute) {
  const SequenceGradient<T> d_rows{{}, compute.zeros<T>(rows_.size(0), rows_.size(1))};
  backward_into(compute, d_rows);
  word_dropout_.backward(compute, std::span<const T>(d_rows.rows.flat()), d_rows.rows.flat());
  table_.backward(compute, tokens_.ids, Matrix<const T>(d_rows.rows));
}

template <class T>
void GatedClassifier<T>::backward_into(Compute& compute, const SequenceGradient<T>& d_input) {
  const Index B = batch_->size, S = batch_->source.columns, C = beta_.out, H = encoder_.out();
  const std::span<const int> lengths(batch_->source.lengths);
  const Cube<T> d_h = compute.zeros<T>(S, B, H);

  const Cube<T> d_betas = compute.zeros<T>(S, B, C);
  const Cube<T> d_weights = uniform_ ? Cube<T>() : compute.array<T>(B, 1, S);
  attend_backward(compute.team, Cube<const T>(weights_), time_major(Cube<const T>(betas_)),
                  batch_major(Cube<const T>(d_logits_.as(B, 1, C))), lengths, d_weights, time_major(d_betas));
  const Matrix<const T> d_beta_rows = d_betas.as(S * B, C);
  beta_.backward_parameters(compute, h_.as(S * B, H), d_beta_rows);
  beta_.backward_input(compute, d_beta_rows, d_h.as(S * B, H));
  if (!uniform_) {
    masked_softmax_backward(compute.team, Cube<const T>(weights_), Cube<const T>(d_weights), lengths, held_, d_weights);
    score_.backward(compute, time_major(h_), {}, Cube<const T>(d_weights), time_major(d_h), {});
  }
  if (h_.data() != trace_.output().data()) state_dropout_.backward(compute, std::span<const T>(d_h.flat()), d_h.flat());

  encoder_.backward(compute, trace_, Cube<const T>(d_h), {}, d_input);
}

// Every position has an embedding of its own here, so that the gradient parts by position.
template <class T>
Cube<T> GatedClassifier<T>::influence(Compute& compute) {
  const Index B = batch_->size, S = batch_->source.columns, E = embedding_width_;
  const std::span<const int> lengths(batch_->source.lengths);
  const Cube<T> words = table_.forward(compute, time_major(compute.arena, batch_->source.ids, B, S)).as(S, B, E);
  Pass pass = pass_;
  pass.training = false;
  read(compute, SequenceInput<T>::of(Cube<const T>(words), lengths), pass, true);
  const SequenceGradient<T> d_words{compute.zeros<T>(S, B, E), {}};
  backward_into(compute, d_words);
  const Cube<T> influence = compute.zeros<T>(B, 1, S);
  for (Index b = 0; b < B; ++b)
    for (Index s = 0; s < lengths[static_cast<std::size_t>(b)]; ++s)  // the loss is a mean over examples
      influence(b, 0, s) = -static_cast<T>(B) *
                           dot(std::span<const T>(words[s][b].flat()), std::span<const T>(d_words.dense[s][b].flat()));
  return influence;
}

template <class T>
Cube<T> GatedClassifier<T>::beta(Compute& compute) {
  const Index B = batch_->size, S = batch_->source.columns;
  const Cube<T> beta = compute.zeros<T>(B, 1, S);
  for (Index b = 0; b < B; ++b) {
    const int label = batch_->labels[static_cast<std::size_t>(b)];
    for (Index s = 0; s < batch_->source.lengths[static_cast<std::size_t>(b)]; ++s)
      beta(b, 0, s) = beta_of(std::span<const T>(betas_[s][b].data(), static_cast<std::size_t>(beta_.out)), label);
  }
  return beta;
}

template class GatedClassifier<float>;
template class GatedClassifier<double>;

namespace {

const RegisterModel<GatedClassifier> gated_classifier_model(
    "gated-classifier", "a recurrent net whose attention gates what each position says for the class");

}  // namespace

}  // namespace fovea
