#include "fovea/model/gated_classifier.h"

#include <algorithm>

#include "fovea/math/vector_math.h"
#include "fovea/model/right_positions.h"
#include "fovea/nn/loss.h"

namespace fovea {

template <class T>
void GatedClassifier<T>::settings(Fields& fields) {
  fields.integer("embedding", embedding_width_, 1, 1 << 14, "width of the embeddings");
  fields.number("embedding_spread", embedding_spread_, 0, 1e6, "standard deviation of the embeddings at the start");
  fields.integer("hidden", hidden_, 1, 1 << 14, "width of the recurrent states, each direction");
  fields.choice("cell", cell_, {{"lstm", Cell::lstm}, {"gru", Cell::gru}}, "the recurrent cell");
  fields.flag("bidirectional", bidirectional_, "read the sequence in both directions");
  fields.choice("score", score_kind_, {{"linear", ScoreKind::linear}, {"mlp", ScoreKind::mlp}},
                "function that scores a position from its state");
  fields.integer("score_hidden", score_hidden_, 1, 1 << 14, "mlp score: hidden width");
  fields.only_of("score \"mlp\"", [this] { return score_kind_ == ScoreKind::mlp; });
  fields.choice("attention", attention_, {{"learned", Attending::learned}, {"uniform", Attending::uniform}},
                "learned, or the same on every position");
  fields.choice("biases", biases_, {{"false", Bias::no}, {"true", Bias::yes}},
                "bias of W, the map from states to evidence; default: false");
  fields.number("dropout", dropout_, 0, 0.99, "share of each embedding and of each state that training sets to zero");
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
                             biases_.value_or(Bias::no));
  word_dropout_ = {dropout_, 0};
  state_dropout_ = {dropout_, 1};
}

template <class T>
Trace<T> GatedClassifier<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  TraceArrays own;
  const Index B = batch.size, S = batch.source.columns;
  own.tokens = distinct_tokens(compute.arena, time_major(compute.arena, batch.source.ids, B, S), table_.vocabulary);
  own.rows = table_.forward(compute, own.tokens.ids);
  own.words_kept = word_dropout_.forward(compute, pass.training, pass.seed, pass.step,
                                         std::span<const T>(own.rows.flat()), own.rows.flat());
  read(compute, SequenceInput<T>::of_tokens(S, B, own.rows, own.tokens.index, batch.source.lengths), pass.training, own,
       trace);
  trace.keep(compute, own);
  return trace;
}

template <class T>
void GatedClassifier<T>::read(Compute& compute, const SequenceInput<T>& input, bool with_gradients, TraceArrays& own,
                              Trace<T>& trace) const {
  const Batch& batch = *trace.batch;
  const Pass& pass = trace.pass;
  const Index B = batch.size, S = batch.source.columns, C = beta_.out;
  const std::span<const int> lengths(batch.source.lengths);
  own.encoded = encoder_.forward(compute, input, {}, {pass.training, pass.seed, pass.step});
  own.h = own.encoded.output();
  if (pass.training && dropout_ > 0) {
    const Cube<T> seen = compute.array<T>(S, B, encoder_.out());
    own.states_kept = state_dropout_.forward(compute, true, pass.seed, pass.step, own.h.flat(), seen.flat());
    own.h = seen;
  }
  AttentionRule rule = pass.rules.of(1, 1);
  if (attention_ == Attending::uniform) rule.pattern = AttentionRule::Pattern::uniform;
  const RightPositions right = right_positions(compute.arena, batch, rule);
  if (rule.by_score()) {
    own.score = score_.forward(compute, time_major(own.h));
    own.attention = Attention<T>::over(compute, own.score.scores, lengths, rule, right);
  } else {
    own.attention = Attention<T>::make(compute, B, 1, S, lengths, rule, right);
  }
  own.attention.weigh(compute.team);
  own.betas = beta_.forward(compute, own.h.as(S * B, encoder_.out())).as(S, B, C);

  trace.scores = compute.array<T>(B, C);
  trace.answers = batch.labels;
  trace.attention = own.attention.weights;
  own.attention.sum(compute.team, time_major(Cube<const T>(own.betas)), batch_major(trace.scores.as(B, 1, C)));
  own.d_logits = with_gradients ? compute.array<T>(B, C) : Matrix<T>();
  trace.loss = C == 1
                   ? logistic_loss(compute, std::span<const T>(trace.scores.flat()), trace.answers, own.d_logits.flat())
                   : cross_entropy(compute, Matrix<const T>(trace.scores), trace.answers, own.d_logits);
}

