// Model `window-tagger`: a tag for each word, from attention over the few words around it, without recurrence (room
// model). lab/spec makes it by name for a run. B sentences, S words, K tags, reach R; positions n = b S + t. The
// window P_bt of a word t: the positions from t - R to t + R in the sentence. Forward, for the offsets j = -R .. R:
//
//   x_n       = words and features of position n          (B S,E), model/tagger_words.h
//   v_jn      = tanh(W_j x_n + b_j)                        W_j (H,E), b_j (H), v_j (B S,H): a word at offset j
//   score_bts = w · v_(s-t)bs                              w (H), for s in P_bt, nn/attention/score.h
//   α_bt      = softmax over P_bt of score_bts, or held    (B,S,S), 0 outside of the window
//   c_bt      = Σ_s α_bts v_(s-t)bs                        (B S,H)
//   logit_bt  = U c_bt + b                                 U (K,H), b (K)
//   loss      = mean cross-entropy of logit_bt and the tag of t, over all words
//
// β_bts of a tag k: z_btsk = log softmax_k(U v_(s-t)bs + b), minus its mean over P_bt; 0 outside.
//
// Backward, from dlogit (B S,K):
//
//   dU = Σ_bt dlogit_bt c_btᵀ       db = Σ_bt dlogit_bt            dc_bt = Uᵀ dlogit_bt
//   dscore, dv, dw as in nn/attention/attention.h and score.h
//   du_jn = dv_jn (1 - v_jn²)       dW_j = Σ_n du_jn x_nᵀ          db_j = Σ_n du_jn       dx_n = Σ_j W_jᵀ du_jn
//
// A window is an example of its own for the attention layer: its first slot is the first position of P_bt, and slots
// behind the last are padding.
#include <algorithm>
#include <vector>

#include "fovea/model/model.h"
#include "fovea/model/right_positions.h"
#include "fovea/model/tagger_words.h"
#include "fovea/nn/activation.h"
#include "fovea/nn/attention/attention.h"
#include "fovea/nn/attention/score.h"
#include "fovea/nn/dropout.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/loss.h"

