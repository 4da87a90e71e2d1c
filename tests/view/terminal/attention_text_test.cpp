#include "fovea/view/terminal/attention_text.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

// 12 x 12 pixels, the left half dark; glimpses that cover one pixel each: (row, column).
std::vector<ArrayRecord> glimpses_at(const std::vector<std::pair<Index, Index>>& positions) {
  constexpr Index side = 12, pixels = side * side;
  ArrayRecord images{"attention_items", 0, {1, 1, pixels}, std::vector<float>(pixels)};
  for (Index i = 0; i < pixels; ++i) images.values[static_cast<std::size_t>(i)] = i % side < side / 2 ? 0.0f : 1.0f;
  ArrayRecord map{"attention", 30, {1, static_cast<Index>(positions.size()), pixels}, {}};
  map.values.resize(positions.size() * pixels);
  for (std::size_t t = 0; t < positions.size(); ++t)
    map.values[t * pixels + static_cast<std::size_t>(positions[t].first * side + positions[t].second)] = 1;
  return {images, map};
}

TEST(AttentionText, DrawsTheWayOfGlimpsesOverTheirImage) {
  const std::vector<std::string> lines = attention_lines({}, glimpses_at({{0, 0}, {0, 5}, {11, 5}}), 0, {});
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0], "glimpses 1 to 3 at one image, at step 30");
  EXPECT_EQ(lines[1], "1····2██████");
  for (int row = 2; row <= 5; ++row) EXPECT_EQ(lines[static_cast<std::size_t>(row)], "     ·██████");
  EXPECT_EQ(lines[6], "     3██████");
}

TEST(AttentionText, SaysWhichDigitItWasAndWhatWasAnswered) {
  std::vector<ArrayRecord> arrays = glimpses_at({{0, 0}});
  arrays.push_back({"attention_labels", 0, {2}, {3, 1}});
  EXPECT_EQ(attention_lines({}, arrays, 0, {})[0], "glimpses 1 to 1 at one image, at step 30");
  arrays.push_back({"attention_answers", 0, {2}, {5, 1}});
  arrays.push_back({"attention_answers", 30, {2}, {8, 1}});
  EXPECT_EQ(attention_lines({}, arrays, 0, {})[0], "glimpses 1 to 1 at one image, at step 30: a 3, read as 8");
}

TEST(AttentionText, TwoGlimpsesOfOnePlaceAreBothSeen) {
  const std::vector<std::string> lines = attention_lines({}, glimpses_at({{4, 2}, {4, 2}, {5, 2}}), 0, {});
  EXPECT_EQ(lines[3], " 312  ██████");
}

TEST(AttentionText, APictureIsAsSmallAsItMustBe) {
  for (const auto& [height, width] : {std::pair{3, 80}, {0, 6}, {2, 80}, {1, 1}}) {
    const std::vector<std::string> lines = attention_lines({}, glimpses_at({{0, 0}, {11, 11}}), height, {width, false});
    EXPECT_LE(lines.size(), height > 0 ? static_cast<std::size_t>(height) + 1 : 1000u);
    for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_LE(display_width(lines[i]), width);
    EXPECT_EQ(lines[1].substr(0, 1), "1");
  }
}

TEST(AttentionText, OtherMapsAreShownAsMaps) {
  RunSpec spec;
  spec.model["name"].data = std::string("somebody-elses");
  std::vector<ArrayRecord> arrays{{"attention", 7, {1, 2, 4}, {1, 0, 0, 0, 0, 1, 0, 0}}};
  const std::vector<std::string> wanted{"attention of one example at step 7: rows down, columns across, largest 1",
                                        "██      ", "  ██    "};
  EXPECT_EQ(attention_lines(spec, arrays, 0, {}), wanted);
  for (float& weight : arrays[0].values) weight /= 16;  // of many columns: as dark where it is most
  const std::vector<std::string> faint = attention_lines(spec, arrays, 0, {});
  EXPECT_NE(faint[0].find("largest 0.0625"), std::string::npos) << faint[0];
  EXPECT_EQ(std::vector(faint.begin() + 1, faint.end()), std::vector(wanted.begin() + 1, wanted.end()));
  for (float& weight : arrays[0].values) weight *= 16;
  arrays.push_back({"attention_items", 0, {1, 4, 9}, std::vector<float>(36)});  // a bag of four images
  EXPECT_EQ(attention_lines(spec, arrays, 0, {}), wanted);
  EXPECT_EQ(attention_lines(spec, arrays, 1, {}).size(), 2u);
  EXPECT_TRUE(attention_lines(spec, {arrays[1]}, 0, {}).empty());
}

}  // namespace
}  // namespace fovea
