// βᵖˣ: what single words say, learned without attention and without recurrence.
//
//   logits(x) = mean over positions of  W e_{x_s} + b
//
// Model `word-mean` takes texts with classes; with embedding = 0 each word has a weight for each class of its own,
// which is a logistic regression on the frequencies of words. Model `word-mean-translator` says each target word from
// the same bag of source words. Both have β, and no attention.
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

  // source (B,S) -> means (B,O)
  Matrix<T> forward(Compute& compute, const Tokens& source) {
    source_ = &source;
    words_ = distinct_tokens(compute.arena, source.ids, vocabulary_);
    if (weights_) {
      scores_ = compute.array<T>(words_.count(), outputs_);
      for (Index w = 0; w < words_.count(); ++w)
        for (Index o = 0; o < outputs_; ++o)
          scores_(w, o) =
              weights_->value[Index{words_.ids[static_cast<std::size_t>(w)]} * outputs_ + o] + bias_->value[o];
    } else {
      rows_ = table_.forward(compute, words_.ids);
      scores_ = output_.forward(compute, rows_);
    }
    const Matrix<T> means = compute.zeros<T>(Index{source.rows}, outputs_);
    for (int b = 0; b < source.rows; ++b)
      for (int s = 0; s < length(b); ++s) add_scaled(share(b), std::span<const T>(of(b, s)), means[b].flat());
    return means;
  }

  // d means (B,O)
  void backward(Compute& compute, Matrix<const T> d_means) {
    const Matrix<T> d_scores = compute.zeros<T>(words_.count(), outputs_);
    for (int b = 0; b < source_->rows; ++b)
      for (int s = 0; s < length(b); ++s)
        add_scaled(share(b), std::span<const T>(d_means[b].flat()), d_scores[word(b, s)].flat());
    if (!weights_) {
      table_.backward(compute, words_.ids,
                      Matrix<const T>(output_.backward(compute, rows_, Matrix<const T>(d_scores))));
      return;
    }
    for (Index w = 0; w < words_.count(); ++w)
      for (Index o = 0; o < outputs_; ++o) {
        weights_->gradient[Index{words_.ids[static_cast<std::size_t>(w)]} * outputs_ + o] += d_scores(w, o);
        bias_->gradient[o] += d_scores(w, o);
      }
  }

  // The scores of the word at a position: what would be said if it were the only one.
  std::span<T> of(int b, int s) const { return scores_[word(b, s)].flat(); }
  int length(int b) const { return source_->lengths[static_cast<std::size_t>(b)]; }

 private:
  Index word(int b, int s) const {
    return words_
        .index[static_cast<std::size_t>(b) * static_cast<std::size_t>(source_->columns) + static_cast<std::size_t>(s)];
  }
  T share(int b) const { return T{1} / static_cast<T>(length(b)); }

  Index vocabulary_ = 0, outputs_ = 0;
  Embedding<T> table_;
  Linear<T> output_;
  Param<T>* weights_ = nullptr;  // (V,O)
  Param<T>* bias_ = nullptr;     // (O)

  // Of the last forward.
  const Tokens* source_ = nullptr;
  DistinctTokens words_;
  Matrix<T> rows_;    // (D,E)
  Matrix<T> scores_;  // (D,O)
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

  Outcome<T> forward(Compute& compute, const Batch& batch, const Pass& pass) override {
    batch_ = &batch;
    Outcome<T> outcome;
    outcome.scores = words_.forward(compute, batch.source);
    outcome.answers = batch.labels;
    const Index C = outcome.scores.size(1);
    d_logits_ = pass.training ? compute.array<T>(outcome.scores.size(0), C) : Matrix<T>();
    outcome.loss =
        C == 1 ? logistic_loss(compute, std::span<const T>(outcome.scores.flat()), outcome.answers, d_logits_.flat())
               : cross_entropy(compute, Matrix<const T>(outcome.scores), outcome.answers, d_logits_);
    return outcome;
  }

  void backward(Compute& compute) override { words_.backward(compute, Matrix<const T>(d_logits_)); }

  Cube<T> beta(Compute& compute) override {
    const Cube<T> beta = compute.zeros<T>(Index{batch_->size}, 1, Index{batch_->source.columns});
    for (int b = 0; b < batch_->size; ++b) {
      const int label = batch_->labels[static_cast<std::size_t>(b)];
      for (int s = 0; s < words_.length(b); ++s)
        beta(Index{b}, 0, Index{s}) = beta_of(std::span<const T>(words_.of(b, s)), label);
    }
    return beta;
  }

 private:
  int width_ = 256;
  WordScores<T> words_;
  const Batch* batch_ = nullptr;
  Matrix<T> d_logits_;  // (B,C)
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

  Outcome<T> forward(Compute& compute, const Batch& batch, const Pass& pass) override {
    batch_ = &batch;
    const Matrix<T> means = words_.forward(compute, batch.source);
    const Index B = batch.size, steps = batch.target.columns, V = means.size(1);
    Outcome<T> outcome;
    outcome.scores = compute.array<T>(B * steps, V);  // every target word of an example from the same scores
    for (Index b = 0; b < B; ++b)
      for (Index t = 0; t < steps; ++t) std::copy_n(means[b].data(), V, outcome.scores[b * steps + t].data());
    outcome.answers = batch.target.ids;
    d_logits_ = pass.training ? compute.array<T>(B * steps, V) : Matrix<T>();
    outcome.loss = cross_entropy(compute, Matrix<const T>(outcome.scores), outcome.answers, d_logits_);
    return outcome;
  }

  void backward(Compute& compute) override {
    const Index B = batch_->size, steps = batch_->target.columns;
    const Matrix<T> d_means = compute.zeros<T>(B, d_logits_.size(1));
    for (Index b = 0; b < B; ++b)
      for (Index t = 0; t < steps; ++t)
        add_scaled(T{1}, std::span<const T>(d_logits_[b * steps + t].flat()), d_means[b].flat());
    words_.backward(compute, Matrix<const T>(d_means));
  }

  // The log-probability of the right word, said from the source word alone.
  Cube<T> beta(Compute& compute) override {
    const Tokens& target = batch_->target;
    const Cube<T> beta = compute.zeros<T>(Index{batch_->size}, Index{target.columns}, Index{batch_->source.columns});
    for (int b = 0; b < batch_->size; ++b)
      for (int s = 0; s < words_.length(b); ++s) {
        const std::span<const T> said = words_.of(b, s);
        const T all = log_sum_exp(said);
        for (int t = 0; t < target.lengths[static_cast<std::size_t>(b)]; ++t)
          beta(Index{b}, Index{t}, Index{s}) = beta_of(said, target.at(b, t), all);
      }
    return beta;
  }

 private:
  int width_ = 256;
  WordScores<T> words_;
  const Batch* batch_ = nullptr;
  Matrix<T> d_logits_;  // (B*T,V)
};

const RegisterModel<WordMean> word_mean("word-mean", "the mean of what single words say for the class: no attention");
const RegisterModel<WordMeanTranslator> word_mean_translator(
    "word-mean-translator", "each target word from the bag of source words: no attention");

}  // namespace

}  // namespace fovea