namespace fovea {

namespace {

template <class T>
class WindowTagger final : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.integer("embedding", embedding_width_, 1, 1 << 14, "width of the embeddings of words and features");
    fields.integer("hidden", hidden_, 1, 1 << 14, "width of the vector of each word of a window");
    fields.integer("reach", reach_, 0, 100, "number of words on each side that a window has");
    fields.choice("attention", attention_, {{"learned", Attending::learned}, {"uniform", Attending::uniform}},
                  "learned, or the same on every word of the window");
    fields.number("dropout", dropout_, 0, 0.99, "share of each word's vector that training sets to zero");
  }
  Kind takes() const override { return Kind::tagged_tokens; }
  typename Model<T>::Attends attends(const Batch&) const override {
    return attention_ == Attending::uniform ? Model<T>::Attends::evenly : Model<T>::Attends::by_score;
  }
  typename Model<T>::Heads heads() const override { return {.each = {1}}; }
  bool has_beta() const override { return true; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    words_ = TaggerWords<T>::declare(parameters, shape, embedding_width_);
    for (int j = -reach_; j <= reach_; ++j)
      offsets_.push_back(Linear<T>::declare(parameters, "offset." + std::to_string(j), embedding_width_, hidden_));
    score_ = Score<T>::declare(parameters, "score", ScoreKind::linear, hidden_, 0, 0);
    output_ = Linear<T>::declare(parameters, "output", hidden_, shape.target_vocab);
    dropout_layer_ = {dropout_, 0};
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override {
    Trace<T> trace(batch, pass);
    TraceArrays own;
    const Index N = Index{batch.size} * batch.source.columns, W = std::ssize(offsets_);
    own.words = words_.forward(compute, batch, false);
    own.kept = dropout_layer_.forward(compute, pass.training, pass.seed, pass.step,
                                      std::span<const T>(own.words.x.flat()), own.words.x.flat());
    const Cube<T> at_offsets = compute.array<T>(W, N, Index{hidden_});
    for (Index j = 0; j < W; ++j)
      offsets_[static_cast<std::size_t>(j)].forward_into(compute, own.words.x, at_offsets[j]);
    activate<T>(compute.team, Activation::tanh(), at_offsets.flat(), at_offsets.flat());
    own.values = compute.zeros<T>(N, W, Index{hidden_});
    own.lengths = compute.arena.take<int>(static_cast<std::size_t>(N));
    each_slot(
        batch,
        [&](const Slot& slot) {
          std::ranges::copy(at_offsets[slot.offset][slot.from].flat(), own.values[slot.window][slot.number].data());
        },
        own.lengths);

    AttentionRule rule = pass.rules.of(1, 1);
    if (attention_ == Attending::uniform) rule.pattern = AttentionRule::Pattern::uniform;
    const RightPositions right = right_slots(compute.arena, batch, rule);
    const Sequences<const T> values = batch_major(Cube<const T>(own.values));
    if (rule.by_score()) {
      own.score = score_.forward(compute, values);
      own.attention = Attention<T>::over(compute, own.score.scores, own.lengths, rule, right);
    } else {
      own.attention = Attention<T>::make(compute, N, 1, W, own.lengths, rule, right);
    }
    own.attention.weigh(compute.team);
    own.contexts = compute.array<T>(N, 1, Index{hidden_});
    own.attention.sum(compute.team, values, batch_major(own.contexts));

    trace.scores = output_.forward(compute, own.contexts.as(N, hidden_));
    trace.answers = batch.target.ids;
    trace.attention = compute.zeros<T>(Index{batch.size}, batch.source.columns, batch.source.columns);
    each_slot(batch, [&](const Slot& slot) {
      trace.attention.as(N, batch.source.columns)(slot.window, slot.position) =
          own.attention.weights(slot.window, 0, slot.number);
    });
    if (pass.training) own.d_logits = compute.array<T>(N, output_.out);
    trace.loss = cross_entropy(compute, Matrix<const T>(trace.scores), trace.answers, own.d_logits);
    trace.keep(compute, own);
    return trace;
  }

  void backward(Compute& compute, const Trace<T>& trace) const override {
    const TraceArrays& own = trace.template own<TraceArrays>();
    const Batch& batch = *trace.batch;
    const Index N = own.values.size(0), W = own.values.size(1), H = hidden_;
    const Cube<T> d_contexts =
        output_.backward(compute, own.contexts.as(N, H), Matrix<const T>(own.d_logits)).as(N, 1, H);
    const Cube<T> d_values = compute.zeros<T>(N, W, H);
    const Cube<T> d_scores = own.attention.backward(compute, batch_major(Cube<const T>(own.values)),
                                                    batch_major(Cube<const T>(d_contexts)), batch_major(d_values));
    if (own.attention.by_score()) score_.backward(compute, own.score, d_scores, batch_major(d_values), {});
    activate_backward<T>(compute.team, Activation::tanh(), own.values.flat(), d_values.flat(), d_values.flat());

    const Cube<T> d_at_offsets = compute.zeros<T>(W, N, H);
    each_slot(batch, [&](const Slot& slot) {
      std::ranges::copy(d_values[slot.window][slot.number].flat(), d_at_offsets[slot.offset][slot.from].data());
    });
    const Matrix<T> d_x = compute.zeros<T>(N, Index{embedding_width_});
    for (Index j = 0; j < W; ++j) {
      const Linear<T>& offset = offsets_[static_cast<std::size_t>(j)];
      offset.backward_parameters(compute, own.words.x, Matrix<const T>(d_at_offsets[j]));
      offset.backward_input(compute, Matrix<const T>(d_at_offsets[j]), d_x);
    }
    dropout_layer_.backward(compute, own.kept, std::span<const T>(d_x.flat()), d_x.flat());
    words_.backward(compute, own.words, Matrix<const T>(d_x));
  }

  Cube<T> beta(Compute& compute, const Trace<T>& trace) const override {
    const TraceArrays& own = trace.template own<TraceArrays>();
    const Batch& batch = *trace.batch;
    const Index N = own.values.size(0), W = own.values.size(1), S = batch.source.columns;
    const Cube<T> logits = output_.forward(compute, own.values.as(N * W, Index{hidden_})).as(N, W, output_.out);
    const Matrix<T> of_slots = compute.zeros<T>(N, W);
    for (Index n = 0; n < N; ++n) {
      const std::span<T> window =
          of_slots[n].flat().first(static_cast<std::size_t>(own.lengths[static_cast<std::size_t>(n)]));
      for (std::size_t i = 0; i < window.size(); ++i)
        window[i] = beta_of(std::span<const T>(logits[n][static_cast<Index>(i)].flat()),
                            batch.target.ids[static_cast<std::size_t>(n)]);
      if (!window.empty()) centre(window);
    }
    const Cube<T> beta = compute.zeros<T>(Index{batch.size}, S, S);
    each_slot(batch, [&](const Slot& slot) {
      beta.as(N, S)(slot.window, slot.position) = of_slots(slot.window, slot.number);
    });
    return beta;
  }

 private:
  enum class Attending { learned, uniform };

  // Of a forward. N = B S windows, W = 2 R + 1 slots.
  struct TraceArrays {
    typename TaggerWords<T>::Trace words;
    DropoutMask kept;
    std::span<int> lengths;          // (N) slots of each window
    Cube<T> values;                  // v (N,W,H), 0 on padding
    typename Score<T>::Trace score;  // empty where the weights follow no scores
    Attention<T> attention;          // (N,1,W)
    Cube<T> contexts;                // c (N,1,H)
    Matrix<T> d_logits;              // (N,K)
  };

  // A position of its sentence that a window has.
  struct Slot {
    Index window = 0, number = 0;  // b S + t, and the slot
    Index from = 0, position = 0;  // b S + s, and s
    Index offset = 0;              // s - t + R
  };

  Index first_of_window(Index t) const { return std::max<Index>(0, t - reach_); }

  template <class Visit>
  void each_slot(const Batch& batch, const Visit& visit, std::span<int> lengths = {}) const {
    const Index S = batch.source.columns;
    std::ranges::fill(lengths, 0);
    for (Index b = 0; b < batch.size; ++b)
      for (Index t = 0, present = batch.source.lengths[static_cast<std::size_t>(b)]; t < present; ++t) {
        const Index begin = first_of_window(t), end = std::min<Index>(present, t + reach_ + 1);
        for (Index s = begin; s < end; ++s) visit(Slot{b * S + t, s - begin, b * S + s, s, s - t + reach_});
        if (!lengths.empty()) lengths[static_cast<std::size_t>(b * S + t)] = static_cast<int>(end - begin);
      }
  }

  // Right positions as slots of their windows; none outside of a window.
  RightPositions right_slots(Arena& arena, const Batch& batch, const AttentionRule& rule) const {
    const RightPositions right = right_positions(arena, batch, rule);
    if (right.empty()) return right;
    const std::span<int> slots = arena.take<int>(right.positions.size());
    std::ranges::fill(slots, -1);
    for (Index n = 0; n < std::ssize(slots) / right.width; ++n) {
      const Index t = n % batch.source.columns, begin = first_of_window(t);
      auto next = slots.begin() + n * right.width;
      for (const int s : right.of(n))
        if (s >= begin && s <= t + reach_) *next++ = static_cast<int>(s - begin);
    }
    return {slots, right.width};
  }

  int embedding_width_ = 64;
  int hidden_ = 64;
  int reach_ = 2;
  Attending attention_ = Attending::learned;
  double dropout_ = 0;

  TaggerWords<T> words_;
  std::vector<Linear<T>> offsets_;  // W_j and b_j
  Score<T> score_;
  Linear<T> output_;
  Dropout<T> dropout_layer_;
};

const RegisterModel<WindowTagger> window_tagger("window-tagger",
                                                "tags of words, from attention over the few words around each");

}  // namespace

}  // namespace fovea
