// Ladder: the interface of tasks whose loss plateaus can be predicted (room data). The stream tasks implement it. The
// probe `ladder` and theory/streams/stream_prediction.cpp read it.
//
// A rung is a set of information (nothing, the current token, counts of earlier tokens, the previous token, ...) and
// the best prediction from it. Rungs come from the data alone, before any training. Their cross-entropies are
// predicted loss plateaus.
#pragma once

#include <string>
#include <vector>

#include "fovea/data/batch.h"

namespace fovea {

class Ladder {
 public:
  virtual ~Ladder() = default;

  // From the least information to the most; the last is the best that can be done.
  virtual std::vector<std::string> rungs() const = 0;

  // Whether answers are the distributions `truth` of a batch, of which its target is one draw: then so are losses of
  // rungs.
  virtual bool answers_are_distributions() const { return false; }

  // The distribution over the target's tokens that rung `rung` gives for each place, (B * target.columns,
  // target_vocab), batch-major; rows where nothing is asked are 0. Const and free of hidden state.
  virtual void predict(const Batch& batch, int rung, Matrix<float> probabilities) const = 0;
};

}  // namespace fovea
