#include "fovea/nn/attention/combiner.h"

#include "tests/nn/gradient_check.h"

namespace fovea {
namespace {

using namespace fovea::testing;

constexpr Index rows = 9, state_width = 5, context_width = 4;

void check_gradients(const std::vector<std::string>& heads, Activation activation, Bias bias = Bias::no) {
  ParameterSet<double> parameters;
  const auto combiner = Combiner<double>::declare(parameters, heads, state_width, context_width, activation, bias);
  parameters.finish();
  parameters.initialise(4);
  std::vector<double> d = random_values(1, rows * state_width);
  std::vector<std::vector<double>> context;
  std::vector<Matrix<const double>> views;
  for (std::size_t h = 0; h < heads.size(); ++h) context.push_back(random_values(10 + h, rows * context_width));
  for (const auto& values : context) views.emplace_back(values.data(), rows, context_width);
  const std::vector<double> weight = random_values(2, rows * state_width);

  Bench bench(2);
  Combiner<double>::Trace trace;
  const auto loss = [&] {
    bench.arena.reset();
    const Matrix<const double> states(d.data(), rows, state_width);
    return weighted_sum(weight, combiner.forward(bench.compute, states, views, trace).flat());
  };
  loss();
  const Matrix<double> dd = bench.compute.zeros<double>(rows, state_width);
  std::vector<Matrix<double>> d_contexts;
  for (std::size_t h = 0; h < heads.size(); ++h) d_contexts.push_back(bench.compute.array<double>(rows, context_width));
  combiner.backward(bench.compute, trace, Matrix<const double>(weight.data(), rows, state_width), dd, d_contexts);
  std::vector<std::vector<double>> gradients;
  for (const auto& view : d_contexts) gradients.push_back(copy_of(view));
  const auto d_gradient = copy_of(dd);
  expect_gradient("states", d, d_gradient, loss);
  for (std::size_t h = 0; h < heads.size(); ++h) expect_gradient(heads[h], context[h], gradients[h], loss);
  expect_parameter_gradients(parameters, loss);
}

TEST(Combiner, GradientsWithoutContext) { check_gradients({}, Activation::tanh()); }
TEST(Combiner, GradientsWithOneHead) { check_gradients({"attention"}, Activation::tanh()); }
TEST(Combiner, GradientsWithSeveralHeads) { check_gradients({"head.0", "head.3", "head.1"}, Activation::tanh()); }
TEST(Combiner, GradientsWithABias) {
  check_gradients({}, Activation::tanh(), Bias::yes);
  check_gradients({"head.0", "head.3"}, Activation::tanh(), Bias::yes);
}
TEST(Combiner, GradientsWithReLU) { check_gradients({"attention"}, Activation::relu()); }

}  // namespace
}  // namespace fovea