template <class T>
void GatedClassifier<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  const SequenceGradient<T> d_rows{{}, compute.zeros<T>(own.rows.size(0), own.rows.size(1))};
  backward_into(compute, *trace.batch, own, d_rows);
  word_dropout_.backward(compute, own.words_kept, std::span<const T>(d_rows.rows.flat()), d_rows.rows.flat());
  table_.backward(compute, own.tokens.ids, Matrix<const T>(d_rows.rows));
}

template <class T>
void GatedClassifier<T>::backward_into(Compute& compute, const Batch& batch, const TraceArrays& own,
                                       const SequenceGradient<T>& d_input) const {
  const Index B = batch.size, S = batch.source.columns, C = beta_.out, H = encoder_.out();
  const Cube<T> d_h = compute.zeros<T>(S, B, H);

  const Cube<T> d_betas = compute.zeros<T>(S, B, C);
  const Cube<T> d_scores =
      own.attention.backward(compute, time_major(Cube<const T>(own.betas)),
                             batch_major(Cube<const T>(own.d_logits.as(B, 1, C))), time_major(d_betas));
  const Matrix<const T> d_beta_rows = d_betas.as(S * B, C);
  beta_.backward_parameters(compute, own.h.as(S * B, H), d_beta_rows);
  beta_.backward_input(compute, d_beta_rows, d_h.as(S * B, H));
  if (own.attention.by_score()) score_.backward(compute, own.score, Cube<const T>(d_scores), time_major(d_h), {});
  state_dropout_.backward(compute, own.states_kept, std::span<const T>(d_h.flat()), d_h.flat());

  encoder_.backward(compute, own.encoded, Cube<const T>(d_h), {}, d_input);
}

// Every position has an embedding of its own here, so that the gradient parts by position.
template <class T>
Cube<T> GatedClassifier<T>::influence(Compute& compute, const Trace<T>& trace) const {
  const Batch& batch = *trace.batch;
  const Index B = batch.size, S = batch.source.columns, E = embedding_width_;
  const std::span<const int> lengths(batch.source.lengths);
  const Cube<T> words = table_.forward(compute, time_major(compute.arena, batch.source.ids, B, S)).as(S, B, E);
  Pass pass = trace.pass;
  pass.training = false;
  Trace<T> apart(batch, pass);
  TraceArrays own;
  read(compute, SequenceInput<T>::of(Cube<const T>(words), lengths), true, own, apart);
  const SequenceGradient<T> d_words{compute.zeros<T>(S, B, E), {}};
  Compute of_inputs{compute.arena, compute.team, Gradients::of_inputs, compute.products};
  backward_into(of_inputs, batch, own, d_words);
  const Cube<T> influence = compute.zeros<T>(B, 1, S);
  for (Index b = 0; b < B; ++b)
    for (Index s = 0; s < lengths[static_cast<std::size_t>(b)]; ++s)  // the loss is a mean over examples
      influence(b, 0, s) = -static_cast<T>(B) *
                           dot(std::span<const T>(words[s][b].flat()), std::span<const T>(d_words.dense[s][b].flat()));
  return influence;
}

template <class T>
Cube<T> GatedClassifier<T>::beta(Compute& compute, const Trace<T>& trace) const {
  const Batch& batch = *trace.batch;
  const Cube<T>& betas = trace.template own<TraceArrays>().betas;
  const Cube<T> beta = compute.zeros<T>(Index{batch.size}, 1, Index{batch.source.columns});
  for (Index b = 0; b < batch.size; ++b) {
    const int label = batch.labels[static_cast<std::size_t>(b)];
    for (Index s = 0; s < batch.source.lengths[static_cast<std::size_t>(b)]; ++s)
      beta(b, 0, s) = beta_of(std::span<const T>(betas[s][b].data(), static_cast<std::size_t>(beta_.out)), label);
  }
  return beta;
}

template <class T>
Cube<T> GatedClassifier<T>::states(Compute& compute, const Trace<T>& trace) const {
  return batch_first(compute, Cube<const T>(trace.template own<TraceArrays>().encoded.output()));
}

template class GatedClassifier<float>;
template class GatedClassifier<double>;

namespace {

const RegisterModel<GatedClassifier> gated_classifier_model(
    "gated-classifier", "a recurrent net whose attention gates the evidence of each position for the class");

}  // namespace

}  // namespace fovea
