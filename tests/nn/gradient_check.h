// Gradients against central differences, in double: what every test of a layer or model uses.
//
//   Bench bench;                                       // arena, team and compute
//   const auto weights = random_values(1, y_count);    // loss = Σ weights · y, so that dy = weights
//   const auto loss = [&] { bench.arena.reset(); return weighted_sum(weights, layer.forward(bench.compute, x).flat());
//   };
//   ... forward, then backward with dy = weights ...
//   expect_parameter_gradients(parameters, loss);
//   expect_gradient("x", x_values, copy_of(dx), loss);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/nn/compute.h"
#include "fovea/nn/parameters.h"

namespace fovea::testing {

struct Bench {
  explicit Bench(int threads = 1) : team(threads) {}
  Arena arena;
  Team team;
  Compute compute{arena, team};
};

// `count` draws of N(0, scale²), the same for the same seed.
template <class T = double>
std::vector<T> random_values(std::uint64_t seed, Index count, double scale = 1.0) {
  RandomStream stream(seed, "test");
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = static_cast<T>(scale * stream.normal());
  return values;
}

template <class T>
std::vector<std::remove_const_t<T>> copy_of(std::span<T> values) {
  return {values.begin(), values.end()};
}
template <class T, int Rank>
std::vector<std::remove_const_t<T>> copy_of(View<T, Rank> view) {
  return copy_of(view.flat());
}

inline double weighted_sum(std::span<const double> weights, std::span<const double> values) {
  EXPECT_EQ(weights.size(), values.size());
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += weights[i] * values[i];
  return sum;
}

// How near is near: |analytic - numeric| <= tolerance * max(1, |analytic|, |numeric|).
struct GradientCheck {
  double step = 1e-5;
  double tolerance = 1e-7;
  std::size_t at_most = 200;  // entries tried, spread evenly, where there are more
};

// `loss` computes the loss anew from `values` (which it sees by itself, they are changed in place and put back);
// `gradient` is what backward said. It must not lie in an arena that `loss` resets.
inline void expect_gradient(const std::string& name, std::span<double> values, std::span<const double> gradient,
                            const std::function<double()>& loss, const GradientCheck& check = {}) {
  ASSERT_EQ(values.size(), gradient.size()) << name;
  ASSERT_FALSE(values.empty()) << name;
  const std::size_t tried = std::min(values.size(), check.at_most);
  for (std::size_t k = 0; k < tried; ++k) {
    const std::size_t i = k * values.size() / tried;
    const double start = values[i];
    const double step = check.step * std::max(1.0, std::abs(start));
    values[i] = start + step;
    const double above = loss();
    values[i] = start - step;
    const double below = loss();
    values[i] = start;
    const double numeric = (above - below) / (2 * step);
    const double scale = std::max({1.0, std::abs(numeric), std::abs(gradient[i])});
    ASSERT_TRUE(std::abs(gradient[i] - numeric) <= check.tolerance * scale)
        << name << "[" << i << "]: backward says " << gradient[i] << ", central differences say " << numeric;
  }
}

// Every parameter of the set against its gradient as it stands now; that of what does not learn is 0.
inline void expect_parameter_gradients(const ParameterSet<double>& parameters, const std::function<double()>& loss,
                                       const GradientCheck& check = {}) {
  for (const Param<double>& parameter : parameters.all()) {
    const std::vector<double> gradient = copy_of(parameter.gradients());
    if (!parameter.learns()) {
      for (const double g : gradient) ASSERT_EQ(g, 0) << parameter.name;
      continue;
    }
    expect_gradient(parameter.name, parameter.values(), gradient, loss, check);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace fovea::testing
