#include "fovea/nn/loss.h"

#include "fovea/nn/reference/cross_entropy.h"
#include "fovea/nn/soft_cross_entropy.h"
#include "tests/nn/gradient_check.h"
#include "tests/nn/reference/oracle.h"

namespace fovea {
namespace {

using namespace fovea::testing;

std::vector<int> random_answers(Index count, int classes) {  // about one in six does not count
  RandomStream stream(3, "answers");
  std::vector<int> answers;
  for (Index i = 0; i < count; ++i)
    answers.push_back(
        stream.uniform() < 1.0 / 6 ? -1 : static_cast<int>(stream.integer(static_cast<std::uint64_t>(classes))));
  return answers;
}

TEST(LogisticLoss, GradientIsWhatCentralDifferencesSay) {
  Bench bench(2);
  std::vector<double> z = random_values(1, 20000, 5.0), gradient(z.size());
  const std::vector<int> answers = random_answers(20000, 2);
  logistic_loss<double>(bench.compute, z, answers, gradient);
  for (double& g : gradient) g *= 20000;  // else every entry is small against the tolerance
  const auto loss = [&] {
    bench.arena.reset();
    return 20000 * logistic_loss<double>(bench.compute, z, answers, {});
  };
  expect_gradient("logits", z, gradient, loss, {1e-4, 1e-6, 100});
}

class CrossEntropyGradient : public ::testing::TestWithParam<std::pair<Index, Index>> {};

TEST_P(CrossEntropyGradient, IsWhatCentralDifferencesSay) {
  const Index rows = GetParam().first, classes = GetParam().second;
  Bench bench(2);
  std::vector<double> z = random_values(1, rows * classes, 3.0), gradient(z.size());
  const std::vector<int> answers = random_answers(rows, static_cast<int>(classes));
  const Matrix<const double> logits(z.data(), rows, classes);
  const double fused =
      cross_entropy<double>(bench.compute, logits, answers, Matrix<double>(gradient.data(), rows, classes));
  EXPECT_NEAR(fused, cross_entropy<double>(bench.compute, logits, answers, {}), 1e-12 * std::abs(fused));
  for (double& g : gradient) g *= static_cast<double>(rows);
  const auto loss = [&] {
    bench.arena.reset();
    return static_cast<double>(rows) * cross_entropy<double>(bench.compute, logits, answers, {});
  };
  expect_gradient("logits", z, gradient, loss);
}

INSTANTIATE_TEST_SUITE_P(Shapes, CrossEntropyGradient,
                         ::testing::Values(std::pair<Index, Index>{7, 2}, std::pair<Index, Index>{50, 11},
                                           std::pair<Index, Index>{3, 9000}));

// Rows of chances; some of them 0.
template <class T>
std::vector<float> random_chances(std::uint64_t seed, Index rows, Index classes) {
  std::vector<float> chances;
  for (const T x : random_values<T>(seed, rows * classes, 1.0))
    chances.push_back(std::max(0.0f, static_cast<float>(x)));
  for (Index r = 0; r < rows; ++r) {
    float sum = 0;
    chances[static_cast<std::size_t>(r * classes)] += 0.5f;
    for (Index c = 0; c < classes; ++c) sum += chances[static_cast<std::size_t>(r * classes + c)];
    for (Index c = 0; c < classes; ++c) chances[static_cast<std::size_t>(r * classes + c)] /= sum;
  }
  return chances;
}

TEST(SoftCrossEntropy, GradientIsWhatCentralDifferencesSay) {
  const Index rows = 20, classes = 7;
  Bench bench(2);
  std::vector<double> z = random_values(1, rows * classes, 3.0), gradient(z.size());
  const std::vector<int> answers = random_answers(rows, 7);
  const std::vector<float> chances = random_chances<double>(2, rows, classes);
  const Matrix<const float> truth(chances.data(), rows, classes);
  const Matrix<const double> logits(z.data(), rows, classes);
  soft_cross_entropy<double>(bench.compute, logits, answers, truth, Matrix<double>(gradient.data(), rows, classes));
  for (double& g : gradient) g *= static_cast<double>(rows);
  const auto loss = [&] {
    bench.arena.reset();
    return static_cast<double>(rows) * soft_cross_entropy<double>(bench.compute, logits, answers, truth, {});
  };
  expect_gradient("logits", z, gradient, loss, {1e-4, 1e-6, 100});
}

TEST(SquaredError, GradientIsWhatCentralDifferencesSay) {
  Bench bench(2);
  std::vector<double> y = random_values(1, 60), gradient(60);
  const std::vector<double> truth = random_values(2, 60);
  squared_error<double>(bench.compute, y, truth, gradient);
  expect_gradient("predictions", y, gradient, [&] { return squared_error<double>(bench.compute, y, truth, {}); });
}

template <class T>
class LossOracle : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LossOracle, Scalars);

TYPED_TEST(LossOracle, CrossEntropySaysTheSame) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream stream(seed, "cross-entropy");
    const Index rows = random_size(stream, 9), classes = random_size(stream, seed % 5 == 0 ? 5000 : 40);
    const std::vector<T> z = random_values<T>(seed, rows * classes, 3.0);
    std::vector<int> answers;
    for (Index r = 0; r < rows; ++r)
      answers.push_back(static_cast<int>(stream.integer(static_cast<std::uint64_t>(classes) + 1)) - 1);
    const reference::Loss want = reference::cross_entropy(to_array(std::span(z), rows, classes), answers);
    Bench bench(2);
    std::vector<T> d(z.size(), T{9});
    const Matrix<const T> logits(z.data(), rows, classes);
    const double fused = cross_entropy<T>(bench.compute, logits, answers, Matrix<T>(d.data(), rows, classes));
    const double alone = cross_entropy<T>(bench.compute, logits, answers, {});
    EXPECT_NEAR(fused, want.value, oracle_tolerance<T> * want.value);
    EXPECT_NEAR(alone, want.value, oracle_tolerance<T> * want.value);
    expect_near_oracle("gradient", std::span(d), want.d_logits.values());
  }
}

