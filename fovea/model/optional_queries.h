// Queries that only some models support, such as influence and head betas (room model). Probes and the Python package
// call them through Model::…() (model/model.h). They run their own passes, and leave the trace and the gradients of
// parameters unchanged.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "fovea/model/model.h"

namespace fovea {

template <class T>
class HasInfluence {
 public:
  virtual ~HasInfluence() = default;

  // Δ: how much the loss of each row would fall if the word at a position counted more, -∂loss/∂m_s at m = 1 where m_s
  // multiplies the word's embedding; (B, rows per example, positions), of the trace's batch, in evaluation mode.
  virtual Cube<T> influence(Compute& compute, const Trace<T>& trace) const = 0;
};

// How a model says a sequence: it keeps the `beams` best beginnings, and in the end the one whose log-probability over
// ((5 + n) / 6)^length_penalty is largest, for n tokens with the end. One beam is greedy search.
struct Search {
  int beams = 1;
  double length_penalty = 0;
  int longest = 0;  // tokens at most; 0: twice the source's, and ten
};

template <class T>
class GeneratesText {
 public:
  virtual ~GeneratesText() = default;

  // What it says itself for each source of a batch of token pairs, without the end token.
  virtual std::vector<std::vector<int>> generate(Compute& compute, const Batch& batch, const Pass& pass,
                                                 const Search& search) const = 0;
};

// What each head of self-attention does to the answers, beyond its weights A (model/attention_map.h). With n asked rows
// (nn/stream_rows.h), y_i = Σ_j A_ij v_j what the head gives at position i, and O its map to the width:
//
//   β_ij     = Σ_asked d log p(answer) / d A_ij = -n (d loss / d y_i) · v_j         0 where j > i
//   moved_j  = ‖O v_j‖                             how far a position moves those that attend to it
//
// β is to first order what a weight more on position j would add to all log-probabilities of right answers that hang on
// position i. A logit of a softmax moves by A_ij (β_ij - Σ_m A_im β_im), as the toy gate's does.
template <class T>
struct HeadBeta {
  std::string_view name;  // that of the head's map
  Cube<T> beta;           // (B, T, T)
};

template <class T>
class HasHeadBetas {
 public:
  virtual ~HasHeadBetas() = default;

  // Of a training pass of its own, whose gradients are added to those of the parameters where `compute` wants them.
  // Empty where maps would be too large to be shown.
  virtual std::span<const HeadBeta<T>> head_betas(Compute& compute, const Batch& batch, Pass pass) const = 0;
};

}  // namespace fovea
