// Tasks `odd-one-out` and `second-largest`: bags of digits in which context matters.
#include <array>
#include <map>
#include <vector>

#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

const ValueTable few_images = table({{"digits", whole(200)}, {"bags", whole(400)}, {"held_out", whole(50)}});

ValueTable few_with(const std::string& key, const Value& value) {
  ValueTable settings = few_images;
  settings[key] = value;
  return settings;
}

// The digit of each image: with few images every one of them is marked in some bag, and then its digit is the label.
std::map<std::vector<float>, int> digits_of(const Task& task, int most) {
  std::map<std::vector<float>, int> digits;
  for (std::uint64_t slice = 0; slice < 40; ++slice) {
    const Batch batch = draw(task, Split::train, slice, 100);
    for (int row = 0; row < batch.size; ++row)
      for (int t = 0; t < batch.items.lengths[static_cast<std::size_t>(row)]; ++t)
        if (batch.marked[static_cast<std::size_t>(row * most + t)])
          digits[{batch.items.item(row, t), batch.items.item(row, t) + 784}] =
              batch.labels[static_cast<std::size_t>(row)];
  }
  return digits;
}

TEST(DigitQuestions, ArePure) {
  for (const char* name : {"odd-one-out", "second-largest"}) {
    expect_pure(name, few_images);
    expect_pure(name, few_with("bag", whole(5)));
  }
}

TEST(OddOneOut, HasOneThatIsNotAsTheOthersAndAsksForIt) {
  ValueTable settings = few_with("bag", whole(5));
  settings["smallest"] = whole(3);
  settings["bags"] = whole(4000);
  const auto task = make_task("odd-one-out", settings);
  const auto digits = digits_of(*task, 5);
  EXPECT_EQ(digits.size(), 200u);
  std::vector<double> sizes(3), positions(3), labels(10), common(10);
  const Batch batch = draw(*task, Split::train, 3, 2000);
  for (int row = 0; row < batch.size; ++row) {
    const int count = batch.items.lengths[static_cast<std::size_t>(row)];
    const int label = batch.labels[static_cast<std::size_t>(row)];
    ++sizes[static_cast<std::size_t>(count - 3)];
    ++labels[static_cast<std::size_t>(label)];
    int marks = 0, other = -1;
    for (int t = 0; t < count; ++t) {
      const int digit = digits.at({batch.items.item(row, t), batch.items.item(row, t) + 784});
      if (batch.marked[static_cast<std::size_t>(row * 5 + t)]) {
        ++marks;
        EXPECT_EQ(digit, label);
        if (count == 3) ++positions[static_cast<std::size_t>(t)];
        continue;
      }
      EXPECT_NE(digit, label);
      if (other >= 0) {
        EXPECT_EQ(digit, other);
      }
      other = digit;
    }
    EXPECT_EQ(marks, 1);
    ++common[static_cast<std::size_t>(other)];
  }
  expect_even(sizes);
  expect_even(positions);
  expect_even(labels);
  expect_even(common);
}

TEST(SecondLargest, HasDifferentDigitsAndAsksForTheSecond) {
  const auto task = make_task("second-largest", few_with("bags", whole(4000)));
  const auto digits = digits_of(*task, 3);
  std::vector<double> labels(10), positions(3);
  const Batch batch = draw(*task, Split::train, 5, 2000);
  for (int row = 0; row < batch.size; ++row) {
    const int label = batch.labels[static_cast<std::size_t>(row)];
    ++labels[static_cast<std::size_t>(label)];
    int larger = 0, smaller = 0;
    for (int t = 0; t < 3; ++t) {
      const auto found = digits.find({batch.items.item(row, t), batch.items.item(row, t) + 784});
      if (batch.marked[static_cast<std::size_t>(row * 3 + t)]) {
        ++positions[static_cast<std::size_t>(t)];
        continue;
      }
      if (found == digits.end()) continue;  // a 0 or a 9 is never the second of three
      larger += found->second > label;
      smaller += found->second < label;
      EXPECT_NE(found->second, label);
    }
    EXPECT_LE(larger, 1);
    EXPECT_LE(smaller, 1);
  }
  // The second of three different digits is d in d (9 - d) of 120 sets.
  for (int d = 0; d < 10; ++d) EXPECT_NEAR(labels[static_cast<std::size_t>(d)] / 2000, d * (9 - d) / 120.0, 0.03);
  expect_even(positions);
}

TEST(DigitQuestions, RefuseBagsInWhichNothingCanBeAsked) {
  EXPECT_NE(complaint("odd-one-out", table({{"bag", whole(2)}})).find("must be 3 to 1000, not 2"), std::string::npos);
  EXPECT_NE(complaint("odd-one-out", table({{"smallest", whole(2)}})).find("need 3 images or more"), std::string::npos);
  EXPECT_NE(complaint("second-largest", table({{"bag", whole(11)}})).find("must be 2 to 10, not 11"),
            std::string::npos);
}

}  // namespace
}  // namespace fovea