TYPED_TEST(LossOracle, SoftCrossEntropySaysTheSame) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream stream(seed, "soft");
    const Index rows = random_size(stream, 9), classes = random_size(stream, seed % 5 == 0 ? 5000 : 40);
    const std::vector<T> z = random_values<T>(seed, rows * classes, 3.0);
    const std::vector<float> chances = random_chances<T>(seed + 100, rows, classes);
    std::vector<T> same;
    for (const float p : chances) same.push_back(static_cast<T>(p));
    std::vector<int> answers;
    for (Index r = 0; r < rows; ++r) answers.push_back(static_cast<int>(stream.integer(2)) - 1);
    const reference::Loss want = reference::soft_cross_entropy(to_array(std::span(z), rows, classes), answers,
                                                               to_array(std::span(same), rows, classes));
    Bench bench(2);
    std::vector<T> d(z.size(), T{9});
    const Matrix<const T> logits(z.data(), rows, classes);
    const Matrix<const float> truth(chances.data(), rows, classes);
    const double fused =
        soft_cross_entropy<T>(bench.compute, logits, answers, truth, Matrix<T>(d.data(), rows, classes));
    EXPECT_NEAR(fused, want.value, oracle_tolerance<T> * want.value);
    EXPECT_EQ(fused, soft_cross_entropy<T>(bench.compute, logits, answers, truth, {}));
    expect_near_oracle("gradient", std::span(d), want.d_logits.values());
  }
}

TYPED_TEST(LossOracle, LogisticLossSaysTheSame) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream stream(seed, "logistic");
    const Index rows = random_size(stream, seed % 5 == 0 ? 20000 : 9);
    const std::vector<T> z = random_values<T>(seed, rows, 3.0);
    std::vector<int> answers;
    for (Index r = 0; r < rows; ++r) answers.push_back(static_cast<int>(stream.integer(3)) - 1);
    const reference::Loss want = reference::logistic_loss(to_array(std::span(z), rows, 1), answers);
    Bench bench(2);
    std::vector<T> d(z.size(), T{9});
    const double fused = logistic_loss<T>(bench.compute, z, answers, d);
    const double alone = logistic_loss<T>(bench.compute, z, answers, {});
    EXPECT_NEAR(fused, want.value, oracle_tolerance<T> * want.value);
    EXPECT_NEAR(alone, want.value, oracle_tolerance<T> * want.value);
    expect_near_oracle("gradient", std::span(d), want.d_logits.values());
  }
}

TEST(SquaredError, IsTheMeanOverAllElements) {
  Bench bench;
  std::vector<double> gradient(4);
  EXPECT_EQ(
      squared_error<double>(bench.compute, std::vector<double>{1, 2, 3, 4}, std::vector<double>{1, 0, 6, 4}, gradient),
      3.25);
  EXPECT_EQ(gradient, (std::vector<double>{0, 1, -1.5, 0}));
}

