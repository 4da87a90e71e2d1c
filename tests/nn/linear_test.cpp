#include "fovea/nn/linear.h"

#include "tests/nn/gradient_check.h"

namespace fovea {
namespace {

using namespace fovea::testing;

struct LinearShape {
  Index rows, in, out;
  Bias bias;
};

class LinearGradient : public ::testing::TestWithParam<LinearShape> {};

TEST_P(LinearGradient, IsWhatCentralDifferencesSay) {
  const auto [rows, in, out, bias] = GetParam();
  ParameterSet<double> parameters;
  const auto linear = Linear<double>::declare(parameters, "head", in, out, Group::attention, bias);
  parameters.finish();
  parameters.initialise(7);
  EXPECT_EQ(parameters.all().size(), bias == Bias::yes ? 2u : 1u);
  EXPECT_EQ(parameters.find("head.weight")->group, Group::attention);

  Bench bench(2);
  std::vector<double> x_values = random_values(1, rows * in);
  const std::vector<double> dy_values = random_values(2, rows * out);
  const Matrix<const double> x(x_values.data(), rows, in);
  const Matrix<const double> dy(dy_values.data(), rows, out);
  const auto loss = [&] {
    bench.arena.reset();
    return weighted_sum(dy_values, linear.forward(bench.compute, x).flat());
  };
  loss();
  const std::vector<double> dx = copy_of(linear.backward(bench.compute, x, dy));
  expect_gradient("x", x_values, dx, loss);
  expect_parameter_gradients(parameters, loss);

  // A second backward adds as much again.
  const std::vector<double> once = copy_of(parameters.gradients());
  linear.backward(bench.compute, x, dy);
  for (std::size_t i = 0; i < once.size(); ++i) ASSERT_NEAR(parameters.gradients()[i], 2 * once[i], 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Shapes, LinearGradient,
                         ::testing::Values(LinearShape{1, 1, 1, Bias::yes}, LinearShape{5, 3, 7, Bias::no},
                                           LinearShape{200, 9, 4, Bias::yes}, LinearShape{3, 2, 600, Bias::yes}));

TEST(Linear, StartsWithinOneOverRootOfItsInputs) {
  ParameterSet<float> parameters;
  Linear<float>::declare(parameters, "", 16, 50);
  parameters.finish();
  parameters.initialise(3);
  for (const Param<float>& parameter : parameters.all()) {
    const auto [low, high] = std::ranges::minmax(parameter.values());
    EXPECT_GE(low, -0.25f) << parameter.name;
    EXPECT_LE(high, 0.25f) << parameter.name;
    EXPECT_GT(high - low, 0.4f) << parameter.name;
  }
}

}  // namespace
}  // namespace fovea
