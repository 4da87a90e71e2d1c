// The logistic function and the softplus of one number; neither overflows (room math). Closed forms in theory, models
// and probes call them.
#pragma once

#include <cmath>

#include "fovea/base/functions/functions.h"

namespace fovea {

// 1 / (1 + e^-x)
template <class T>
T logistic(T x) {
  const T small = math::exp(-std::abs(x));
  return (x < 0 ? small : T{1}) / (1 + small);
}

// log(1 + e^x): the logistic loss of a score x that should be low
template <class T>
T softplus(T x) {
  return (x > 0 ? x : T{0}) + math::log1p(math::exp(-std::abs(x)));
}

}  // namespace fovea
