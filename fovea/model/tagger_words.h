// The input of taggers for a word: its embedding plus embeddings of its features (room model). For N positions with
// words w_n and features f_n1 .. f_nF, and 0 on padding:
//
//   x_n = E[w_n] + Σ_i G[f_ni]                        E (V,E), G (features,E), x (N,E)
//   dE[v] = Σ_(n: w_n = v) dx_n                       dG[g] = Σ_(n,i: f_ni = g) dx_n
#pragma once

#include "fovea/data/task.h"
#include "fovea/nn/embedding.h"

namespace fovea {

template <class T>
struct TaggerWords {
  Embedding<T> words, features;  // features: without weights where the task has none

  static TaggerWords declare(ParameterSet<T>& parameters, const TaskShape& shape, Index width,
                             Init start = Init::normal(1)) {
    TaggerWords table{Embedding<T>::declare(parameters, "embedding", shape.vocab, width, start), {}};
    if (shape.features > 0)
      table.features = Embedding<T>::declare(parameters, "feature_embedding", shape.features, width, start);
    return table;
  }

  // The tokens of each position, and what is the i-th feature of each.
  struct Trace {
    std::span<const int> words;
    std::span<std::span<const int>> features;
    Matrix<T> x;  // (N,E)
  };

  // Positions in the order of the batch, b S + s, or `by_time`, s B + b.
  Trace forward(Compute& compute, const Batch& batch, bool by_time) const {
    const Index B = batch.size, S = batch.source.columns;
    const auto ordered = [&](std::span<const int> tokens) {
      return by_time ? time_major(compute.arena, tokens, B, S) : tokens;
    };
    Trace trace{ordered(batch.source.ids), {}, {}};
    trace.x = words.forward(compute, trace.words);
    if (!features.weight) return trace;
    const auto width = static_cast<std::size_t>(batch.feature_width);
    trace.features = compute.arena.take<std::span<const int>>(width);
    for (std::size_t i = 0; i < width; ++i) {
      const std::span<int> feature = compute.arena.take<int>(batch.source.ids.size());
      for (std::size_t n = 0; n < feature.size(); ++n) feature[n] = batch.features[n * width + i];
      trace.features[i] = ordered(feature);
      const Matrix<T> rows = features.forward(compute, trace.features[i]);
      for (Index at = 0; at < rows.count(); ++at) trace.x.data()[at] += rows.data()[at];
    }
    return trace;
  }

  void backward(Compute& compute, const Trace& trace, Matrix<const T> d_x) const {
    words.backward(compute, trace.words, d_x);
    for (const std::span<const int> feature : trace.features) features.backward(compute, feature, d_x);
  }
};

// β of tags: with z_bts the log-probability of a tag if all of the attention of b, t is on s, and P_bt the positions
// that it can attend to,
//
//   β_bts = z_bts - 1/|P_bt| Σ_(u in P_bt) z_btu      0 where s is not in P_bt
template <class T>
void centre(std::span<T> beta) {
  T sum = 0;
  for (const T z : beta) sum += z;
  for (T& z : beta) z -= sum / static_cast<T>(beta.size());
}

}  // namespace fovea
