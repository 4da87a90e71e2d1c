// Predicts, before training, whether a network can predict the accesses of a memory trace (room theory/streams). Pure
// functions. `fovea predict` and the Python package call it. The network is one that learns what followed what, and
// is judged on the validation split. A network predicts page and offset separately, and so does this: each from
// contexts of its own.
//
// A context is what the access d back was, for d = 1 .. 8, or what the last k accesses were, for k = 2 .. 4. An
// access is taken as
//
//   its line      predicts page and offset         its page    predicts the page
//   its offset    predicts the offset              its offset, with the step to it    predicts the offset; d = 1
//
// each by itself and together with its counter. All windows of training are read in the order of the trace. A context
// stores a value of the page and of the offset that followed it, with a vote of 1 to 15. A value that occurs again
// adds one vote. Another value takes one, and replaces the value if one is left. Let n be how often the context
// occurred while it had a value, and r how often this value followed. Its certainty is
//
//   (r + 2 s) / (n + 2)        s the share of the contexts of its kind that were right when n was 0
//
// and in a window of validation the most certain context predicts page, or offset. This measures a network, not a
// table: what it never saw is not predicted by a step that it saw elsewhere.
//
//   told        shares of the validation windows of which this is right: of page, of offset, of both
//   in_window   the same of what followed the last access where the window itself had it before
//   new_pages   share of which the next page followed no training window: no network with a vector a page predicts it
//
// A network is expected to reach the larger of `told` and `in_window`. The interval of that share is of windows drawn
// one by one. Neighbours in a trace are alike, so the interval is too narrow. With fewer than `few_windows`, even all
// right, or none, does not show whether a trace is hard: the interval then contains nine in ten, or one.
//
// Memory for contexts is bounded (`most_contexts`). Beyond that, those that have predicted least are removed first,
// and `told` is too low.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/base/statistics.h"
#include "fovea/data/prefetchers.h"

namespace fovea {

struct AccessShares {
  double page = 0, offset = 0, both = 0;
};

inline constexpr std::int64_t few_windows = 35;

struct AccessPrediction {
  std::int64_t trained_on = 0, asked = 0;  // windows
  AccessRange fitted, scored;              // the accesses that they ask for
  AccessShares told, in_window;
  double new_pages = 0;
  std::vector<TableScore> tables;

  double expected() const { return std::max(told.both, in_window.both); }
  bool enough() const { return asked >= few_windows; }
  Estimate interval() const { return share_interval(std::llround(expected() * static_cast<double>(asked)), asked); }
  const TableScore& best_table() const {
    return *std::max_element(tables.begin(), tables.end(),
                             [](const TableScore& a, const TableScore& b) { return a.both < b.both; });
  }
};

// Throws wrong_input where the task does not give accesses.
AccessPrediction predict_accesses(const Task& task, std::int64_t most_contexts = std::int64_t{1} << 24);

}  // namespace fovea
