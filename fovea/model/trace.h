// Trace: one forward pass, with its outcome and the arrays that later passes need (room model). Models make it. The
// trainer, the evaluator and probes read its Outcome. A model stores nothing of a call. Several traces of one model
// may be in use at once, each with the Compute that it was made with.
//
// A trace is a few views. The arrays, including the model's own, are in the arena of that Compute until it is reset.
// The batch must live as long.
#pragma once

#include <cassert>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

#include "fovea/data/batch.h"
#include "fovea/model/attention_map.h"
#include "fovea/nn/attention/attention_rule.h"
#include "fovea/nn/compute.h"

namespace fovea {

struct Pass {
  bool training = false;   // dropout on, batch statistics in use
  std::uint64_t seed = 0;  // dropout draws from RandomStream(seed, "dropout", step, layer)
  std::uint64_t step = 0;
  AttentionRules rules = {};  // none: every head attends by its scores
};

// What a pass gave, for everybody to read.
template <class T>
struct Outcome {
  double loss = 0;   // mean over rows (or over points)
  Matrix<T> scores;  // (rows, classes): a row per example, or per target word (B*T rows, batch-major; in training maybe
                     // of those asked alone, as answers then are); 2 classes may be one column: the logit of class 1
  std::span<const int> answers;  // (rows) right class of each row, -1 where there is none
  Cube<T> attention;  // the map "attention", (B, rows per example, columns): of several heads their mean; 0 on padding;
                      // empty for a model without attention
  std::span<const AttentionMap<T>> further;  // the other maps, such as those of the heads
  Matrix<T> predictions;                     // points: (queries, value width)
};

template <class T>
struct Trace : Outcome<T> {
  Trace(const Batch& b, const Pass& p) : batch(&b), pass(p) {}

  const Batch* batch;
  Pass pass;

  // The model's own part: what its backward, beta, states and influence read. A struct of views and numbers.
  template <class TraceArrays>
  void keep(const Compute& compute, const TraceArrays& own) {
    static_assert(std::is_trivially_copyable_v<TraceArrays>);
    own_ = new (compute.arena.take<TraceArrays>(1).data()) TraceArrays(own);
    type_ = &type_of<TraceArrays>;
  }
  template <class TraceArrays>
  const TraceArrays& own() const {
    assert(type_ == &type_of<TraceArrays> && "a trace of another model");
    return *static_cast<const TraceArrays*>(own_);
  }

 private:
  template <class TraceArrays>
  static constexpr char type_of = 0;  // its address tells one type from another

  const void* own_ = nullptr;
  const void* type_ = nullptr;
};

// Every map of a trace against what its model says of their rows and columns; throws failure where one has others.
template <class T>
void check_attention(const AttentionMeaning& meaning, const Trace<T>& trace) {
  check_attention(meaning, *trace.batch, "attention", trace.attention);
  for (const AttentionMap<T>& map : trace.further) check_attention(meaning, *trace.batch, map.name, map.weights);
}

}  // namespace fovea
