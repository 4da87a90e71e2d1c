// Influence (Δ) of model `seq2seq` (room model). Probes and the Python package call it through HasInfluence
// (optional_queries.h). The loss of each target word has a gradient of its own. An example therefore passes through
// the model once for each target word, several at a time, each copy with the loss of one word.
#include <algorithm>

#include "fovea/math/vector_math.h"
#include "fovea/model/seq2seq.h"

namespace fovea {

namespace {

constexpr int most_copies = 16;

// `count` copies of an example of a batch, without its padding.
void repeat(const Batch& batch, int example, int count, Batch& copies) {
  const auto at = static_cast<std::size_t>(example);
  const auto fill = [&](const Tokens& from, Tokens& to) {
    to.resize(count, from.lengths[at]);
    for (int row = 0; row < count; ++row)
      for (int i = 0; i < to.columns; ++i) to.at(row, i) = from.at(example, i);
  };
  copies.size = count;
  fill(batch.source, copies.source);
  fill(batch.target, copies.target);
  copies.alignment.clear();
  if (batch.alignment.empty()) return;
  const auto truth = batch.alignment.begin() + static_cast<std::ptrdiff_t>(example) * batch.target.columns;
  for (int row = 0; row < count; ++row)
    copies.alignment.insert(copies.alignment.end(), truth, truth + copies.target.columns);
}

}  // namespace

template <class T>
Cube<T> Seq2Seq<T>::influence(Compute& compute, const Trace<T>& trace) const {
  if (attends_.empty()) return {};
  const Batch& batch = *trace.batch;
  Pass pass = trace.pass;
  pass.training = false;
  const Cube<T> influence =
      compute.zeros<T>(Index{batch.size}, Index{batch.target.columns}, Index{batch.source.columns});
  Arena arena;
  Batch copies;
  for (int b = 0; b < batch.size; ++b) {
    const int length = batch.target.lengths[static_cast<std::size_t>(b)];
    for (int first = 0; first < length; first += most_copies) {
      arena.reset();
      Compute of_inputs{arena, compute.team, Gradients::of_inputs, compute.products};
      repeat(batch, b, std::min(most_copies, length - first), copies);
      influence_of(of_inputs, copies, first, pass, influence[b]);
    }
  }
  return influence;
}

// Copy i has the loss of target word first + i. Source positions have embeddings of their own, so that the gradient
// parts by position.
template <class T>
void Seq2Seq<T>::influence_of(Compute& compute, const Batch& copies, int first, const Pass& pass,
                              Matrix<T> influence) const {
  const Index B = copies.size, S = copies.source.columns, steps = copies.target.columns, E = embedding_width_;
  const Cube<const T> words =
      source_table_.forward(compute, time_major(compute.arena, copies.source.ids, B, S)).as(S, B, E);
  const std::span<int> answers = compute.arena.take<int>(copies.target.ids.size());
  std::ranges::fill(answers, -1);
  for (int copy = 0; copy < copies.size; ++copy)
    answers[static_cast<std::size_t>(copy * steps + first + copy)] = copies.target.at(copy, first + copy);
  Trace<T> trace(copies, pass);
  TraceArrays own;
  read(compute, {{}, {}, SequenceInput<T>::of(words, copies.source.lengths)}, answers, true, own, trace);
  for (int copy = 0; copy < copies.size; ++copy) {
    const std::span<T> d = own.d_logits[copy].flat();
    softmax(std::span<const T>(trace.scores[copy].flat()), d);
    d[static_cast<std::size_t>(copies.target.at(copy, first + copy))] -= T{1};
  }
  const SequenceGradient<T> d_words{compute.zeros<T>(S, B, E), {}};
  backward_into(compute, copies, own, d_words);
  for (Index copy = 0; copy < B; ++copy)
    for (Index s = 0; s < S; ++s)
      influence(first + copy, s) = -dot(words[s][copy].flat(), std::span<const T>(d_words.dense[s][copy].flat()));
}

template Cube<float> Seq2Seq<float>::influence(Compute&, const Trace<float>&) const;
template Cube<double> Seq2Seq<double>::influence(Compute&, const Trace<double>&) const;

}  // namespace fovea
