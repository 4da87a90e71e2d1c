#include "fovea/nn/optimizer/schedule.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace fovea {

double Schedule::at(std::int64_t step) const {
  assert(step >= 0 && period >= 1);
  if (step < warmup) return rate * static_cast<double>(step + 1) / static_cast<double>(warmup);
  const std::int64_t since = step - warmup;
  const double way =
      std::min(1.0, static_cast<double>(since) / static_cast<double>(std::max<std::int64_t>(steps - warmup, 1)));
  switch (kind) {
    case Kind::constant:
      return rate;
    case Kind::linear:
      return rate * (1 + (floor - 1) * way);
    case Kind::cosine:
      return rate * (floor + (1 - floor) * (1 + std::cos(std::numbers::pi * way)) / 2);
    case Kind::step:
      return rate * std::pow(factor, static_cast<double>(since / period));
  }
  return rate;
}

}  // namespace fovea
