// Shards: the gradient of a batch from parts of it, for data-parallel training (room lab/ranks). The TrainLoop
// (lab/train) calls it; it writes gradients.
//
// A batch is divided into a fixed number of shards. One rank passes each shard through the model, and every rank sums
// all of them in their order. The sum has the same bits for any number of ranks, one included. A step then updates
// every rank's parameters alike, and no rank sends any.
#pragma once

#include <cstddef>
#include <vector>

#include "fovea/data/batch.h"
#include "fovea/lab/ranks/ranks.h"
#include "fovea/model/model.h"
#include "fovea/nn/compute.h"
#include "fovea/nn/parameters.h"

namespace fovea {

template <class T>
class Shards {
 public:
  // Without ranks all shards are this process's own. Throws wrong_input where the ranks cannot share the shards
  // evenly, batches of this kind have no parts, or the model keeps statistics over a batch (batch norm), which parts of
  // it would change.
  Shards(int count, Ranks* ranks, Kind kind, ParameterSet<T>& parameters);

  // Leaves d loss / d parameter in the parameters' gradients and returns the loss. `stop`: this rank is asked to stop.
  double gradient(Compute& compute, Model<T>& model, const Batch& batch, const Pass& pass, bool stop);

  // At the last gradient some rank was asked to: all stop after the same step.
  bool stopped() const { return stopped_; }

  bool first() const { return !ranks_ || ranks_->first(); }

  // Throws failure unless every rank begins at the same step.
  void agree_on_start(std::int64_t step) const;

 private:
  // What a shard says beside its gradient.
  struct Tally {
    double loss = 0;     // mean over what was counted
    double counted = 0;  // rows with an answer
    double stop = 0;
  };
  std::size_t stride() const;  // bytes of a shard
  void put(std::byte* place, const Tally& tally) const;
  double sum();

  const int count_, own_, begin_;  // this rank's shards are [begin, begin + own)
  Ranks* ranks_;
  ParameterSet<T>& parameters_;
  std::vector<std::byte> mine_, all_;
  std::vector<Tally> tallies_;
  Batch part_;
  bool stopped_ = false;
};

}  // namespace fovea
