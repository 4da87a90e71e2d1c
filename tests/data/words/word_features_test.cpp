#include "fovea/data/words/word_features.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

using Features = std::array<std::string, word_features>;

TEST(WordFeatures, AreShapeBeginningAndEnding) {
  EXPECT_EQ(features_of("Amsterdam"), (Features{"shape Xx", "begins ams", "ends dam"}));
  EXPECT_EQ(features_of("McDonald's"), (Features{"shape XxXx'x", "begins mcd", "ends d's"}));
  EXPECT_EQ(features_of("@u2"), (Features{"shape @x0", "begins @u2", "ends @u2"}));
  EXPECT_EQ(features_of("2017"), (Features{"shape 0", "begins 201", "ends 017"}));
  EXPECT_EQ(features_of("I"), (Features{"shape X", "begins i", "ends i"}));
}

TEST(WordFeatures, CountCharactersNotBytes) {
  EXPECT_EQ(features_of("Ärzte"), (Features{"shape Xx", "begins ärz", "ends zte"}));
  EXPECT_EQ(features_of("😀😀"), (Features{"shape 😀", "begins 😀😀", "ends 😀😀"}));
  EXPECT_EQ(lower_case("ÄRZTE"), "ärzte");
}

}  // namespace
}  // namespace fovea
