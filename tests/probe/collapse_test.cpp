#include "fovea/base/error/error.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::HandMade;

// One stream of five positions, asked at four; the first of these does not count.
struct CollapseScene {
  HandMade look;
  std::vector<float> states;

  CollapseScene(std::vector<float> of_places, std::vector<float> scores) : states(std::move(of_places)) {
    look.kind = Kind::token_streams;
    look.set_lengths({5}, 5);
    look.batch.target = look.batch.source;
    look.batch.target.ids = {-1, 0, 1, 1, 0};
    look.set_scores(5, 2, std::move(scores), look.batch.target.ids);
    look.states_cube = Cube<const float>(states.data(), 1, 5, 2);
  }
};

TEST(CollapseProbe, OneDirectionAndOneAnswerIsCollapse) {
  const CollapseScene scene({9, 9, 9, -9, 1, 0, 2, 0, 3, 0}, {0, 0, 0, 1, 1, 0, 1, 0, 1, 0});
  const auto said = scene.look.numbers("collapse");
  EXPECT_NEAR(said.at("state_cosine"), 1, 1e-12);
  EXPECT_EQ(said.at("repetition"), 1);
  EXPECT_EQ(said.at("repetition_data"), 0.5);
}

TEST(CollapseProbe, PairsAreCountedOnceAndOpposedStatesCancel) {
  // Cosines of (1,0), (0,1), (-1,0): 0, -1, 0.
  const CollapseScene scene({9, 9, 9, 9, 1, 0, 0, 1, -1, 0}, {0, 0, 0, 1, 1, 0, 0, 1, 1, 0});
  const auto said = scene.look.numbers("collapse");
  EXPECT_NEAR(said.at("state_cosine"), -1.0 / 3, 1e-12);
  EXPECT_EQ(said.at("repetition"), 0);
}

TEST(CollapseProbe, WhereATaskKnowsThemItLooksAtPlacesThatNeedOthers) {
  CollapseScene scene({9, 9, 1, 0, 1, 0, 0, 1, -1, 0}, {0, 0, 1, 0, 1, 0, 0, 1, 0, 1});
  scene.look.batch.alignment = {-1, -1, 0, 1, 2};
  const auto said = scene.look.numbers("collapse");
  EXPECT_NEAR(said.at("state_cosine"), 0, 1e-12);
  EXPECT_EQ(said.at("repetition"), 1);
  EXPECT_EQ(said.at("repetition_data"), 0);
}

TEST(CollapseProbe, IsOfStreams) {
  HandMade look;
  EXPECT_THROW(look.numbers("collapse"), Error);
}

}  // namespace
}  // namespace fovea
