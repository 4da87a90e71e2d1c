// A layer of heads that attend by the lag alone (room model/exact). With H heads and streams of n positions:
//
//   A_hti = softmax_{i<=t} a_h,(t-i)                a (H,n), or (n) of one head: a logit for each lag
//
// Rules of layer 1 change A as they change the weights of other models. Backward, from dA of the used weights:
//
//   da_h,(t-i) += A_hti (dA_hti - sum_k A_htk dA_htk)        0 of rows that are held or ablated
#pragma once

#include "fovea/model/exact/ruled_row.h"
#include "fovea/model/right_positions.h"
#include "fovea/model/trace.h"
#include "fovea/nn/parameters.h"

namespace fovea {

template <class T>
struct LagHeads {
  // (1 or B,n,n): of all streams alike unless a rule tells them apart. 0 above the diagonal.
  struct Rows {
    Cube<T> weights;
    // Row t of stream b, up to itself.
    std::span<T> operator()(Index b, Index t) const {
      return weights[weights.size(0) == 1 ? 0 : b][t].flat().first(static_cast<std::size_t>(t + 1));
    }
  };
  struct Map {
    Rows learned, used;  // what logits gave, and that under the rule

    void copy_to(Cube<T> map) const {
      for (Index b = 0; b < map.size(0); ++b)
        std::ranges::copy(used.weights[used.weights.size(0) == 1 ? 0 : b].flat(), map[b].data());
    }
  };

  const Param<T>* logits = nullptr;

  bool learns() const { return logits->learns(); }
  // Heads count from 1.
  Map weigh(const Compute& compute, const Trace<T>& trace, int head) const {
    const Index n = trace.batch->source.columns;
    const AttentionRule rule = trace.pass.rules.of(1, head);
    const Index streams = rule.shift || rule.reads_right() ? trace.batch->size : 1;
    Map map{{compute.zeros<T>(streams, n, n)}, {compute.zeros<T>(streams, n, n)}};
    const std::span<T> scores = compute.arena.take<T>(static_cast<std::size_t>(n));
    for (Index b = 0; b < streams; ++b)
      for (Index t = 0; t < n; ++t) {
        for (Index i = 0; i <= t; ++i) scores[static_cast<std::size_t>(i)] = of_head(logits->value, head)[t - i];
        RuledRow<T> row{map.learned(b, t), map.used(b, t)};
        weigh_row<T>(rule, b, t, right_of(trace, rule, b, t), scores.first(static_cast<std::size_t>(t + 1)), row);
      }
    return map;
  }
  // d of the used weights becomes d of the scores, and adds to the gradient of the logits.
  void backward(const Trace<T>& trace, const Map& map, int head, const Rows& d) const {
    if (!learns()) return;
    const AttentionRule rule = trace.pass.rules.of(1, head);
    for (Index b = 0; b < d.weights.size(0); ++b)
      for (Index t = 0; t < d.weights.size(1); ++t) {
        const std::span<const int> right = right_of(trace, rule, b, t);
        const RuledRow<T> row{map.learned(b, t), {}, !rule.ablated && !rule.holds(right)};
        const std::span<T> slopes = d(b, t);
        weigh_row_backward(rule, right, row, slopes);
        for (Index i = 0; i <= t; ++i) of_head(logits->gradient, head)[t - i] += slopes[static_cast<std::size_t>(i)];
      }
  }

 private:
  T* of_head(T* all, int head) const { return all + (head - 1) * logits->shape.back(); }
  static std::span<const int> right_of(const Trace<T>& trace, const AttentionRule& rule, Index b, Index t) {
    if (!rule.reads_right()) return {};
    return right_positions(*trace.batch).of(b * trace.batch->source.columns + t);
  }
};

}  // namespace fovea
