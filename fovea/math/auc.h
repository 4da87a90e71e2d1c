// The area under the ROC curve (room math). The probes of accuracy and of positions, and theory/unigram_course.cpp,
// call it. It sorts its argument.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace fovea {

struct MarkedValue {
  double value;
  bool marked;
};

// The chance that of a random marked value and a random other one the marked is the larger, equal ones counting half.
// NaN where there are none of one kind, or a value is none. Sorts `values`.
inline double auc_of(std::vector<MarkedValue>& values) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (std::any_of(values.begin(), values.end(), [](const MarkedValue& v) { return std::isnan(v.value); })) return none;
  std::sort(values.begin(), values.end(), [](const MarkedValue& a, const MarkedValue& b) { return a.value < b.value; });
  // Walks up through groups of equal values; every marked one wins over the others below it.
  double wins = 0, marked = 0, others = 0;
  for (std::size_t first = 0; first < values.size();) {
    std::size_t last = first;
    double marked_here = 0, others_here = 0;
    for (; last < values.size() && values[last].value == values[first].value; ++last) {
      (values[last].marked ? marked_here : others_here) += 1;
    }
    wins += marked_here * (others + others_here / 2);
    marked += marked_here;
    others += others_here;
    first = last;
  }
  return wins / (marked * others);
}

}  // namespace fovea
