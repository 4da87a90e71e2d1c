// The tables of hardware prefetchers, the baselines of models (room data/tasks/addresses). access_windows.cpp of this
// room calls them. Each predicts the line of an access from those before it, a_1 .. a_t, with d_t = a_t - a_{t-1}.
// Entries are the last that were seen. Without an entry, nothing is predicted.
//
//   stride            a_s + d for the last access s of the counter that asks next, d its step from the one before it
//   markov_address    what followed the last access of the line a_t
//   markov_delta      a_t plus the step that followed the last step of d_t
//   ghb               a_t plus the step that followed the last pair of steps (d_{t-1}, d_t): a global history buffer of
//                     pairs of deltas
//
// The stride table gets the counter of the next access. The others, and models, do not.
#pragma once

#include <functional>
#include <vector>

#include "fovea/data/prefetchers.h"
#include "fovea/data/tasks/addresses/access_trace.h"

namespace fovea {

// What each table has of the accesses i for which asked(i) says so. Tables are emptied where an episode begins.
std::vector<TableScore> score_tables(const AccessTrace& trace, const std::function<bool(std::int64_t)>& asked);

}  // namespace fovea
