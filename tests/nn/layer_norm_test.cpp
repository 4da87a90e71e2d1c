#include "fovea/nn/layer_norm.h"

#include "fovea/nn/reference/layer_norm.h"
#include "tests/nn/reference/oracle.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// A layer's numbers at random; rows that are not around 0; what is there already, which gradients are added to.
template <class T>
struct LayerNormScene {
  LayerNormScene(std::uint64_t seed, Index rows, Index width, Bias bias, int threads) : bench(threads) {
    norm = LayerNorm<T>::declare(parameters, "norm", width, bias);
    parameters.finish();
    for (const Param<T>& p : parameters.all()) {
      fill(++seed, p.values());
      fill(++seed, p.gradients());
    }
    for (Matrix<T>* all : {&x, &dy, &dx}) fill(++seed, (*all = bench.compute.template array<T>(rows, width)).flat());
    for (T& number : x.flat()) number += 2;
  }
  static void fill(std::uint64_t seed, std::span<T> values) {
    std::ranges::copy(random_values<T>(seed, std::ssize(values)), values.begin());
  }

  Bench bench;
  ParameterSet<T> parameters;
  LayerNorm<T> norm;
  Matrix<T> x, dy, dx;
};

template <class T>
class LayerNormOracle : public ::testing::Test {};
using NormScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LayerNormOracle, NormScalars);

TYPED_TEST(LayerNormOracle, SaysTheSame) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  for (const Index width : {2, 5, 7, 8, 16, 33, 256})
    for (const Bias bias : {Bias::yes, Bias::no}) {
      SCOPED_TRACE(width);
      seed += 10;
      LayerNormScene<T> scene(seed, 1 + static_cast<Index>(seed) % 150, width, bias, 2);
      const Index rows = scene.x.size(0);
      const auto vector = [](const Param<T>* p, bool gradient) {
        return p ? to_array(gradient ? p->gradients() : p->values()) : Array<1>(0);
      };
      const reference::LayerNorm norm{1e-5, vector(scene.norm.weight, false), vector(scene.norm.bias, false)};
      reference::LayerNorm d_norm{1e-5, vector(scene.norm.weight, true), vector(scene.norm.bias, true)};
      const Array<2> x = to_array(scene.x.flat(), rows, width);
      Array<2> want_dx = to_array(scene.dx.flat(), rows, width);
      const auto trace = scene.norm.forward(scene.bench.compute, scene.x);
      scene.norm.backward(scene.bench.compute, trace, scene.dy, scene.dx);
      const Array<2> added = reference::layer_norm_backward(norm, x, to_array(scene.dy.flat(), rows, width), d_norm);
      for (std::size_t i = 0; i < added.values().size(); ++i) want_dx.values()[i] += added.values()[i];

      expect_near_oracle("y", trace.output.flat(), reference::layer_norm(norm, x).values());
      expect_near_oracle("dx", scene.dx.flat(), want_dx.values(), 10 * oracle_tolerance<T>);
      expect_near_oracle("dw", scene.norm.weight->gradients(), d_norm.weight.values());
      if (scene.norm.bias) expect_near_oracle("db", scene.norm.bias->gradients(), d_norm.bias.values());
      if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(LayerNorm, TheTeamChangesNoBit) {
  const auto all = [](int threads) {
    LayerNormScene<float> scene(3, 150, 33, Bias::yes, threads);
    const auto trace = scene.norm.forward(scene.bench.compute, scene.x);
    scene.norm.backward(scene.bench.compute, trace, scene.dy, scene.dx);
    std::vector<float> numbers = copy_of(trace.output);
    for (const std::span<float> more : {scene.dx.flat(), scene.parameters.gradients()})
      numbers.insert(numbers.end(), more.begin(), more.end());
    return numbers;
  };
  EXPECT_EQ(all(1), all(3));
}

}  // namespace
}  // namespace fovea
