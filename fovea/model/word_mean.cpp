// Models `word-mean` and `word-mean-translator` (room model): the evidence of single words (βᵖˣ), without attention
// or recurrence. lab/spec makes them by name for a run. They write only traces and gradients. B examples of S_b
// source words. Forward:
//
//   r_v      = W e_v + b                    e_v of the embeddings (V,E), W (O,E), b (O)
//   r_v      = w_v + b                      with embedding = 0: w (V,O), a logistic regression on word frequencies
//   logit_b  = 1/S_b Σ_s r_{x_bs}           (B,O)
//   loss     = mean cross-entropy of logit_b over the examples; the translator's: over all their target words
//
// `word-mean` takes texts with classes. `word-mean-translator` predicts each target word from the same bag of source
// words: it has the same logits at every target position. Both have β, and no attention.
//
// Backward:
//
//   dr_v = Σ_{b,s: x_bs = v} dlogit_b / S_b                         db = Σ_v dr_v
//   dW   = Σ_v dr_v e_vᵀ,  de_v = Wᵀ dr_v                           or, with embedding = 0, dw_v = dr_v
#include <algorithm>

#include "fovea/math/vector_math.h"
#include "fovea/model/model.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/loss.h"

namespace fovea {

namespace {

// What both share: a row of scores for each distinct word, and their mean over each example.
template <class T>
class WordScores {
 public:
  // `width` 0: the scores themselves are the parameters, 0 at the start.
  void declare(ParameterSet<T>& parameters, Index vocabulary, Index width, Index outputs) {
    vocabulary_ = vocabulary;
    outputs_ = outputs;
    if (width > 0) {
      table_ = Embedding<T>::declare(parameters, "embedding", vocabulary, width);
      output_ = Linear<T>::declare(parameters, "output", width, outputs);
    } else {
      weights_ = &parameters.add("weights", {vocabulary, outputs}, Init::constant(0));
      bias_ = &parameters.add("bias", {outputs}, Init::constant(0));
    }
  }

  struct Trace {
    const Tokens* source = nullptr;
    DistinctTokens words;
    Matrix<T> rows;    // (D,E)
    Matrix<T> scores;  // (D,O)
    Matrix<T> means;   // (B,O)

    // The scores of the word at a position: what would be said if it were the only one.
    std::span<T> of(int b, int s) const { return scores[word(b, s)].flat(); }
    int length(int b) const { return source->lengths[static_cast<std::size_t>(b)]; }
    T share(int b) const { return T{1} / static_cast<T>(length(b)); }
    Index word(int b, int s) const {
      return words
          .index[static_cast<std::size_t>(b) * static_cast<std::size_t>(source->columns) + static_cast<std::size_t>(s)];
    }
  };

  // source (B,S) -> means (B,O)
  Trace forward(Compute& compute, const Tokens& source) const {
    Trace trace;
    trace.source = &source;
    trace.words = distinct_tokens(compute.arena, source.ids, vocabulary_);
    const Index count = trace.words.count();
    if (weights_) {
      trace.scores = compute.array<T>(count, outputs_);
      for (Index w = 0; w < count; ++w)
        for (Index o = 0; o < outputs_; ++o)
          trace.scores(w, o) =
              weights_->value[Index{trace.words.ids[static_cast<std::size_t>(w)]} * outputs_ + o] + bias_->value[o];
    } else {
      trace.rows = table_.forward(compute, trace.words.ids);
      trace.scores = output_.forward(compute, trace.rows);
    }
    trace.means = compute.zeros<T>(Index{source.rows}, outputs_);
    for (int b = 0; b < source.rows; ++b)
      for (int s = 0; s < trace.length(b); ++s)
        add_scaled(trace.share(b), std::span<const T>(trace.of(b, s)), trace.means[b].flat());
    return trace;
  }

  // d means (B,O)
  void backward(Compute& compute, const Trace& trace, Matrix<const T> d_means) const {
    const Index count = trace.words.count();
    const Matrix<T> d_scores = compute.zeros<T>(count, outputs_);
    for (int b = 0; b < trace.source->rows; ++b)
      for (int s = 0; s < trace.length(b); ++s)
        add_scaled(trace.share(b), std::span<const T>(d_means[b].flat()), d_scores[trace.word(b, s)].flat());
    if (!weights_) {
      table_.backward(compute, trace.words.ids,
                      Matrix<const T>(output_.backward(compute, trace.rows, Matrix<const T>(d_scores))));
      return;
    }
    for (Index w = 0; w < count; ++w)
      for (Index o = 0; o < outputs_; ++o) {
        weights_->gradient[Index{trace.words.ids[static_cast<std::size_t>(w)]} * outputs_ + o] += d_scores(w, o);
        bias_->gradient[o] += d_scores(w, o);
      }
  }

