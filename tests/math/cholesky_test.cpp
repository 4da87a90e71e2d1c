#include "fovea/math/cholesky.h"

#include <gtest/gtest.h>

#include <vector>

#include "fovea/base/random.h"

namespace fovea {
namespace {

TEST(Cholesky, SolvesARandomSystem) {
  constexpr Index n = 7, m = 3;
  RandomStream stream(1, "test");
  std::vector<double> g(n * n), a(n * n), x(n * m), b(n * m, 0.0);
  for (double& value : g) value = stream.normal();
  for (double& value : x) value = stream.normal();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) a[i * n + j] += g[i * n + k] * g[j * n + k];
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < m; ++k) b[i * m + k] += a[i * n + j] * x[j * m + k];
  const Matrix<double> factor(a.data(), n, n), right(b.data(), n, m);
  ASSERT_TRUE(cholesky(factor));
  cholesky_solve(factor, right);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(b[i], x[i], 1e-9);
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite) {
  std::vector<double> a{1, 2, 2, 1};
  EXPECT_FALSE(cholesky(Matrix<double>(a.data(), 2, 2)));
}

}  // namespace
}  // namespace fovea
