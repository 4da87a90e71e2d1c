// Activations and dropout.
#include "fovea/nn/activation.h"
#include "fovea/nn/dropout.h"
#include "tests/nn/gradient_check.h"

namespace fovea {
namespace {

using namespace fovea::testing;

class ActivationGradient : public ::testing::TestWithParam<Activation> {};

TEST_P(ActivationGradient, IsWhatCentralDifferencesSay) {
  Bench bench(2);
  std::vector<double> x = random_values(1, 40000, 2.0), y(x.size()), dx(x.size());
  const std::vector<double> dy = random_values(2, 40000);
  const auto loss = [&] {
    activate<double>(bench.team, GetParam(), x, y);
    return weighted_sum(dy, y);
  };
  loss();
  activate_backward<double>(bench.team, GetParam(), y, dy, dx);
  expect_gradient("x", x, dx, loss);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ActivationGradient,
                         ::testing::Values(Activation::identity(), Activation::tanh(), Activation::relu(),
                                           Activation::leaky_relu(0.3), Activation::sigmoid()));

TEST(Activation, InPlaceIsOutOfPlace) {
  Bench bench;
  for (const Activation f : {Activation::identity(), Activation::tanh(), Activation::relu(), Activation::leaky_relu(),
                             Activation::sigmoid()}) {
    std::vector<float> x = random_values<float>(3, 77), y(77), dy = random_values<float>(4, 77), dx(77);
    activate<float>(bench.team, f, x, y);
    activate<float>(bench.team, f, x, x);
    EXPECT_EQ(x, y);
    activate_backward<float>(bench.team, f, y, dy, dx);
    activate_backward<float>(bench.team, f, y, dy, dy);
    EXPECT_EQ(dy, dx);
  }
}

std::vector<float> dropped(int threads, double rate, std::uint64_t layer, std::uint64_t step, std::size_t count) {
  Bench bench(threads);
  const std::vector<float> ones(count, 1.0f);
  std::vector<float> y(count);
  Dropout<float> dropout{rate, layer};
  const DropoutMask kept = dropout.forward(bench.compute, true, 5, step, ones, y);
  std::vector<float> dx(count);
  dropout.backward(bench.compute, kept, ones, dx);  // the same mask, the same scale
  EXPECT_EQ(y, dx);
  return y;
}

TEST(Dropout, KeepsTheStatedShareAndTheMean) {
  constexpr std::size_t count = 400000;
  for (const double rate : {0.1, 0.5, 0.9}) {
    const std::vector<float> y = dropped(1, rate, 0, 0, count);
    const auto gone = static_cast<double>(std::ranges::count(y, 0.0f));
    const double deviation = std::sqrt(count * rate * (1 - rate));
    EXPECT_NEAR(gone, count * rate, 4 * deviation) << rate;
    for (const float v : y) ASSERT_TRUE(v == 0 || std::abs(v * (1 - rate) - 1) < 1e-4) << v;
  }
}

TEST(Dropout, AtRateOneNothingIsLeft) {
  for (const float v : dropped(1, 1.0, 0, 0, 100)) EXPECT_EQ(v, 0.0f);
}

TEST(Dropout, MaskDependsOnPlaceStepAndLayerAndNotOnThreadsOrLength) {
  const std::vector<float> y = dropped(1, 0.5, 2, 9, 20001);
  EXPECT_EQ(dropped(3, 0.5, 2, 9, 20001), y);
  std::vector<float> longer = dropped(2, 0.5, 2, 9, 30000);
  longer.resize(y.size());
  EXPECT_EQ(longer, y);
  EXPECT_NE(dropped(1, 0.5, 3, 9, 20001), y);
  EXPECT_NE(dropped(1, 0.5, 2, 8, 20001), y);
}

TEST(Dropout, EvaluationChangesNothing) {
  Bench bench;
  Dropout<double> dropout{0.7, 0};
  const std::vector<double> x = random_values(1, 50);
  std::vector<double> y(50), dx(50);
  const DropoutMask kept = dropout.forward(bench.compute, false, 1, 1, x, y);
  EXPECT_EQ(y, x);
  dropout.backward(bench.compute, kept, x, dx);
  EXPECT_EQ(dx, x);
}

TEST(Dropout, GradientIsWhatCentralDifferencesSay) {
  Bench bench;
  Dropout<double> dropout{0.4, 1};
  std::vector<double> x = random_values(1, 300), y(300), dx(300);
  const std::vector<double> dy = random_values(2, 300);
  DropoutMask kept;
  const auto loss = [&] {
    bench.arena.reset();
    kept = dropout.forward(bench.compute, true, 3, 4, x, y);
    return weighted_sum(dy, y);
  };
  loss();
  dropout.backward(bench.compute, kept, dy, dx);
  expect_gradient("x", x, dx, loss);
}

}  // namespace
}  // namespace fovea
