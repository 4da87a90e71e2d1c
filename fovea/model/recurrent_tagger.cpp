// Model `recurrent-tagger`: a tag for each word, from a recurrent net in both directions and attention over all of
// its states (room model). lab/spec makes it by name for a run. B sentences, S words, K tags, time-major. Forward:
//
//   x_sb      = words and features of position s          (S,B,E), model/tagger_words.h
//   h         = encoder(x)                                (S,B,H), nn/recurrent, both directions
//   score_bts = (A h_tb + a) · h_sb                       A (H,H), a (H), nn/attention/cross_attention.h
//   α_bt      = softmax_s(score_bt), or held              (B,S,S)
//   c_tb      = Σ_s α_bts h_sb                            (S,B,H)
//   logit_tb  = U h_tb + b + C c_tb                       U, C (K,H), b (K)
//   loss      = mean cross-entropy of logit_tb and the tag of t, over all words
//
// β_bts of a tag k: z_btsk = log softmax_k(U h_tb + b + C h_sb), minus its mean over s.
//
// Backward, from dlogit (S,B,K):
//
//   dU = Σ_tb dlogit_tb h_tbᵀ       dC = Σ_tb dlogit_tb c_tbᵀ       db = Σ_tb dlogit_tb
//   dh_tb = Uᵀ dlogit_tb            dc_tb = Cᵀ dlogit_tb
//   dA, da, and more of dh as in nn/attention/cross_attention.h; dh goes back through the encoder to x
#include <algorithm>
#include <vector>

#include "fovea/model/model.h"
#include "fovea/model/right_positions.h"
#include "fovea/model/tagger_words.h"
#include "fovea/nn/attention/cross_attention.h"
#include "fovea/nn/dropout.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/loss.h"
#include "fovea/nn/recurrent/recurrent.h"

namespace fovea {

namespace {

template <class T>
void add_logits(Vector<T> a, Vector<T> b, std::span<T> sum) {
  for (Index k = 0; k < a.count(); ++k) sum[static_cast<std::size_t>(k)] = a(k) + b(k);
}

template <class T>
class RecurrentTagger final : public Model<T> {
 public:
  void settings(Fields& fields) override;
  Kind takes() const override { return Kind::tagged_tokens; }
  typename Model<T>::Attends attends(const Batch&) const override {
    return attention_ == Attending::uniform ? Model<T>::Attends::evenly : Model<T>::Attends::by_score;
  }
  typename Model<T>::Heads heads() const override { return {.each = {1}}; }
  bool has_beta() const override { return true; }
  void build(const TaskShape& shape, ParameterSet<T>& parameters) override;
  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;
  Cube<T> beta(Compute& compute, const Trace<T>& trace) const override;  // of the tags of the batch
  Cube<T> states(Compute& compute, const Trace<T>& trace) const override;

 private:
  enum class Attending { learned, uniform };

  // Of a forward.
  struct TraceArrays {
    typename TaggerWords<T>::Trace words;
    DropoutMask words_kept, states_kept;
    RecurrentStackTrace<T> encoded;
    Cube<const T> h;  // (S,B,H) the states, after dropout
    typename CrossAttention<T>::Trace attention;
    Cube<const T> contexts;  // c (S,B,H)
    Matrix<T> from_states;   // U h + b (S B,K)
    Matrix<T> d_logits;      // (B S,K)
  };

  int embedding_width_ = 64;
  int hidden_ = 64;
  Cell cell_ = Cell::lstm;
  Attending attention_ = Attending::learned;
  double dropout_ = 0;

  TaggerWords<T> words_;
  Recurrent<T> encoder_;
  CrossAttention<T> attends_;
  Linear<T> of_state_, of_context_;  // U and b, C
  Dropout<T> word_dropout_, state_dropout_;
};

template <class T>
void RecurrentTagger<T>::settings(Fields& fields) {
  fields.integer("embedding", embedding_width_, 1, 1 << 14, "width of the embeddings of words and features");
  fields.integer("hidden", hidden_, 1, 1 << 14, "width of the recurrent states, each direction");
  fields.choice("cell", cell_, {{"lstm", Cell::lstm}, {"gru", Cell::gru}}, "the recurrent cell");
  fields.choice("attention", attention_, {{"learned", Attending::learned}, {"uniform", Attending::uniform}},
                "learned, or the same on every position");
  fields.number("dropout", dropout_, 0, 0.99,
                "share of each word's vector and of each state that training sets to zero");
}

template <class T>
void RecurrentTagger<T>::build(const TaskShape& shape, ParameterSet<T>& parameters) {
  words_ = TaggerWords<T>::declare(parameters, shape, embedding_width_);
  encoder_ = Recurrent<T>::declare(parameters, "encoder", {cell_, embedding_width_, hidden_, 1, 2, 0, 0});
  const Index H = encoder_.out();
  attends_ = CrossAttention<T>::declare(parameters, "attention", H, H);
  of_state_ = Linear<T>::declare(parameters, "output.state", H, shape.target_vocab);
  of_context_ = Linear<T>::declare(parameters, "output.context", H, shape.target_vocab, Group::body, Bias::no);
  word_dropout_ = {dropout_, 0};
  state_dropout_ = {dropout_, 1};
}

template <class T>
Trace<T> RecurrentTagger<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  TraceArrays own;
  const Index B = batch.size, S = batch.source.columns, H = encoder_.out(), K = of_state_.out;
  const auto dropped = [&](const Dropout<T>& dropout, std::span<const T> in, std::span<T> out) {
    return dropout.forward(compute, pass.training, pass.seed, pass.step, in, out);
  };
  own.words = words_.forward(compute, batch, true);
  own.words_kept = dropped(word_dropout_, std::span<const T>(own.words.x.flat()), own.words.x.flat());
  const Cube<const T> x = own.words.x.as(S, B, embedding_width_);
  own.encoded = encoder_.forward(compute, SequenceInput<T>::of(x, batch.source.lengths));
  own.h = own.encoded.output();
  if (pass.training && dropout_ > 0) {
    const Cube<T> kept = compute.array<T>(S, B, H);
    own.states_kept = dropped(state_dropout_, own.h.flat(), kept.flat());
    own.h = kept;
  }