TEST(Losses, NeverOverflow) {
  Bench bench;
  const std::vector<float> z = {1e4f, -1e4f, 1e4f, -1e4f};
  std::vector<float> gradient(4);
  EXPECT_EQ(logistic_loss<float>(bench.compute, z, std::vector<int>{0, 1, 1, 0}, gradient), 5000.0);
  EXPECT_EQ(gradient, (std::vector<float>{0.25f, -0.25f, 0.0f, 0.0f}));
  const Matrix<const float> logits(z.data(), 2, 2);
  // A right row of loss 0 beside a wrong one of 20 000.
  EXPECT_EQ(cross_entropy<float>(bench.compute, logits, std::vector<int>{1, 0}, Matrix<float>(gradient.data(), 2, 2)),
            10000.0);
  EXPECT_EQ(gradient, (std::vector<float>{0.5f, -0.5f, 0.0f, 0.0f}));
}

TEST(Losses, RowsThatDoNotCountChangeNothing) {
  Bench bench;
  const std::vector<double> z = random_values(1, 12);
  std::vector<double> some(12), counted(6);
  const std::vector<double> first(z.begin(), z.begin() + 6);
  EXPECT_EQ(cross_entropy<double>(bench.compute, Matrix<const double>(z.data(), 4, 3), std::vector<int>{2, 0, -1, -1},
                                  Matrix<double>(some.data(), 4, 3)),
            cross_entropy<double>(bench.compute, Matrix<const double>(first.data(), 2, 3), std::vector<int>{2, 0},
                                  Matrix<double>(counted.data(), 2, 3)));
  counted.resize(12);
  EXPECT_EQ(some, counted);
  EXPECT_EQ(logistic_loss<double>(bench.compute, z, std::vector<int>(12, -1), some), 0.0);
  EXPECT_EQ(some, std::vector<double>(12));
}

TEST(Losses, NotANumberShows) {
  Bench bench;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> z = {1, nan};
  std::vector<float> gradient(2);
  EXPECT_TRUE(std::isnan(logistic_loss<float>(bench.compute, z, std::vector<int>{0, 1}, gradient)));
  EXPECT_TRUE(std::isnan(gradient[1]));
  const Matrix<const float> logits(z.data(), 1, 2);
  EXPECT_TRUE(std::isnan(
      cross_entropy<float>(bench.compute, logits, std::vector<int>{0}, Matrix<float>(gradient.data(), 1, 2))));
}

TEST(Beta, KeepsItsDigitsTheSurerTheScoresAre) {
  for (const float ahead : {0.0F, 1.0F, 2.5F, 5.0F, 16.0F, 25.0F, 60.0F})
    for (const int label : {0, 1, 2}) {
      std::vector<float> scores = {3.0F, 3.5F, 2.0F};
      scores[static_cast<std::size_t>(label)] += ahead;
      const auto right = static_cast<std::size_t>(label);
      double others = 0;
      for (std::size_t c = 0; c < scores.size(); ++c)
        if (c != right) others += std::exp(double{scores[c]} - double{scores[right]});
      const double wanted = -std::log1p(others);
      EXPECT_NEAR(beta_of(std::span<const float>(scores), label) / wanted, 1, 1e-5) << ahead << " ahead, " << label;
    }
  const std::vector<float> sure = {20, 0, 0}, surer = {25, 0, 0};
  const auto beta = [](const std::vector<float>& scores) { return beta_of(std::span<const float>(scores), 0); };
  EXPECT_NEAR(beta(sure) / -4.122307e-9, 1, 1e-5);    // −2 e^−20
  EXPECT_NEAR(beta(surer) / -2.777589e-11, 1, 1e-5);  // −2 e^−25
}

TEST(Beta, OfOneScoreIsItself) {
  const std::vector<float> score = {3};
  EXPECT_EQ(beta_of(std::span<const float>(score), 1), 3);
  EXPECT_EQ(beta_of(std::span<const float>(score), 0), -3);
}

TEST(Losses, AreTheSameBitsForAnyTeam) {
  const std::vector<float> z = random_values<float>(1, 60000, 4.0);
  const std::vector<int> two = random_answers(60000, 2), many = random_answers(2000, 30);
  std::vector<std::vector<double>> losses;
  for (const int threads : {1, 2, 5}) {
    Bench bench(threads);
    std::vector<float> gradient(z.size());
    losses.push_back({logistic_loss<float>(bench.compute, z, two, gradient),
                      cross_entropy<float>(bench.compute, Matrix<const float>(z.data(), 2000, 30), many, {}),
                      squared_error<float>(bench.compute, z, gradient, {})});
  }
  EXPECT_EQ(losses[0], losses[1]);
  EXPECT_EQ(losses[0], losses[2]);
}

}  // namespace
}  // namespace fovea
