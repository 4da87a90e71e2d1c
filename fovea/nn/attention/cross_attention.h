// Attention of every target position over the source, time-major:
//
//   score_ts = (A d_t + a)·e_s      α_t = softmax over the source positions present      context_t = Σ_s α_ts e_s
#pragma once

#include <string>

#include "fovea/nn/linear.h"

namespace fovea {

template <class T>
struct CrossAttention {
  Linear<T> query;  // A (He,Hd), a (He)

  static CrossAttention declare(ParameterSet<T>& parameters, const std::string& prefix, Index target_width,
                                Index source_width);

  // Which rows are not the model's own choice.
  struct Rule {
    bool uniform = false;            // every row: the same weight on all that is present
    std::span<const int> alignment;  // (B,T) row-major: all weight on that position; -1: learned; empty: all learned
  };

  // What backward needs. Views of the arguments of forward, which must live until then.
  struct Trace {
    Cube<const T> targets, sources;  // d (T,B,Hd), e (S,B,He)
    std::span<const int> lengths;    // (B) source positions present
    Rule rule;
    Cube<T> queries;  // A d + a (T,B,He)
    Cube<T> weights;  // α (B,T,S); 0 behind a row's length
  };

  // d (T,B,Hd), e (S,B,He) -> context (T,B,He)
  Cube<T> forward(Compute& compute, Cube<const T> targets, Cube<const T> sources, std::span<const int> lengths,
                  Rule rule, Trace& trace) const;

  // Adds into d_targets, d_sources and the gradients of A and a. Rows that were forced pass nothing on to the scores.
  void backward(Compute& compute, const Trace& trace, Cube<const T> d_context, Cube<T> d_targets,
                Cube<T> d_sources) const;
};

}  // namespace fovea
