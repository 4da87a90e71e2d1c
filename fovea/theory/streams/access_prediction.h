// What a trace of memory accesses tells of itself before a network is trained on it: whether a network that learns what
// followed what can predict the accesses of the validation split. A network says page and offset apart, and so does
// this: each is predicted from contexts of its own.
//
// A context is what the access d back was, for d = 1 .. 8, or what the last k accesses were, for k = 2 .. 4, where an
// access is taken as
//
//   its line      predicts page and offset         its page    predicts the page
//   its offset    predicts the offset              its offset, with the step to it    predicts the offset; d = 1
//
// each by itself and together with its counter. All windows of training are read in the order of the trace. A context
// keeps a value of the page and of the offset that followed it, with a vote of 1 to 15: what is met again adds one,
// what is not takes one, and replaces the value where there is one left. With n times that it was met when it had a
// value, and r times that this was what came, it is as sure as
//
//   (r + 2 s) / (n + 2)        s the share of the contexts of its kind that were right when n was 0
//
// and of a window of validation the surest says page, or offset. That is the network's measure, not a table's: what it
// never saw is not predicted by a step that it saw elsewhere.
//
//   told        shares of the validation windows of which this is right: of page, of offset, of both
//   in_window   the same of what followed the last access where the window itself had it before
//   new_pages   share of which the next page followed no training window: no network with a vector a page predicts it
//
// A network is expected to reach the larger of `told` and `in_window`. The interval of that share is of windows drawn
// one by one; neighbours in a trace are alike, so it is too narrow. Of fewer than `few_windows` not even all right, or
// none, tells whether a trace is hard: nine in ten, or one, lies in the interval then.
//
// What is kept of contexts is bounded (`most_contexts`): beyond that, those that have predicted least go first, and
// what is told is too low.
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
