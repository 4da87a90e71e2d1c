// A shift of scores that layer, head, stream, row and column tell apart, for tests of rules that change scores.
#pragma once

#include "fovea/nn/attention/attention_rule.h"

namespace fovea::testing {

struct TestShift final : ScoreShift {
  double at(int layer, int head, std::int64_t stream, Index i, Index j) const override {
    return 0.1 * layer + 0.2 * head * static_cast<double>(j % 2) + 0.3 * static_cast<double>(stream * (j % 3)) -
           0.2 * static_cast<double>(i * j % 3);
  }
};
inline const TestShift test_shift;

}  // namespace fovea::testing
