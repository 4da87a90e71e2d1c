// The two errors of model `race-product` (race_product.cpp) at any vectors, for that model, its theory and its probe
// (room model/exact).
#pragma once

#include <array>
#include <span>

#include "fovea/data/batch.h"
#include "fovea/model/exact/outer_error.h"

namespace fovea {

template <class T>
using RaceVectors = std::array<std::span<const T>, 4>;  // a, b, c, d

struct RaceErrors {
  OuterError context, weights;  // of a, b, c; of d, b, c

  template <class T>
  static RaceErrors of(const RaceVectors<T>& at, const RaceVectors<T>& truth) {
    RaceErrors errors;
    for (std::size_t i = 0; i < 3; ++i) {
      errors.context.set<T>(i, at[i], truth[i]);
      errors.weights.set<T>(i, at[i == 0 ? 3 : i], truth[i == 0 ? 3 : i]);
    }
    return errors;
  }
};

// a*, b*, c*, d* of a batch of task `race-product`.
inline RaceVectors<float> race_truths(const Batch& batch) {
  const auto row = [](const Items& items, int column) {
    return std::span<const float>(items.item(0, column), static_cast<std::size_t>(items.width));
  };
  return {row(batch.answers, 0), row(batch.answers, 1), row(batch.answers, 2), row(batch.items, 0)};
}

}  // namespace fovea
