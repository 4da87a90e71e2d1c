#include "fovea/nn/layer_norm.h"

#include <gtest/gtest.h>

#include <vector>

#include "fovea/base/random.h"

namespace fovea {
namespace {

// Everything that a layer gives of drawn rows.
template <class T>
std::vector<T> normalised(Index width, Bias bias, int threads) {
  constexpr Index rows = 150;
  ParameterSet<T> parameters;
  const LayerNorm<T> norm = LayerNorm<T>::declare(parameters, "norm", width, bias);
  parameters.finish();
  parameters.initialise(1);
  Arena arena;
  Team team(threads);
  Compute compute{arena, team};
  Stream stream(3, "layer-norm");
  const auto fill = [&](std::span<T> values) {
    for (T& x : values) x = static_cast<T>(static_cast<float>(stream.uniform(-1, 3)));
  };
  const Matrix<T> x = compute.array<T>(rows, width), dy = compute.array<T>(rows, width),
                  dx = compute.array<T>(rows, width);
  for (const Matrix<T>& all : {x, dy, dx}) fill(all.flat());
  fill(norm.weight->values());
  if (norm.bias) fill(norm.bias->values());
  const typename LayerNorm<T>::Trace trace = norm.forward(compute, x);
  norm.backward(compute, trace, dy, dx);
  std::vector<T> all(trace.output.flat().begin(), trace.output.flat().end());
  all.insert(all.end(), dx.flat().begin(), dx.flat().end());
  for (const Param<T>& p : parameters.all()) all.insert(all.end(), p.gradients().begin(), p.gradients().end());
  return all;
}

TEST(LayerNorm, FloatsAreWhatTheEquationsSayInDouble) {
  for (const Index width : {5, 7, 8, 16, 33, 256})
    for (const Bias bias : {Bias::yes, Bias::no}) {
      SCOPED_TRACE(width);
      const std::vector<float> narrow = normalised<float>(width, bias, 1);
      const std::vector<double> wide = normalised<double>(width, bias, 1);
      ASSERT_EQ(narrow.size(), wide.size());
      for (std::size_t i = 0; i < wide.size(); ++i) ASSERT_NEAR(narrow[i], wide[i], 1e-4 * (20 + std::abs(wide[i])));
      EXPECT_EQ(narrow, normalised<float>(width, bias, 3));
    }
}

}  // namespace
}  // namespace fovea
