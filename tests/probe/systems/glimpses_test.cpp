// What probe glimpses says of looks at two images of 4 x 4 pixels that are made by hand.
#include <cmath>

#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

TEST(GlimpsesProbe, TellsErrorsAndPlacesGlimpseByGlimpse) {
  testing::HandMade look;
  look.kind = Kind::labelled_vectors;
  look.batch.size = 2;
  look.batch.labels = {0, 1};
  look.batch.marked.assign(32, 0);
  for (const int pixel : {0, 1, 4, 5, 16 + 10}) look.batch.marked[static_cast<std::size_t>(pixel)] = 1;
  // After the first glimpse both say 0, after the second both are right.
  look.set_scores(4, 2, {1, 0, 1, 0, 1, 0, 0, 1}, {-1, 0, -1, 1});
  std::vector<float> weights(64);
  weights[0] = weights[1] = weights[4] = weights[5] = 0.25f;  // image 0, glimpse 1: on the mark
  weights[16 + 1] = weights[16 + 2] = 0.5f;                   // glimpse 2: half on it
  weights[32 + 10] = 1;                                       // image 1, glimpse 1: on it
  weights[48 + 2] = 1;                                        // glimpse 2: two rows above it
  look.set_attention(2, 2, 16, weights);
  const auto numbers = look.numbers("glimpses");
  const double off = std::hypot(1.0, 0.5);  // (2, 0.5) from (1, 1)
  const std::map<std::string, double> wanted{{"error_after_1", 0.5},
                                             {"error_after_2", 0},
                                             {"error", 0},
                                             {"distance_1", 0},
                                             {"distance_2", (off + 2) / 2 / 4},
                                             {"distance", (off + 2) / 2 / 4},
                                             {"on_digit_1", 1},
                                             {"on_digit_2", 0.25},
                                             {"on_digit", 0.25}};
  ASSERT_EQ(numbers.size(), wanted.size());
  for (const auto& [name, value] : wanted) EXPECT_NEAR(numbers.at(name), value, 1e-6) << name;
}

TEST(GlimpsesProbe, IsOfModelsThatLookAtImages) {
  testing::HandMade look;
  look.kind = Kind::labelled_bags;
  EXPECT_THROW(look.prepared("glimpses"), Error);
  look.kind = Kind::labelled_vectors;
  EXPECT_THROW(look.prepared("glimpses", false), Error);
}

}  // namespace
}  // namespace fovea
