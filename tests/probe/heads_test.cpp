#include <cmath>

#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::HandMade;

// One stream a b a b: asked at positions 1, 2 and 3.
HandMade stream_look() {
  HandMade look;
  look.kind = Kind::token_streams;
  look.set_lengths({4}, 4);
  look.batch.source.ids = {0, 1, 0, 1};
  look.batch.target = look.batch.source;
  look.batch.target.ids = {-1, 0, 1, 0};
  look.set_scores(4, 2, {0, 0, 0, 0, 0, 0, 2, 0}, {-1, 0, 1, 0});
  return look;
}

TEST(HeadsProbe, EachMeasureOfAHandMadeHead) {
  HandMade look = stream_look();
  look.set_attention(1, 4, 4,
                     {1, 0, 0, 0,          //
                      0.25, 0.75, 0, 0,    //
                      0.5, 0.3f, 0.2f, 0,  //
                      0.1f, 0.1f, 0.7f, 0.1f});
  const auto said = look.numbers("heads");
  EXPECT_NEAR(said.at("weight_on_previous"), (0.25 + 0.3 + 0.7) / 3, 1e-6);
  EXPECT_NEAR(said.at("weight_on_first"), (0.25 + 0.5 + 0.1) / 3, 1e-6);
  // Position 2 (a): behind the a at 0 stands 1. Position 3 (b): behind the b at 1 stands 2. Position 1: no earlier b.
  EXPECT_NEAR(said.at("induction"), (0.3 + 0.7) / 2, 1e-6);
  EXPECT_NEAR(said.at("weight_on_previous_chance"), (1.0 / 2 + 1.0 / 3 + 1.0 / 4) / 3, 1e-6);
  EXPECT_NEAR(said.at("induction_chance"), (1.0 / 3 + 1.0 / 4) / 2, 1e-6);
  EXPECT_FALSE(said.contains("weight_on_needed"));
}

TEST(HeadsProbe, RightPlacesAreAShareOfAllWeightWhateverItsSign) {
  HandMade look = stream_look();
  look.batch.pattern_width = 2;
  look.batch.pattern = {-1, -1, -1, -1, 0, 1, 2, -1};
  look.set_attention(1, 4, 4, {1, 0, 0, 0, 1, 0, 0, 0, -1, 1, 2, 0, 0, 0, -3, 1});
  EXPECT_NEAR(look.numbers("heads").at("weight_on_needed"), (0.5 + 0.75) / 2, 1e-6);
  EXPECT_NEAR(look.numbers("heads").at("weight_on_first_unneeded"), 1, 1e-6) << "place 1 needs nothing";
  EXPECT_EQ(look.numbers("heads").at("rows_without_weight"), 0);
}

TEST(HeadsProbe, RowsWithoutWeightAreOnNoPlace) {
  HandMade look = stream_look();
  look.batch.pattern_width = 1;
  look.batch.pattern = {-1, -1, 1, 2};
  look.set_attention(1, 4, 4, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0.5});
  const auto said = look.numbers("heads");
  EXPECT_NEAR(said.at("weight_on_needed"), (0 + 0.5) / 2, 1e-6);
  EXPECT_EQ(said.at("weight_on_first_unneeded"), 0);
  EXPECT_EQ(said.at("rows_without_weight"), 1);
}

TEST(LossByPosition, EarlyAndLateTenths) {
  const HandMade look = stream_look();
  const auto said = look.numbers("loss_by_position");
  EXPECT_NEAR(said.at("loss_first_tenth"), std::log(2), 1e-6);
  EXPECT_NEAR(said.at("loss_last_tenth"), std::log(1 + std::exp(-2)), 1e-6);
  EXPECT_NEAR(said.at("in_context_score"), std::log(1 + std::exp(-2)) - std::log(2), 1e-6);
}

}  // namespace
}  // namespace fovea
