// Model `linear-tagger`: a tag for each word, by a log-linear model of the words around it, without attention (room
// model). lab/spec makes it by name for a run. B sentences, S words, K tags, reach R, with the sentence's positions
// from t - R to t + R:
//
//   logit_bt = b + Σ_s (L_(s-t)[w_bs] + Σ_i M_(s-t)[f_bsi])     L_j (V,K), M_j (features,K), b (K)
//   loss     = mean cross-entropy of logit_bt and the tag of t, over all words
//
// With reach 0 and without features it is the logistic regression on the word alone.
//
// Backward, from dlogit: dL_j[v] = Σ_(bt: w_b(t+j) = v) dlogit_bt, dM_j alike, db = Σ_bt dlogit_bt.
#include <algorithm>
#include <vector>

#include "fovea/model/model.h"
#include "fovea/model/tagger_words.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/loss.h"

namespace fovea {

namespace {

template <class T>
class LinearTagger final : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.integer("reach", reach_, 0, 100, "number of words on each side that the tag of a word depends on");
  }
  Kind takes() const override { return Kind::tagged_tokens; }
  typename Model<T>::Attends attends(const Batch&) const override { return Model<T>::Attends::no; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    // The embeddings of a word are its logits, one part for each offset, and start at 0.
    const Index width = (2 * Index{reach_} + 1) * shape.target_vocab;
    words_ = TaggerWords<T>::declare(parameters, shape, width, Init::constant(0));
    bias_ = &parameters.add("bias", {shape.target_vocab}, Init::constant(0));
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override {
    Trace<T> trace(batch, pass);
    TraceArrays own{words_.forward(compute, batch, false), {}};
    const Index N = Index{batch.size} * batch.source.columns, K = bias_->count();
    trace.scores = compute.array<T>(N, K);
    for (Index n = 0; n < N; ++n) std::copy_n(bias_->value, K, trace.scores[n].data());
    each_pair(batch, [&](Index n, Index from, Index offset) {
      for (Index k = 0; k < K; ++k) trace.scores(n, k) += own.words.x(from, offset * K + k);
    });
    trace.answers = batch.target.ids;
    if (pass.training) own.d_logits = compute.array<T>(N, K);
    trace.loss = cross_entropy(compute, Matrix<const T>(trace.scores), trace.answers, own.d_logits);
    trace.keep(compute, own);
    return trace;
  }

  void backward(Compute& compute, const Trace<T>& trace) const override {
    const TraceArrays& own = trace.template own<TraceArrays>();
    const Index K = bias_->count();
    const Matrix<T> d_x = compute.zeros<T>(own.words.x.size(0), own.words.x.size(1));
    each_pair(*trace.batch, [&](Index n, Index from, Index offset) {
      for (Index k = 0; k < K; ++k) d_x(from, offset * K + k) += own.d_logits(n, k);
    });
    words_.backward(compute, own.words, Matrix<const T>(d_x));
    if (bias_->learns()) add_rows(compute.team, Matrix<const T>(own.d_logits), Vector<T>(bias_->gradient, K));
  }

 private:
  struct TraceArrays {
    typename TaggerWords<T>::Trace words;
    Matrix<T> d_logits;  // (N,K)
  };

  // visit(b S + t, b S + s, s - t + R)
  template <class Visit>
  void each_pair(const Batch& batch, const Visit& visit) const {
    const Index S = batch.source.columns;
    for (Index b = 0; b < batch.size; ++b)
      for (Index t = 0, present = batch.source.lengths[static_cast<std::size_t>(b)]; t < present; ++t)
        for (Index s = std::max<Index>(0, t - reach_); s < std::min<Index>(present, t + reach_ + 1); ++s)
          visit(b * S + t, b * S + s, s - t + reach_);
  }

  int reach_ = 0;
  TaggerWords<T> words_;
  const Param<T>* bias_ = nullptr;
};

const RegisterModel<LinearTagger> linear_tagger("linear-tagger",
                                                "tags of words, by a log-linear model of the words around each");

}  // namespace

}  // namespace fovea
