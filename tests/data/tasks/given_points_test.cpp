#include "tests/data/tasks/task_help.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

ValueTable points(const std::vector<double>& x, const std::vector<double>& y) {
  const auto list = [](const std::vector<double>& numbers) {
    ValueList all;
    for (const double one : numbers) all.push_back(real(one));
    return Value{all, {}};
  };
  return table({{"x", list(x)}, {"y", list(y)}});
}

TEST(GivenPoints, EveryBatchHoldsThemAllAndAsksAtThem) {
  const auto task = make_task("given-points", points({3, 1, 2}, {0.5, -1, 4}));
  EXPECT_EQ(task->shape().width, 1);
  EXPECT_EQ(task->shape().value_width, 1);
  for (const Split split : {Split::train, Split::validation, Split::test})
    for (const std::uint64_t step : {0u, 7u}) {
      const Batch batch = draw(*task, split, step, 5);
      EXPECT_EQ(batch.size, 1);
      EXPECT_EQ(batch.items.values, (std::vector<float>{3, 1, 2}));
      EXPECT_EQ(batch.values.values, (std::vector<float>{0.5F, -1, 4}));
      EXPECT_EQ(batch.queries.values, batch.items.values);
      EXPECT_EQ(batch.answers.values, batch.values.values);
    }
}

TEST(GivenPoints, SaysWhatIsWrong) {
  const auto wrong = [](const std::vector<double>& x, const std::vector<double>& y) {
    return complaint("given-points", points(x, y));
  };
  EXPECT_SAYS(wrong({}, {}), "there are no points");
  EXPECT_SAYS(wrong({1}, {1}), "there is one point");
  EXPECT_SAYS(wrong({1, 2}, {1}), "there are 2 x and 1 y");
  EXPECT_SAYS(wrong({1, 2}, {1, 1e300}), "point 2 is (2, 1e+300)");
}

}  // namespace
}  // namespace fovea
