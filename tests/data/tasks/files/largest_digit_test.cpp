#include <algorithm>
#include <set>

#include "fovea/data/tasks/digit_renderer.h"
#include "tests/data/tasks/task_help.h"
#include "tests/sanitized.h"

namespace fovea {
namespace {

const ValueTable small = table({{"digits", whole(200)}, {"bags", whole(100)}, {"held_out", whole(50)}});

ValueTable with(ValueTable settings, const std::string& key, const Value& value) {
  settings[key] = value;
  return settings;
}

std::vector<std::uint8_t> drawn(int digit, std::uint64_t index) {
  std::vector<std::uint8_t> pixels(digit_pixels);
  RandomStream stream(1, "test", 0, index);
  draw_digit(digit, stream, pixels);
  return pixels;
}

TEST(DigitRenderer, SameStreamSamePixels) {
  EXPECT_EQ(drawn(3, 7), drawn(3, 7));
  EXPECT_NE(drawn(3, 7), drawn(3, 8));
}

TEST(DigitRenderer, DigitsAreInkedInsideTheImage) {
  for (int digit = 0; digit < 10; ++digit)
    for (std::uint64_t i = 0; i < 50; ++i) {
      const auto pixels = drawn(digit, i);
      int bright = 0, rim = 0;
      for (int y = 0; y < digit_side; ++y)
        for (int x = 0; x < digit_side; ++x)
          if (pixels[static_cast<std::size_t>(y * digit_side + x)] > 140) {
            ++bright;
            rim += x == 0 || y == 0 || x == digit_side - 1 || y == digit_side - 1;
          }
      EXPECT_GT(bright, 12) << digit;
      EXPECT_LT(bright, 250) << digit;
      EXPECT_LE(rim, 5) << digit;
    }
}

// Digits look like themselves: the nearest of 300 drawings a digit is of the same digit for nearly all new drawings.
TEST(DigitRenderer, NearestDrawingIsUsuallyOfTheSameDigit) {
  std::vector<std::vector<std::uint8_t>> known;
  for (std::uint64_t i = 0; i < 3000; ++i) known.push_back(drawn(static_cast<int>(i % 10), i));
  const std::uint64_t asked_for = sanitized ? 20 : 200;
  std::uint64_t right = 0;
  for (std::uint64_t q = 0; q < asked_for; ++q) {
    const auto asked = drawn(static_cast<int>(q % 10), 100'000 + q);
    long best = -1;
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < known.size(); ++i) {
      long distance = 0;
      for (std::size_t p = 0; p < asked.size(); ++p) {
        const long d = long{asked[p]} - long{known[i][p]};
        distance += d * d;
      }
      if (best < 0 || distance < best) {
        best = distance;
        nearest = i;
      }
    }
    right += nearest % 10 == q % 10;
  }
  EXPECT_GE(100 * right, 85 * asked_for);
}

TEST(LargestDigit, IsPure) {
  expect_pure("largest-digit", small);
  expect_pure("largest-digit", with(with(small, "bag", whole(6)), "smallest", whole(1)));
}

TEST(LargestDigit, EpochsRepeatTheBagsInAnotherOrder) {
  const auto task = make_task("largest-digit", small);
  EXPECT_EQ(task->examples(Split::train), 100);
  const auto bags = [&](std::uint64_t epoch) {
    std::vector<std::vector<float>> all;
    for (std::uint64_t step = 0; step < 4; ++step) {
      const Batch batch = draw(*task, Split::train, 4 * epoch + step, 25);
      for (int row = 0; row < 25; ++row) all.emplace_back(batch.items.item(row, 0), batch.items.item(row, 0) + 3 * 784);
    }
    return all;
  };
  auto first = bags(0), second = bags(1);
  EXPECT_NE(first, second);
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  EXPECT_EQ(first, second);
}

TEST(LargestDigit, ImagesOfTheSplitsAreDisjoint) {
  const auto task = make_task("largest-digit", small);
  std::set<std::vector<float>> seen[3];
  for (const Split split : {Split::train, Split::validation, Split::test}) {
    const Batch batch = draw(*task, split, 0, 50);
    for (int row = 0; row < batch.size; ++row)
      for (int t = 0; t < 3; ++t)
        seen[static_cast<int>(split)].emplace(batch.items.item(row, t), batch.items.item(row, t) + 784);
  }
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < a; ++b)
      for (const auto& image : seen[a]) EXPECT_EQ(seen[b].count(image), 0u);
}

TEST(LargestDigit, SizesMarksAndLabelsAgree) {
  const auto task = make_task("largest-digit", with(with(small, "bag", whole(6)), "smallest", whole(1)));
  std::vector<double> sizes(6);
  int several = 0;
  std::vector<std::set<std::vector<float>>> marked_images(10);
  for (std::uint64_t slice = 0; slice < 5; ++slice) {
    const Batch batch = draw(*task, Split::train, slice, 100);
    for (int row = 0; row < batch.size; ++row) {
      const int count = batch.items.lengths[static_cast<std::size_t>(row)];
      if (slice == 0) ++sizes[static_cast<std::size_t>(count - 1)];
      int marks = 0;
      for (int t = 0; t < 6; ++t) {
        const float* x = batch.items.item(row, t);
        EXPECT_EQ(std::all_of(x, x + 784, [](float v) { return v == 0; }), t >= count);
        EXPECT_TRUE(std::all_of(x, x + 784, [](float v) { return v >= 0 && v <= 1; }));
        const bool mark = batch.marked[static_cast<std::size_t>(row * 6 + t)] != 0;
        EXPECT_FALSE(mark && t >= count);
        marks += mark;
        if (mark)
          marked_images[static_cast<std::size_t>(batch.labels[static_cast<std::size_t>(row)])].emplace(x, x + 784);
      }
      EXPECT_GE(marks, 1);
      several += marks > 1;
    }
  }
  EXPECT_GT(several, 0);
  expect_even(sizes);
  // An image has one digit: it is never marked as the largest under two labels.
  for (std::size_t a = 0; a < 10; ++a)
    for (std::size_t b = 0; b < a; ++b)
      for (const auto& image : marked_images[a]) EXPECT_EQ(marked_images[b].count(image), 0u);
}

// P(largest of three <= d) = ((d + 1) / 10)^3.
TEST(LargestDigit, LabelsHaveTheirDistribution) {
  const auto task = make_task("largest-digit", with(small, "held_out", whole(5000)));
  const Batch batch = draw(*task, Split::test, 0, 5000);
  std::vector<double> at_most(10);
  for (const int label : batch.labels)
    for (int d = label; d < 10; ++d) at_most[static_cast<std::size_t>(d)] += 1.0 / 5000;
  for (int d = 0; d < 10; ++d) EXPECT_NEAR(at_most[static_cast<std::size_t>(d)], std::pow((d + 1) / 10.0, 3), 0.025);
}

TEST(LargestDigit, HeldOutBagsEnd) {
  const auto task = make_task("largest-digit", small);
  EXPECT_EQ(draw(*task, Split::validation, 1, 32).size, 18);
  EXPECT_EQ(draw(*task, Split::validation, 2, 32).size, 0);
}

TEST(LargestDigit, RefusesWhatCanNotBe) {
  const auto says = [](const ValueTable& settings, const char* part) {
    const std::string text = complaint("largest-digit", settings);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says(table({{"smallest", whole(4)}}), "smallest of task 'largest-digit' is 4, but bag is 3");
  says(table({{"bag", whole(0)}}), "must be 1 to 1000, not 0");
  says(table({{"bags", whole(0)}}), "must be 1 to 100000000, not 0");
  says(table({{"held_out", whole(0)}}), "must be 1 to 100000000, not 0");
  says(table({{"digits", whole(9)}}), "must be 10 to 200000, not 9");
}

}  // namespace
}  // namespace fovea
