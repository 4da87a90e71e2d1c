#include "fovea/theory/exact/max_margin.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/functions/functions.h"

namespace fovea {

namespace {

double inner_of(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Adds scale · x z' to a matrix.
void add_outer(double scale, const float* x, const float* z, std::vector<double>& map) {
  const auto width = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(map.size()))));
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t j = 0; j < width; ++j)
      map[i * width + j] += scale * static_cast<double>(x[i]) * static_cast<double>(z[j]);
}

std::size_t numbers_of_map(const Batch& batch) {
  return static_cast<std::size_t>(batch.items.width) * static_cast<std::size_t>(batch.items.width);
}

double value_of(const Batch& batch, int i, int t) { return static_cast<double>(*batch.values.item(i, t)); }
double label_of(const Batch& batch, int i) { return static_cast<double>(*batch.answers.item(i, 0)); }

}  // namespace

MarginSolution max_margin(const Batch& batch, std::span<const int> chosen) {
  constexpr int most_rounds = 20'000;
  constexpr double small = 1e-10;
  std::vector<std::vector<double>> constraints;
  for (int i = 0; i < batch.size; ++i)
    for (int t = 0; t < batch.items.columns; ++t) {
      const int best = chosen[static_cast<std::size_t>(i)];
      if (t == best) continue;
      std::vector<double>& constraint = constraints.emplace_back(numbers_of_map(batch), 0.0);
      add_outer(1, batch.items.item(i, best), batch.queries.item(i, 0), constraint);
      add_outer(-1, batch.items.item(i, t), batch.queries.item(i, 0), constraint);
    }
  MarginSolution solution;
  solution.map.assign(numbers_of_map(batch), 0.0);
  std::vector<double> weights(constraints.size(), 0.0);
  for (int round = 0; round < most_rounds; ++round) {
    double most = 0;
    for (std::size_t k = 0; k < constraints.size(); ++k) {
      const double short_of = 1 - inner_of(constraints[k], solution.map);
      const double moved = std::max(0.0, weights[k] + short_of / inner_of(constraints[k], constraints[k]));
      const double change = moved - weights[k];
      weights[k] = moved;
      for (std::size_t n = 0; n < solution.map.size(); ++n) solution.map[n] += change * constraints[k][n];
      most = std::max(most, std::abs(change));
    }
    if (most < small) break;
  }
  solution.margin = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& constraint : constraints)
    solution.margin = std::min(solution.margin, inner_of(constraint, solution.map));
  constexpr double counts = 1e-6;
  solution.support = static_cast<int>(std::ranges::count_if(weights, [&](double a) { return a > counts; }));
  return solution;
}

std::vector<double> first_step(const Batch& batch) {
  std::vector<double> step(numbers_of_map(batch), 0.0);
  const double T = batch.items.columns;
  for (int i = 0; i < batch.size; ++i) {
    double mean = 0;
    for (int t = 0; t < batch.items.columns; ++t) mean += value_of(batch, i, t) / T;
    const double pull = label_of(batch, i) / (1 + math::exp(label_of(batch, i) * mean)) / T;
    for (int t = 0; t < batch.items.columns; ++t)
      add_outer(pull * (value_of(batch, i, t) - mean), batch.items.item(i, t), batch.queries.item(i, 0), step);
  }
  return step;
}

std::vector<int> best_tokens(const Batch& batch) {
  std::vector<int> best;
  for (int i = 0; i < batch.size; ++i) {
    int found = 0;
    for (int t = 1; t < batch.items.columns; ++t)
      if (label_of(batch, i) * (value_of(batch, i, t) - value_of(batch, i, found)) > 0) found = t;
    best.push_back(found);
  }
  return best;
}

double cosine_of(std::span<const double> a, std::span<const double> b) {
  return inner_of(a, b) / std::sqrt(inner_of(a, a) * inner_of(b, b));
}

// One-sided Jacobi: rows are turned against each other until all are at right angles; their lengths are then s.
double effective_rank(std::span<const double> matrix) {
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
  std::vector<double> rows(matrix.begin(), matrix.end());
  const auto row = [&](std::size_t i) { return std::span<double>(rows).subspan(i * n, n); };
  for (int round = 0, turned = 1; turned > 0 && round < 100; ++round) {
    turned = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) {
        const double a = inner_of(row(i), row(i)), b = inner_of(row(j), row(j)), c = inner_of(row(i), row(j));
        if (c * c <= 1e-28 * a * b) continue;
        ++turned;
        const double zeta = (b - a) / (2 * c);
        const double tangent = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + math::hypot(1, zeta));
        const double cos = 1 / math::hypot(1, tangent), sin = cos * tangent;
        for (std::size_t k = 0; k < n; ++k) {
          const double x = row(i)[k], y = row(j)[k];
          row(i)[k] = cos * x - sin * y;
          row(j)[k] = sin * x + cos * y;
        }
      }
  }
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double square = inner_of(row(i), row(i));
    sum += std::sqrt(square);
    squares += square;
  }
  return squares > 0 ? sum * sum / squares : 0;
}

}  // namespace fovea
