// The tasks that give points: curve and lookup.
#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

double truth(double x) { return 2 * std::sin(x) + std::pow(x, 0.8); }

TEST(Curve, OneSetOfPointsASeed) {
  const auto task = make_task("curve", {}, 5);
  const Batch first = draw(*task, Split::train, 0, 1), later = draw(*task, Split::train, 9, 4);
  EXPECT_TRUE(same(first, later));
  EXPECT_FALSE(same(first, draw(*make_task("curve", {}, 6), Split::train, 0, 1)));
  const Batch test = draw(*task, Split::test, 0, 1);
  EXPECT_EQ(test.items.values, first.items.values) << "all splits answer from the same points";
  EXPECT_EQ(test.values.values, first.values.values);
  EXPECT_EQ(first.queries.values, first.items.values);
  EXPECT_EQ(first.answers.values, first.values.values) << "training never sees the truth";
  EXPECT_EQ(first.items.columns, 50);
}

TEST(Curve, TestIsTheNoiselessCurveOnAGrid) {
  const Batch batch = draw(*make_task("curve"), Split::test, 0, 1);
  ASSERT_EQ(batch.queries.columns, 50);
  for (int j = 0; j < 50; ++j) {
    EXPECT_NEAR(*batch.queries.item(0, j), 0.1 * j, 1e-6);
    EXPECT_NEAR(*batch.answers.item(0, j), truth(0.1 * j), 1e-5);
  }
}

TEST(Curve, PointsAreUniformAndTheNoiseHasItsDeviation) {
  const Batch batch = draw(*make_task("curve", table({{"points", whole(20'000)}})), Split::train, 0, 1);
  std::vector<double> bins(10);
  double squares = 0, sum = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double x = static_cast<double>(*batch.items.item(0, i));
    ASSERT_TRUE(x >= 0 && x <= 5);
    ++bins[std::min<std::size_t>(9, static_cast<std::size_t>(2 * x))];
    const double e = static_cast<double>(*batch.values.item(0, i)) - truth(x);
    sum += e;
    squares += e * e;
  }
  expect_even(bins);
  EXPECT_NEAR(sum / 20'000, 0, 0.015);
  EXPECT_NEAR(std::sqrt(squares / 20'000), 0.5, 0.01);
}

TEST(Curve, ManyDimensionsAverageTheCurve) {
  const auto task =
      make_task("curve", table({{"width", whole(3)}, {"points", whole(9)}, {"queries", whole(4)}, {"noise", real(0)}}));
  const Batch train = draw(*task, Split::train, 0, 1);
  for (int i = 0; i < 9; ++i) {
    const float* x = train.items.item(0, i);
    EXPECT_NEAR(
        *train.values.item(0, i),
        (truth(static_cast<double>(x[0])) + truth(static_cast<double>(x[1])) + truth(static_cast<double>(x[2]))) / 3,
        1e-5);
  }
  EXPECT_EQ(draw(*task, Split::test, 0, 1).queries.columns, 4);
  EXPECT_EQ(task->shape().width, 3);
  EXPECT_EQ(task->shape().value_width, 1);
  EXPECT_EQ(draw(*make_task("curve", table({{"width", whole(2)}})), Split::test, 0, 1).queries.columns, 50);
}

TEST(Curve, RefusesWhatCanNotBe) {
  EXPECT_NE(complaint("curve", table({{"points", whole(0)}})).find("must be 1 to 10000000, not 0"), std::string::npos);
  EXPECT_NE(complaint("curve", table({{"noise", real(-1)}})).find("must be 0 to 1000000, not -1"), std::string::npos);
  EXPECT_NE(complaint("curve", table({{"width", whole(0)}})).find("must be 1 to 10000, not 0"), std::string::npos);
  EXPECT_NE(complaint("curve", table({{"points", whole(10'000'000)}, {"width", whole(1000)}})).find("do not fit"),
            std::string::npos);
}

TEST(Lookup, IsPure) { expect_pure("lookup", {}); }

TEST(Lookup, EveryAnswerStandsBesideItsKey) {
  const auto task =
      make_task("lookup", table({{"entries", whole(20)}, {"width", whole(5)}, {"value_width", whole(3)}}));
  for (const Split split : {Split::train, Split::validation, Split::test}) {
    const Batch batch = draw(*task, split, 2, 11);
    ASSERT_EQ(batch.queries.columns, split == Split::test ? 20 : 11);
    for (int j = 0; j < batch.queries.columns; ++j) {
      int found = 0;
      for (int i = 0; i < 20; ++i)
        if (std::equal(batch.queries.item(0, j), batch.queries.item(0, j) + 5, batch.items.item(0, i))) {
          ++found;
          EXPECT_TRUE(std::equal(batch.answers.item(0, j), batch.answers.item(0, j) + 3, batch.values.item(0, i)));
          if (split == Split::test) {
            EXPECT_EQ(i, j);
          }
        }
      EXPECT_EQ(found, 1);
    }
    for (int i = 0; i < 20; ++i) {
      double squares = 0;
      for (int k = 0; k < 5; ++k) squares += std::pow(static_cast<double>(batch.items.item(0, i)[k]), 2);
      EXPECT_NEAR(squares, 5, 1e-4);
    }
  }
  EXPECT_EQ(task->shape().value_width, 3);
}

TEST(Lookup, RefusesWhatCanNotBe) {
  EXPECT_NE(complaint("lookup", table({{"entries", whole(0)}})).find("must be 1 to 10000000, not 0"),
            std::string::npos);
  EXPECT_NE(complaint("lookup", table({{"entries", whole(10'000'000)}, {"width", whole(10'000)}})).find("does not fit"),
            std::string::npos);
  EXPECT_NE(complaint("lookup", table({{"value_width", whole(0)}})).find("must be 1 to 10000, not 0"),
            std::string::npos);
}

}  // namespace
}  // namespace fovea
