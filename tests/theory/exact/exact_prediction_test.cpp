#include "fovea/theory/exact/exact_prediction.h"

#include "fovea/theory/exact/mixed_teacher.h"
#include "fovea/theory/exact/task_diversity.h"
#include "fovea/theory/sparse_emergence.h"
#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

TEST(ExactPrediction, IsThatOfTheTasksLaw) {
  const ExactPrediction regression = predict_exact(*make_task("linear-icl"));
  ASSERT_EQ(regression.heights.size(), 5u);
  EXPECT_EQ(regression.heights.back().name, "4");
  EXPECT_NEAR(regression.heights.back().value, 5.0 / 36, 1e-12);
  ASSERT_EQ(regression.times.size(), 1u);
  EXPECT_NEAR(regression.times[0].value, 14.753, 0.001);
  const Value uneven{ValueList{{0.4, {}}, {0.1, {}}}, {}};
  EXPECT_TRUE(predict_exact(*make_task("linear-icl", {{"eigenvalues", uneven}})).times.empty());

  const ExactPrediction sparse = predict_exact(
      *make_task("sparse-emergence", {{"places", whole(64)}, {"width", whole(16)}, {"copies", whole(4)}}));
  ASSERT_EQ(sparse.times.size(), 2u);
  EXPECT_EQ(sparse.times[0].value, sparse_time({64, 16, 4}));
  EXPECT_EQ(sparse.times[1].value, sparse_time({64, 16, 4, true}));
  EXPECT_LT(sparse.times[1].value, sparse.times[0].value);
  EXPECT_DOUBLE_EQ(sparse.heights.at(0).value, 0.5);
  const ExactPrediction race = predict_exact(*make_task("race-product"));
  EXPECT_EQ(race.heights.at(0).name, "faded");
  EXPECT_GT(race.times.at(0).value, 200);
  const ExactPrediction mixed = predict_exact(*make_task("position-or-meaning"));
  EXPECT_EQ(mixed.heights.size(), 4u);
  EXPECT_EQ(mixed.numbers.at(0).value, mixed_slope_ratio({}));
  const ExactPrediction diversity = predict_exact(*make_task("task-diversity", {{"width", whole(12)}}));
  ASSERT_EQ(diversity.heights.size(), 4u);
  EXPECT_NEAR(diversity.heights[1].value, diversity_error({1, 5, 5, 0.1}), 1e-12);
  EXPECT_LT(diversity.heights[2].value, diversity.heights[1].value);
  EXPECT_LT(diversity.heights[3].value, diversity.heights[2].value);
  EXPECT_TRUE(predict_exact(*make_task("mws")).empty());
}

}  // namespace
}  // namespace fovea
