#include "fovea/theory/exact/task_diversity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/error/error.h"
#include "fovea/base/random.h"
#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

TEST(TaskDiversity, ErrorsOfKnownSettings) {
  const double infinite = std::numeric_limits<double>::infinity();
  const double diversities[] = {0.1, 0.5, 1, 2, 16, infinite}, wanted[] = {.942, .596, .257, .137, .114, .113};
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(diversity_error({diversities[i], 10, 10, 0.01}), wanted[i], 6e-4) << diversities[i];
  // With very many pairs and examples, only the directions that no task has are missing.
  for (const double diversity : {0.25, 0.5, 0.75, 1.5})
    EXPECT_NEAR(diversity_error({diversity, 1e5, 1e6, 0}), std::max(0.0, 1 - diversity), 0.01) << diversity;
  EXPECT_NEAR(diversity_error({infinite, 10, 1e9, 0.01}), diversity_least_error(10, 0.01), 1e-6);
  EXPECT_NEAR(diversity_error({2, 5, 1e-6, 0.1}), 1.1, 1e-5) << "no examples: nothing learned";
  EXPECT_GT(diversity_error({2, 5, 0.999, 0.1}), 100);
  EXPECT_GT(diversity_error({2, 5, 1.001, 0.1}), 100);
}

TEST(TaskDiversity, RefusesWhatCanNotBe) {
  EXPECT_THROW(diversity_error({2, 5, 1, 0.1}), Error);
  EXPECT_THROW(diversity_error({0, 5, 5, 0.1}), Error);
  EXPECT_THROW(diversity_error({1, 0, 5, 0.1}), Error);
  EXPECT_THROW(diversity_error({1, 5, 0, 0.1}), Error);
  EXPECT_THROW(diversity_error({1, 5, 5, -1}), Error);
}

std::unique_ptr<Task> diverse(double diversity, double samples) {
  return make_task("task-diversity", {{"width", whole(4)},
                                      {"pairs", real(1.5)},
                                      {"noise", real(0.3)},
                                      {"diversity", real(diversity)},
                                      {"samples", real(samples)}});
}

// yhat of each example of a batch.
std::vector<double> answers_of(const std::vector<double>& map, const Batch& batch) {
  const int d = batch.items.width, pairs = batch.items.columns;
  std::vector<double> answers;
  for (int b = 0; b < batch.size; ++b) {
    std::vector<double> h(static_cast<std::size_t>(d) + 1);
    for (int n = 0; n < pairs; ++n) {
      const double y = double(batch.values.item(b, 0)[n]);
      for (int i = 0; i < d; ++i) h[std::size_t(i)] += y * double(batch.items.item(b, n)[i]) * d / pairs;
      h.back() += y * y / pairs;
    }
    double sum = 0;
    for (std::size_t i = 0; i < map.size(); ++i)
      sum += map[i] * h[i / std::size_t(d)] * double(batch.queries.item(b, 0)[i % std::size_t(d)]);
    answers.push_back(sum);
  }
  return answers;
}

double error_of(const std::vector<double>& map, const Batch& batch) {
  const std::vector<double> said = answers_of(map, batch);
  double sum = 0;
  for (int b = 0; b < batch.size; ++b) {
    const double error = said[std::size_t(b)] - double(*batch.answers.item(b, 0));
    sum += error * error / batch.size;
  }
  return sum;
}

TEST(TaskDiversity, ErrorOfAnyMapIsThatOfDrawnTasks) {
  const auto task = diverse(1, 5);
  const Batch tests = draw(*task, Split::test, 0, 100'000);
  RandomStream stream(2, "maps");
  for (const std::size_t entries : {std::size_t{16}, std::size_t{20}}) {
    std::vector<double> map(entries);
    for (double& g : map) g = 0.5 * stream.normal();
    const double wanted = error_of(map, tests);
    EXPECT_NEAR(new_task_error(map, 4, 6, 0.3), wanted, 0.02 * wanted) << entries;
  }
}

// At the minimum each small change raises the sum of squares. With fewer examples than entries, the map is orthogonal
// to each change that leaves all answers as they are.
TEST(TaskDiversity, TheMapIsOfLeastSquaresAndOfLeastNorm) {
  for (const SquaresRow row : {SquaresRow::absent, SquaresRow::present}) {
    const auto many = diverse(1, 3);
    const Batch all = draw(*many, Split::train, 0, 48);
    std::vector<double> map = least_squares_map(all, row);
    ASSERT_EQ(map.size(), row == SquaresRow::absent ? 16u : 20u);
    const double least = error_of(map, all);
    for (double& g : map) {
      const double own = g;
      for (const double change : {-1e-3, 1e-3}) {
        g = own + change;
        EXPECT_GT(error_of(map, all), least);
      }
      g = own;
    }

    const Batch few = draw(*diverse(1, 0.5), Split::train, 0, 8);
    const std::vector<double> shortest = least_squares_map(few, row);
    EXPECT_NEAR(error_of(shortest, few), 0, 1e-12);
    // A change that leaves all answers as they are: a drawn map, minus the shortest map that has its answers.
    std::vector<double> drawn(shortest.size());
    RandomStream stream(4, "maps");
    for (double& g : drawn) g = stream.normal();
    Batch same = few;
    const std::vector<double> said = answers_of(drawn, few);
    for (int b = 0; b < few.size; ++b) *same.answers.item(b, 0) = static_cast<float>(said[std::size_t(b)]);
    const std::vector<double> removed = least_squares_map(same, row);
    double along = 0, length = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      along += shortest[i] * (drawn[i] - removed[i]);
      length += shortest[i] * shortest[i];
    }
    EXPECT_NEAR(along, 0, 1e-5 * length);
  }
}

TEST(TaskDiversity, ExamplesWithoutAnswersDetermineNoMap) {
  for (const double samples : {0.5, 3.0}) {
    Batch batch = draw(*diverse(1, samples), Split::train, 0, int(16 * samples));
    std::ranges::fill(batch.values.values, 0.0f);
    EXPECT_THROW(least_squares_map(batch, SquaresRow::absent), Error);
  }
}

// The formula is of large width: at width 20 the mean error of two training sets is near it, far from what it would
// be if each example had a task of its own.
TEST(TaskDiversity, LeastSquaresIsNearTheFormula) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const auto task =
        make_task("task-diversity", {{"width", whole(20)}, {"diversity", real(0.5)}, {"samples", real(5)}}, seed);
    sum += new_task_error(least_squares_map(draw(*task, Split::train, 0, 2000), SquaresRow::absent), 20, 100, 0.1) / 2;
  }
  EXPECT_NEAR(sum, diversity_error({0.5, 5, 5, 0.1}), 0.12);
  EXPECT_LT(diversity_error({std::numeric_limits<double>::infinity(), 5, 5, 0.1}), 0.4);
}

}  // namespace
}  // namespace fovea
