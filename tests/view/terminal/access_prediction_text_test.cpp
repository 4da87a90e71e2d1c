#include "fovea/view/terminal/prediction/access_prediction_text.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

std::string verdict(std::int64_t asked, double told, double table, double in_window = 0) {
  AccessPrediction p;
  p.asked = asked;
  p.told.both = told;
  p.in_window.both = in_window;
  p.tables = {{"ghb"}, {"stride", 1, 1, table, 1}};
  const std::string text = access_prediction_text(p, Terminal());
  return text.substr(0, text.find('\n'));
}

TEST(AccessPredictionText, SaysForWhomATraceIsHard) {
  EXPECT_EQ(verdict(1000, 0.05, 1),
            "hard for a network: 5 % of the accesses are predicted by contexts of training (95 % interval: 3.81 to "
            "6.53 %), and 100 % by the table 'stride'.");
  EXPECT_EQ(verdict(1000, 0.05, 0.09),
            "hard: 5 % of the accesses are predicted by contexts of training (95 % interval: 3.81 to 6.53 %).");
  EXPECT_EQ(verdict(1000, 0.5, 0.6),
            "in part: 50 % of the accesses are predicted by contexts of training (95 % interval: 46.9 to 53.1 %), and "
            "60 % by the table 'stride'.");
  EXPECT_EQ(verdict(1000, 0.5, 1, 1),
            "not hard: 100 % of the accesses are predicted by the window itself (95 % interval: 99.6 to 100 %).");
}

TEST(AccessPredictionText, OfAFewWindowsSaysThatTheyTellNothing) {
  for (const double told : {0.0, 1.0}) {
    const std::string few = verdict(few_windows - 1, told, told), enough = verdict(few_windows, told, told);
    EXPECT_EQ(few.find("unknown, because 34 validation windows are too few: "), 0u) << few;
    EXPECT_EQ(enough.find(told > 0 ? "not hard: " : "hard: "), 0u) << enough;
  }
  AccessPrediction p;
  p.asked = few_windows;
  p.told.both = 1;
  EXPECT_GE(p.interval().low, 0.9);
  p.asked = few_windows - 1;
  EXPECT_LT(p.interval().low, 0.9);
}

}  // namespace
}  // namespace fovea
