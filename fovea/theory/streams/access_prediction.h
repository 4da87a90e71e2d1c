// What a trace of memory accesses tells of itself before a network is trained on it: whether a network that learns what
// followed what can foretell the accesses of the validation split.
//
// Each training window is filed under its contexts: the access d back, for d = 1 .. 8, and the last k accesses, for k =
// 2 .. 4. Windows come in the order of training, which is shuffled. A context keeps what followed it when it was last
// met in that order, and how often that was what followed it when it was next met: it is as sure as
//
//   (times that it was + 1/2) / (times it was asked + 1)
//
//   told        share of the validation windows of which the surest context that training had says the next access
//   in_window   the same of what followed the last access where the window itself had it before
//   new_pages   share of which the next page followed no training window: no network with a vector a page foretells it
//
// A network is expected to reach the larger of `told` and `in_window`.
#pragma once

#include <algorithm>
#include <vector>

#include "fovea/data/prefetchers.h"

namespace fovea {

struct AccessPrediction {
  std::int64_t trained_on = 0, asked = 0;  // windows
  double told = 0, in_window = 0, new_pages = 0;
  std::vector<TableScore> tables;

  double expected() const { return std::max(told, in_window); }
};

// Of at most so many windows of training, and of all of validation, as its tables are. Throws wrong_input where the
// task does not give accesses.
AccessPrediction predict_accesses(const Task& task, std::int64_t trained_on = 200'000);

}  // namespace fovea
