#include "fovea/data/two_spaces.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/functions/functions.h"
#include "fovea/base/random.h"

namespace fovea {

namespace {

// (n,r) with orthonormal columns, r <= n: a normal matrix, orthogonalised column by column.
std::vector<double> orthonormal_columns(RandomStream stream, int n, int r) {
  std::vector<double> columns(static_cast<std::size_t>(n) * static_cast<std::size_t>(r));
  const auto column = [&](int c) { return columns.data() + std::ptrdiff_t{c} * n; };
  for (int c = 0; c < r;) {
    double* const x = column(c);
    std::generate_n(x, n, [&stream] { return stream.normal(); });
    for (int pass = 0; pass < 2; ++pass)  // twice, so that rounding leaves nothing of the others
      for (int other = 0; other < c; ++other) {
        const double* const y = column(other);
        double along = 0;
        for (int i = 0; i < n; ++i) along += x[i] * y[i];
        for (int i = 0; i < n; ++i) x[i] -= along * y[i];
      }
    double squares = 0;
    for (int i = 0; i < n; ++i) squares += x[i] * x[i];
    if (squares < 1e-12) continue;  // it lies among the others: drawn again
    for (int i = 0; i < n; ++i) x[i] /= std::sqrt(squares);
    ++c;
  }
  return columns;
}

}  // namespace

TwoSpaces TwoSpaces::draw(std::uint64_t seed, int query_width, int key_width) {
  const int kept = std::min(query_width, key_width);
  const auto numbers = static_cast<std::size_t>(query_width) * static_cast<std::size_t>(key_width);
  TwoSpaces spaces{query_width, key_width, std::vector<double>(numbers), std::vector<double>(numbers)};
  const std::vector<double> u = orthonormal_columns(RandomStream(seed, "two-spaces.keys"), key_width, kept);
  const std::vector<double> v = orthonormal_columns(RandomStream(seed, "two-spaces.queries"), query_width, kept);
  for (int c = 0; c < kept; ++c) {
    const double s = kept == 1 ? 1 : math::exp2(2.0 * c / (kept - 1) - 1);
    for (int i = 0; i < key_width; ++i)
      for (int j = 0; j < query_width; ++j) {
        const double product =
            u[static_cast<std::size_t>(c * key_width + i)] * v[static_cast<std::size_t>(c * query_width + j)];
        spaces.there[static_cast<std::size_t>(i * query_width + j)] += s * product;
        spaces.back[static_cast<std::size_t>(j * key_width + i)] += product / s;
      }
  }
  return spaces;
}

}  // namespace fovea
