#include "fovea/view/terminal/heads_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fovea {
namespace {

Series ending_with(double value) { return {{0, 400}, {0.1, value}}; }

TEST(HeadsText, HasARowForEachLayerAndTheHeadWithTheMost) {
  const std::map<std::string, Series> series{{"induction", ending_with(0.96)},
                                             {"induction_chance", ending_with(0.07)},
                                             {"induction_l1_h1", ending_with(0.06)},
                                             {"induction_l1_h2", ending_with(0.1)},
                                             {"induction_l2_h1", ending_with(0.96)},
                                             {"induction_l2_h1_held", ending_with(0.99)},
                                             {"weight_on_previous_l1_h1", ending_with(NAN)},
                                             {"weight_on_previous_l1_h2", ending_with(0.5)},
                                             {"agreement_l1_h1", ending_with(0.9)}};
  EXPECT_EQ(heads_text(series, {}),
            "induction of each head at step 400\n"
            "layer    h1    h2\n"
            "    1  0.06  0.10\n"
            "    2  0.96\n"
            "induction: layer 2, head 1 has the most, 0.96\n"
            "weight_on_previous: layer 1, head 2 has the most, 0.50\n");
}

TEST(HeadsText, IsEmptyWithoutSeveralHeads) {
  EXPECT_EQ(heads_text({}, {}), "");
  EXPECT_EQ(heads_text({{"induction_l1_h1", ending_with(0.5)}, {"loss", ending_with(1)}}, {}), "");
  EXPECT_EQ(heads_text({{"weight_on_previous_l1_h1", {}}, {"weight_on_previous_l1_h2", {}}}, {}), "");
}

}  // namespace
}  // namespace fovea
