// Prefetchers: the interface of tasks on a trace of memory accesses, read in the order of the trace (room data).
// data/tasks/addresses implements it. Predictions (theory/streams/access_prediction.h), the probe `addresses` and
// `fovea predict` read it; they train nothing.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fovea/data/task.h"

namespace fovea {

// What a table of a hardware prefetcher predicts: the baselines of models. Shares of the accesses that a split asks
// for.
struct TableScore {
  std::string name;
  double page = 0, offset = 0, both = 0;  // predicted rightly
  double coverage = 0;                    // for which the table had an entry at all
};

// An access as models are shown it; page -1 where it is not told apart.
struct ShownAccess {
  int counter = 0, page = 0, offset = 0;
};

// Accesses of the trace, from 1; both ends belong to them.
struct AccessRange {
  std::int64_t first = 0, last = 0;
};

class Prefetchers {
 public:
  virtual ~Prefetchers() = default;

  // Each table fed the trace from its first access on, and looked at where the split asks.
  virtual std::vector<TableScore> table_scores(Split split) const = 0;

  // Calls `take` for each window of a split, in the order of the trace, with its accesses and the next one.
  using TakeWindow = std::function<void(std::span<const ShownAccess> window, const ShownAccess& next)>;
  virtual void each_window(Split split, const TakeWindow& take) const = 0;

  // The accesses that a split asks for: from the first window's next one to the last window's.
  virtual AccessRange accesses_of(Split split) const = 0;
};

}  // namespace fovea
