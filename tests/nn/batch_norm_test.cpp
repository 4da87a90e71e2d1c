#include "fovea/nn/batch_norm.h"

#include "fovea/nn/reference/batch_norm.h"
#include "tests/nn/gradient_check.h"
#include "tests/nn/reference/oracle.h"

namespace fovea {
namespace {

using namespace fovea::testing;

struct Norm {
  explicit Norm(Index width) : layer(BatchNorm<double>::declare(parameters, "norm", width)) {
    parameters.finish();
    parameters.initialise(1);
    std::ranges::copy(random_values(11, width), layer.weight->value);
    std::ranges::copy(random_values(12, width), layer.bias->value);
  }
  ParameterSet<double> parameters;
  BatchNorm<double> layer;
};

std::vector<std::uint8_t> random_mask(std::uint64_t seed, Index rows) {
  RandomStream stream(seed, "mask");
  std::vector<std::uint8_t> mask;
  for (Index i = 0; i < rows; ++i) mask.push_back(stream.uniform() < 0.6);
  return mask;
}

struct NormShape {
  Index rows, width;
  bool training, masked;
};
class BatchNormGradient : public ::testing::TestWithParam<NormShape> {};

TEST_P(BatchNormGradient, IsWhatCentralDifferencesSay) {
  const Index rows = GetParam().rows, width = GetParam().width;
  const bool training = GetParam().training, masked = GetParam().masked;
  Norm norm(width);
  const std::vector<std::uint8_t> present = masked ? random_mask(5, rows) : std::vector<std::uint8_t>();
  Bench bench(2);
  std::vector<double> x = random_values(1, rows * width, 2.0), dx(x.size());
  const std::vector<double> dy = random_values(2, rows * width);
  BatchNorm<double>::Trace trace;
  const auto loss = [&] {
    bench.arena.reset();
    // Values that a step moves but that the gradient knows nothing of.
    std::ranges::copy(random_values(13, width), norm.layer.running_mean->value);
    std::ranges::fill(norm.layer.running_var->values(), 1.7);
    trace = norm.layer.forward(bench.compute, training, Matrix<const double>(x.data(), rows, width), present);
    return weighted_sum(dy, trace.output.flat());
  };
  loss();
  norm.layer.backward(bench.compute, trace, Matrix<const double>(dy.data(), rows, width),
                      Matrix<double>(dx.data(), rows, width));
  const GradientCheck check{1e-5, 1e-6, 200};
  expect_gradient("x", x, dx, loss, check);
  expect_gradient("weight", norm.layer.weight->values(), copy_of(norm.layer.weight->gradients()), loss, check);
  expect_gradient("bias", norm.layer.bias->values(), copy_of(norm.layer.bias->gradients()), loss, check);
  for (const Param<double>* p : {norm.layer.running_mean, norm.layer.running_var}) {
    EXPECT_EQ(p->group, Group::statistics);
    for (const double g : p->gradients()) EXPECT_EQ(g, 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BatchNormGradient,
                         ::testing::Values(NormShape{8, 3, true, false}, NormShape{20, 130, true, true},
                                           NormShape{8, 3, false, false}, NormShape{9, 70, false, true},
                                           NormShape{2, 1, true, false}));

template <class T>
class BatchNormOracle : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BatchNormOracle, Scalars);

// Several batches one after the other, so that the running statistics are those of a history.
TYPED_TEST(BatchNormOracle, SaysTheSame) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomStream stream(seed, "norm");
    const Index width = random_size(stream, seed % 3 == 0 ? 150 : 9);
    ParameterSet<T> parameters;
    BatchNorm<T> layer = BatchNorm<T>::declare(parameters, "norm", width);
    parameters.finish();
    parameters.initialise(1);
    std::ranges::copy(random_values<T>(seed, width), layer.weight->value);
    std::ranges::copy(random_values<T>(seed + 1, width), layer.bias->value);
    std::ranges::copy(random_values<T>(seed + 2, width), layer.weight->gradient);  // backward adds to what is there
    std::ranges::copy(random_values<T>(seed + 3, width), layer.bias->gradient);
    reference::BatchNorm norm{layer.momentum,
                              layer.epsilon,
                              to_array(layer.weight->values()),
                              to_array(layer.bias->values()),
                              to_array(layer.running_mean->values()),
                              to_array(layer.running_var->values())};
    reference::BatchNorm d_norm{0, 0, to_array(layer.weight->gradients()), to_array(layer.bias->gradients()), {}, {}};
    for (const bool training : {true, true, false}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + (training ? " training" : " evaluation"));
      const Index rows = 3 + random_size(stream, 20);
      const bool masked = random_choice(stream);
      std::vector<std::uint8_t> present(static_cast<std::size_t>(rows), 1);
      for (std::size_t r = 3; r < present.size() && masked; ++r) present[r] = random_choice(stream);
      std::vector<T> x = random_values<T>(seed + 4 + training, rows * width, 2.0);
      for (T& v : x) v += 1;
      const std::vector<T> dy = random_values<T>(seed + 6, rows * width);
      const reference::Normalised want =
          reference::batch_norm(norm, training, to_array(std::span(x), rows, width), present);
      const Array<2> want_dx = reference::batch_norm_backward(norm, want, to_array(std::span(dy), rows, width), d_norm);

      Bench bench(2);
      const std::span<const std::uint8_t> mask(present.data(), masked ? present.size() : 0);
      const typename BatchNorm<T>::Trace trace =
          layer.forward(bench.compute, training, Matrix<const T>(x.data(), rows, width), mask);
      const Matrix<T> dx = bench.compute.template array<T>(rows, width);
      layer.backward(bench.compute, trace, Matrix<const T>(dy.data(), rows, width), dx);
      expect_near_oracle("y", trace.output.flat(), want.y.values());
      expect_near_oracle("dx", dx.flat(), want_dx.values(), 10 * oracle_tolerance<T>);
      expect_near_oracle("d weight", layer.weight->gradients(), d_norm.weight.values());
      expect_near_oracle("d bias", layer.bias->gradients(), d_norm.bias.values());
      expect_near_oracle("running mean", layer.running_mean->values(), norm.running_mean.values());
      expect_near_oracle("running variance", layer.running_var->values(), norm.running_var.values());
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(BatchNorm, OfAMaskedBatchIsThatOfThePresentRows) {
  constexpr Index rows = 12, width = 67;
  const std::vector<std::uint8_t> present = random_mask(8, rows);
  const std::vector<double> x = random_values(1, rows * width), dy = random_values(2, rows * width);
  std::vector<double> packed_x, packed_dy;
  for (Index n = 0; n < rows; ++n)
    if (present[static_cast<std::size_t>(n)])
      for (Index c = 0; c < width; ++c) {
        packed_x.push_back(x[static_cast<std::size_t>(n * width + c)]);
        packed_dy.push_back(dy[static_cast<std::size_t>(n * width + c)]);
      }
  const Index packed = static_cast<Index>(packed_x.size()) / width;
  ASSERT_GT(packed, 2);
  ASSERT_LT(packed, rows);

  Norm masked(width), plain(width);
  Bench bench(2);
  const auto trace = masked.layer.forward(bench.compute, true, Matrix<const double>(x.data(), rows, width), present);
  const Matrix<double> dx = bench.compute.array<double>(rows, width);
  masked.layer.backward(bench.compute, trace, Matrix<const double>(dy.data(), rows, width), dx);
  const auto packed_trace =
      plain.layer.forward(bench.compute, true, Matrix<const double>(packed_x.data(), packed, width));
  const Matrix<double> packed_dx = bench.compute.array<double>(packed, width);
  plain.layer.backward(bench.compute, packed_trace, Matrix<const double>(packed_dy.data(), packed, width), packed_dx);
  for (Index n = 0, k = 0; n < rows; ++n) {
    const bool there = present[static_cast<std::size_t>(n)] != 0;
    for (Index c = 0; c < width; ++c) {
      ASSERT_EQ(trace.output(n, c), there ? packed_trace.output(k, c) : 0.0);
      ASSERT_EQ(dx(n, c), there ? packed_dx(k, c) : 0.0);
    }
    k += there;
  }
  EXPECT_EQ(copy_of(masked.parameters.values()), copy_of(plain.parameters.values()));
  EXPECT_EQ(copy_of(masked.parameters.gradients()), copy_of(plain.parameters.gradients()));
}

TEST(BatchNorm, OfOneRowOrNoneStaysFinite) {
  for (const bool there : {false, true}) {
    Norm norm(3);
    Bench bench;
    const std::vector<double> x = {1, 2, 3}, dy = {1, 1, 1};
    const std::vector<std::uint8_t> present = {std::uint8_t{there}};
    const auto trace = norm.layer.forward(bench.compute, true, Matrix<const double>(x.data(), 1, 3), present);
    const Matrix<double> dx = bench.compute.array<double>(1, 3);
    norm.layer.backward(bench.compute, trace, Matrix<const double>(dy.data(), 1, 3), dx);
    for (const double v : trace.output.flat()) EXPECT_TRUE(std::isfinite(v));
    for (const double v : dx.flat()) EXPECT_TRUE(std::isfinite(v));
    for (const double v : norm.layer.running_var->values()) EXPECT_EQ(v, 1.0);
  }
}

}  // namespace
}  // namespace fovea
