#include "fovea/base/duration.h"

#include <gtest/gtest.h>

#include <limits>

namespace fovea {
namespace {

TEST(DurationText, IsAsLongAsItMust) {
  EXPECT_EQ(duration_text(0), "0.0 s");
  EXPECT_EQ(duration_text(9.94), "9.9 s");
  EXPECT_EQ(duration_text(9.96), "10 s");
  EXPECT_EQ(duration_text(185), "3 min 05 s");
  EXPECT_EQ(duration_text(7800), "2 h 10 min");
  EXPECT_EQ(duration_text(1e7), "2777 h 46 min");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "?");
}

}  // namespace
}  // namespace fovea
