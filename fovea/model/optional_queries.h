// What some models can be asked beyond a pass. They make passes of their own for it, and leave the trace and the
// gradients of parameters as they are.
#pragma once

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
  virtual std::vector<std::vector<int>> say(Compute& compute, const Batch& batch, const Pass& pass,
                                            const Search& search) const = 0;
};

}  // namespace fovea
