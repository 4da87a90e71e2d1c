// Task `placed-digit`: where the digit stands, what is marked, and what lies about.
#include <array>

#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

ValueTable canvas_of(std::int64_t side, std::int64_t pieces) {
  ValueTable settings{{"side", whole(side)}, {"digits", whole(100)}};
  if (pieces > 0) settings["pieces"] = whole(pieces);
  return settings;
}

TEST(PlacedDigit, IsPure) {
  for (const std::int64_t pieces : {0, 4}) expect_pure("placed-digit", canvas_of(40, pieces));
}

TEST(PlacedDigit, HasEachImageOnceAnEpochAndHeldOutOnesInOnePlace) {
  const auto task = make_task("placed-digit", canvas_of(40, 2));
  EXPECT_EQ(task->examples(Split::train), 100);
  EXPECT_EQ(task->examples(Split::validation), 20);
  EXPECT_EQ(draw(*task, Split::validation, 1, 15).size, 5);
  std::array<int, 10> labels{};
  const Batch epoch = draw(*task, Split::train, 0, 100);
  for (const int label : epoch.labels) ++labels[static_cast<std::size_t>(label)];
  for (const int count : labels) EXPECT_EQ(count, 10);
  const Batch few = draw(*task, Split::test, 0, 4), more = draw(*task, Split::test, 0, 8);
  EXPECT_TRUE(std::equal(few.items.values.begin(), few.items.values.end(), more.items.values.begin()));
}

// Without pieces all that is bright is marked, and the mark is a rectangle that is bright at each of its sides.
TEST(PlacedDigit, MarksTheBoxOfTheDigit) {
  constexpr int side = 60;
  const auto task = make_task("placed-digit", canvas_of(side, 0));
  const Batch batch = draw(*task, Split::train, 2, 60);
  std::vector<double> columns(3);
  for (int b = 0; b < batch.size; ++b) {
    const float* const image = batch.items.item(b, 0);
    int left = side, right = -1, top = side, bottom = -1, marks = 0;
    for (int i = 0; i < side * side; ++i) {
      const bool marked = batch.marked[static_cast<std::size_t>(b * side * side + i)] != 0;
      if (image[i] > 0.25f + 1e-6f) {
        EXPECT_TRUE(marked);
        left = std::min(left, i % side);
        right = std::max(right, i % side);
        top = std::min(top, i / side);
        bottom = std::max(bottom, i / side);
      }
      marks += marked;
    }
    EXPECT_EQ(marks, (right - left + 1) * (bottom - top + 1));
    ++columns[static_cast<std::size_t>((left + right) / 2 * 3 / side)];
  }
  EXPECT_GT(columns[0], 5);
  EXPECT_GT(columns[2], 5);
}

TEST(PlacedDigit, PiecesLieOutsideTheBoxToo) {
  constexpr int side = 60;
  const auto brightness_outside = [&](std::int64_t pieces) {
    const auto task = make_task("placed-digit", canvas_of(side, pieces));
    const Batch batch = draw(*task, Split::train, 2, 40);
    double sum = 0;
    for (std::size_t i = 0; i < batch.marked.size(); ++i)
      if (!batch.marked[i] && batch.items.values[i] > 0.5f) sum += 1;
    return sum / batch.size;
  };
  EXPECT_EQ(brightness_outside(0), 0);
  EXPECT_GT(brightness_outside(4), 10);
  EXPECT_GT(brightness_outside(8), 1.5 * brightness_outside(4));
}

TEST(PlacedDigit, SquaresHoldTheCanvasAndSayWhereTheyAre) {
  constexpr int side = 42, patch = 14, along = 3, pixels = patch * patch;
  ValueTable settings = canvas_of(side, 2);
  const Batch canvases = draw(*make_task("placed-digit", settings), Split::train, 1, 6);
  settings["patch"] = whole(patch);
  const auto task = make_task("placed-digit", settings);
  EXPECT_EQ(task->shape().most_items, along * along);
  EXPECT_EQ(task->shape().width, pixels + 2 * along);
  const Batch bags = draw(*task, Split::train, 1, 6);
  EXPECT_EQ(bags.labels, canvases.labels);
  for (int b = 0; b < 6; ++b)
    for (int item = 0; item < along * along; ++item) {
      const float* const square = bags.items.item(b, item);
      bool touched = false;
      for (int i = 0; i < pixels; ++i) {
        const int x = item % along * patch + i % patch, y = item / along * patch + i / patch;
        EXPECT_EQ(square[i], canvases.items.item(b, 0)[y * side + x]);
        touched = touched || canvases.marked[static_cast<std::size_t>((b * side + y) * side + x)] != 0;
      }
      EXPECT_EQ(bags.marked[static_cast<std::size_t>(b * along * along + item)] != 0, touched);
      for (int i = 0; i < along; ++i) {
        EXPECT_EQ(square[pixels + i], item / along == i ? 1 : 0);
        EXPECT_EQ(square[pixels + along + i], item % along == i ? 1 : 0);
      }
    }
}

TEST(PlacedDigit, RefusesSquaresThatDoNotFit) {
  ValueTable settings = canvas_of(40, 0);
  settings["patch"] = whole(14);
  EXPECT_NE(complaint("placed-digit", settings).find("squares of 14"), std::string::npos);
}

TEST(PlacedDigit, RefusesCanvasesThatHoldNoDigit) {
  EXPECT_NE(complaint("placed-digit", canvas_of(20, 0)).find("side"), std::string::npos);
}

}  // namespace
}  // namespace fovea