  AttentionRule rule = pass.rules.of(1, 1);
  if (attention_ == Attending::uniform) rule.pattern = AttentionRule::Pattern::uniform;
  own.contexts = attends_.forward(compute, own.h, own.h, batch.source.lengths, rule,
                                  right_positions(compute.arena, batch, rule), own.attention);
  own.from_states = of_state_.forward(compute, own.h.as(S * B, H));
  const Matrix<T> from_contexts = of_context_.forward(compute, own.contexts.as(S * B, H));
  trace.scores = compute.array<T>(B * S, K);
  for (Index b = 0; b < B; ++b)
    for (Index t = 0; t < S; ++t)
      add_logits<T>(own.from_states[t * B + b], from_contexts[t * B + b], trace.scores[b * S + t].flat());
  trace.answers = batch.target.ids;
  trace.attention = own.attention.attention.weights;
  if (pass.training) own.d_logits = compute.array<T>(B * S, K);
  trace.loss = cross_entropy(compute, Matrix<const T>(trace.scores), trace.answers, own.d_logits);
  trace.keep(compute, own);
  return trace;
}

template <class T>
void RecurrentTagger<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  const Index B = trace.batch->size, S = trace.batch->source.columns, H = encoder_.out(), K = of_state_.out;
  const Matrix<T> d_logits = compute.array<T>(S * B, K);  // time-major
  for (Index b = 0; b < B; ++b)
    for (Index t = 0; t < S; ++t) std::copy_n(own.d_logits[b * S + t].data(), K, d_logits[t * B + b].data());

  const Matrix<T> d_states = of_state_.backward(compute, own.h.as(S * B, H), Matrix<const T>(d_logits));
  const Matrix<T> d_contexts = of_context_.backward(compute, own.contexts.as(S * B, H), Matrix<const T>(d_logits));
  const Cube<T> d_h = d_states.as(S, B, H);
  attends_.backward(compute, own.attention, Cube<const T>(d_contexts.as(S, B, H)), d_h, d_h);
  state_dropout_.backward(compute, own.states_kept, std::span<const T>(d_h.flat()), d_h.flat());

  const SequenceGradient<T> d_x{compute.zeros<T>(S, B, embedding_width_), {}};
  encoder_.backward(compute, own.encoded, Cube<const T>(d_h), {}, d_x);
  word_dropout_.backward(compute, own.words_kept, std::span<const T>(d_x.dense.flat()), d_x.dense.flat());
  words_.backward(compute, own.words, Matrix<const T>(d_x.dense.as(S * B, embedding_width_)));
}

template <class T>
Cube<T> RecurrentTagger<T>::beta(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  const Batch& batch = *trace.batch;
  const Index B = batch.size, S = batch.source.columns, K = of_state_.out;
  const Cube<T> of_each = of_context_.forward(compute, own.h.as(S * B, encoder_.out())).as(S, B, K);
  const Cube<T> beta = compute.zeros<T>(B, S, S);
  compute.team.split(B, 1, [&](Index begin, Index end) {
    std::vector<T> logits(static_cast<std::size_t>(K));
    for (Index b = begin; b < end; ++b) {
      const auto length = static_cast<Index>(batch.source.lengths[static_cast<std::size_t>(b)]);
      for (Index t = 0; t < length; ++t) {
        const std::span<T> row(beta[b][t].data(), static_cast<std::size_t>(length));
        for (Index s = 0; s < length; ++s) {
          add_logits<T>(own.from_states[t * B + b], of_each[s][b], logits);
          row[static_cast<std::size_t>(s)] =
              beta_of(std::span<const T>(logits), batch.target.at(static_cast<int>(b), static_cast<int>(t)));
        }
        centre(row);
      }
    }
  });
  return beta;
}

template <class T>
Cube<T> RecurrentTagger<T>::states(Compute& compute, const Trace<T>& trace) const {
  return batch_first(compute, Cube<const T>(trace.template own<TraceArrays>().encoded.output()));
}

const RegisterModel<RecurrentTagger> recurrent_tagger(
    "recurrent-tagger", "tags of words, from recurrent states and attention over all of them");

}  // namespace

}  // namespace fovea
