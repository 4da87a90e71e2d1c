#include "fovea/theory/exact/task_diversity.h"

#include <fmt/format.h>

#include <cmath>

#include "fovea/base/error/error.h"
#include "fovea/math/cholesky.h"
#include "fovea/math/matmul.h"

namespace fovea {

namespace {

void put_features(const Batch& batch, int row, SquaresRow squares, double* features) {
  const int d = batch.items.width, pairs = batch.items.columns;
  std::vector<double> h(static_cast<std::size_t>(d) + (squares == SquaresRow::present), 0.0);
  for (int n = 0; n < pairs; ++n) {
    const double y = static_cast<double>(batch.values.item(row, 0)[n]);
    const float* const x = batch.items.item(row, n);
    for (int i = 0; i < d; ++i) h[static_cast<std::size_t>(i)] += y * static_cast<double>(x[i]) * d / pairs;
    if (squares == SquaresRow::present) h.back() += y * y / pairs;
  }
  const float* const query = batch.queries.item(row, 0);
  for (const double one : h)
    for (int j = 0; j < d; ++j) *features++ = one * static_cast<double>(query[j]);
}

}  // namespace

double diversity_error(const DiversitySetting& setting) {
  const double s = setting.samples, noise = setting.noise;
  if (!(setting.diversity > 0 && setting.pairs > 0 && s > 0 && noise >= 0))
    throw wrong_input("regression in context needs tasks, pairs and examples, and noise of 0 or more",
                      "use numbers above 0");
  if (s == 1)
    throw wrong_input(
        "the error on new tasks has no bound if the examples are as many as the entries of the map, task.samples = 1",
        "set task.samples further from 1");
  const double x = (1 + noise) / setting.pairs, r = 1 / setting.diversity;
  const auto M = [x](double inverse) {
    const double sum = x + 1 - inverse;
    return 2 / (sum + std::sqrt(sum * sum + 4 * x * inverse));
  };
  const double m = M(r), u = x * M(s * r);
  if (s < 1)
    return s * (1 + x) / (1 - s) * (1 - s * (1 - u) * (1 - u) - (x - noise) * u / x) - 2 * s * (1 - u) + noise + 1;
  const double part = m / (1 + r * m), k = 1 / (1 - r * part * part);
  return (k - 1 / (s - 1)) * (1 + x) * x * m * x * m + (3 - 2 * s) / (s - 1) * m * x * x +
         ((1 + noise) * m / (s - 1) + 1) * x + noise * m / (s - 1) + noise;
}

double diversity_least_error(double pairs, double noise) {
  const double x = (1 + noise) / pairs;
  return noise + x / (1 + x);
}

std::vector<double> least_squares_map(const Batch& batch, SquaresRow row) {
  const Index n = batch.size, d = batch.items.width, p = d * (d + (row == SquaresRow::present));
  std::vector<double> features(static_cast<std::size_t>(n * p));
  const Matrix<double> F(features.data(), n, p);
  std::vector<double> answers;
  for (int b = 0; b < batch.size; ++b) {
    put_features(batch, b, row, &F(Index{b}, Index{0}));
    answers.push_back(static_cast<double>(*batch.answers.item(b, 0)));
  }
  const Matrix<double> y(answers.data(), n, 1);
  std::vector<double> map(static_cast<std::size_t>(p));
  const Matrix<double> G(map.data(), p, 1);
  // F' F G = F' y, or of fewer examples than entries G = F' c with F F' c = y.
  const Index size = std::min(n, p);
  std::vector<double> products(static_cast<std::size_t>(size * size));
  const Matrix<double> gram(products.data(), size, size);
  if (n >= p) {
    matmul(transposed(F), plain(F), gram);
    matmul(transposed(F), plain(y), G);
  } else {
    matmul(plain(F), transposed(F), gram);
  }
  if (!cholesky(gram))
    throw wrong_input(fmt::format("{} examples do not determine a map of {} entries", n, p),
                      "use more pairs, or more noise");
  cholesky_solve(gram, n >= p ? G : y);
  if (n < p) matmul(transposed(F), plain(y), G);
  return map;
}

double new_task_error(const std::vector<double>& map, int width, int pairs, double noise) {
  const auto d = static_cast<std::size_t>(width);
  double trace = 0, squares = 0, of_row = 0;
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (i < d * d && i % (d + 1) == 0) trace += map[i];
    (i < d * d ? squares : of_row) += map[i] * map[i];
  }
  const double b = (1 + noise) * width / pairs + 1 + 1.0 / pairs;
  return 1 + noise + (b * squares - 2 * trace + (1 + noise) * (1 + noise) * (1 + 2.0 / pairs) * of_row) / width;
}

}  // namespace fovea