 private:
  Index vocabulary_ = 0, outputs_ = 0;
  Embedding<T> table_;
  Linear<T> output_;
  Param<T>* weights_ = nullptr;  // (V,O)
  Param<T>* bias_ = nullptr;     // (O)
};

template <class T>
struct WordMeanArrays {
  typename WordScores<T>::Trace words;
  Matrix<T> d_scores;  // of the outcome's scores
};

template <class T>
class WordMean final : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.integer("embedding", width_, 0, 1 << 14,
                   "width of the embeddings; 0: none, a logistic regression on the frequencies of words");
  }
  Kind takes() const override { return Kind::labelled_tokens; }
  typename Model<T>::Attends attends(const Batch&) const override { return Model<T>::Attends::no; }
  bool has_beta() const override { return true; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (shape.classes < 2)
      throw wrong_input("model 'word-mean' is for tasks of two classes or more", "choose another task");
    words_.declare(parameters, shape.vocab, width_, shape.classes == 2 ? 1 : shape.classes);
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override {
    Trace<T> trace(batch, pass);
    TraceArrays own{words_.forward(compute, batch.source), {}};
    trace.scores = own.words.means;
    trace.answers = batch.labels;
    const Index C = trace.scores.size(1);
    if (pass.training) own.d_scores = compute.array<T>(trace.scores.size(0), C);
    trace.loss =
        C == 1 ? logistic_loss(compute, std::span<const T>(trace.scores.flat()), trace.answers, own.d_scores.flat())
               : cross_entropy(compute, Matrix<const T>(trace.scores), trace.answers, own.d_scores);
    trace.keep(compute, own);
    return trace;
  }

  void backward(Compute& compute, const Trace<T>& trace) const override {
    const TraceArrays& own = trace.template own<TraceArrays>();
    words_.backward(compute, own.words, Matrix<const T>(own.d_scores));
  }

  Cube<T> beta(Compute& compute, const Trace<T>& trace) const override {
    const Batch& batch = *trace.batch;
    const auto& words = trace.template own<TraceArrays>().words;
    const Cube<T> beta = compute.zeros<T>(Index{batch.size}, 1, Index{batch.source.columns});
    for (int b = 0; b < batch.size; ++b) {
      const int label = batch.labels[static_cast<std::size_t>(b)];
      for (int s = 0; s < words.length(b); ++s)
        beta(Index{b}, 0, Index{s}) = beta_of(std::span<const T>(words.of(b, s)), label);
    }
    return beta;
  }

 private:
  using TraceArrays = WordMeanArrays<T>;

  int width_ = 256;
  WordScores<T> words_;
};

template <class T>
class WordMeanTranslator final : public Model<T> {
 public:
  void settings(Fields& fields) override { fields.integer("embedding", width_, 1, 1 << 14, "width of the embeddings"); }
  Kind takes() const override { return Kind::token_pairs; }
  typename Model<T>::Attends attends(const Batch&) const override { return Model<T>::Attends::no; }
  bool has_beta() const override { return true; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    words_.declare(parameters, shape.vocab, width_, shape.target_vocab);
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override {
    Trace<T> trace(batch, pass);
    TraceArrays own{words_.forward(compute, batch.source), {}};
    const Matrix<T> means = own.words.means;
    const Index B = batch.size, steps = batch.target.columns, V = means.size(1);
    trace.scores = compute.array<T>(B * steps, V);  // every target word of an example from the same scores
    for (Index b = 0; b < B; ++b)
      for (Index t = 0; t < steps; ++t) std::copy_n(means[b].data(), V, trace.scores[b * steps + t].data());
    trace.answers = batch.target.ids;
    if (pass.training) own.d_scores = compute.array<T>(B * steps, V);
    trace.loss = cross_entropy(compute, Matrix<const T>(trace.scores), trace.answers, own.d_scores);
    trace.keep(compute, own);
    return trace;
  }

  void backward(Compute& compute, const Trace<T>& trace) const override {
    const TraceArrays& own = trace.template own<TraceArrays>();
    const Index B = trace.batch->size, steps = trace.batch->target.columns;
    const Matrix<T> d_means = compute.zeros<T>(B, own.d_scores.size(1));
    for (Index b = 0; b < B; ++b)
      for (Index t = 0; t < steps; ++t)
        add_scaled(T{1}, std::span<const T>(own.d_scores[b * steps + t].flat()), d_means[b].flat());
    words_.backward(compute, own.words, Matrix<const T>(d_means));
  }

  // The log-probability of the right word, said from the source word alone.
  Cube<T> beta(Compute& compute, const Trace<T>& trace) const override {
    const Batch& batch = *trace.batch;
    const Tokens& target = batch.target;
    const auto& words = trace.template own<TraceArrays>().words;
    const Cube<T> beta = compute.zeros<T>(Index{batch.size}, Index{target.columns}, Index{batch.source.columns});
    for (int b = 0; b < batch.size; ++b)
      for (int s = 0; s < words.length(b); ++s) {
        const std::span<const T> said = words.of(b, s);
        const T all = log_sum_exp(said);
        for (int t = 0; t < target.lengths[static_cast<std::size_t>(b)]; ++t)
          beta(Index{b}, Index{t}, Index{s}) = beta_of(said, target.at(b, t), all);
      }
    return beta;
  }

 private:
  using TraceArrays = WordMeanArrays<T>;

  int width_ = 256;
  WordScores<T> words_;
};

const RegisterModel<WordMean> word_mean("word-mean", "the mean evidence of single words for the class: no attention");
const RegisterModel<WordMeanTranslator> word_mean_translator(
    "word-mean-translator", "each target word from the bag of source words: no attention");

}  // namespace

}  // namespace fovea
