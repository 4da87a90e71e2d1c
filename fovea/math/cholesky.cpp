#include "fovea/math/cholesky.h"

#include <cmath>
#include <span>

#include "fovea/math/vector_math.h"

namespace fovea {

bool cholesky(Matrix<double> a) {
  const Index n = a.size(0);
  for (Index i = 0; i < n; ++i) {
    const std::span<double> row(&a(i, Index{0}), static_cast<std::size_t>(n));
    for (Index j = 0; j <= i; ++j) {
      const auto k = static_cast<std::size_t>(j);
      const std::span<const double> other(&a(j, Index{0}), k);
      const double rest = row[k] - dot(std::span<const double>(row.first(k)), other);
      if (j < i) row[k] = rest / a(j, j);
      else if (!(rest > 0)) return false;
      else row[k] = std::sqrt(rest);
    }
  }
  return true;
}

void cholesky_solve(Matrix<const double> l, Matrix<double> b) {
  const Index n = l.size(0);
  const auto width = static_cast<std::size_t>(b.size(1));
  const auto row = [&](Index i) { return std::span<double>(b.data() + i * b.size(1), width); };
  const auto divide = [&](Index i) {
    for (double& x : row(i)) x /= l(i, i);
  };
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) add_scaled(-l(i, j), std::span<const double>(row(j)), row(i));
    divide(i);
  }
  for (Index i = n - 1; i >= 0; --i) {
    for (Index j = i + 1; j < n; ++j) add_scaled(-l(j, i), std::span<const double>(row(j)), row(i));
    divide(i);
  }
}

}  // namespace fovea
