// What the classical tables of hardware prefetchers foretell of a trace: the baselines of models that learn it.
#pragma once

#include <string>
#include <vector>

#include "fovea/data/task.h"

namespace fovea {

// Shares of the accesses that a split asks for.
struct TableScore {
  std::string name;
  double page = 0, offset = 0, both = 0;  // foretold rightly
  double coverage = 0;                    // for which the table had an entry at all
};

class Prefetchers {
 public:
  virtual ~Prefetchers() = default;

  // Each table fed the trace from its first access on, and looked at where the split asks.
  virtual std::vector<TableScore> table_scores(Split split) const = 0;
};

}  // namespace fovea
