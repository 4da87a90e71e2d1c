#include "fovea/data/tasks/streams/markov_chain.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "fovea/base/functions/functions.h"

namespace fovea {

namespace {

constexpr double least = 1e-30;  // of a Gamma draw, so that every state can be reached from every other

// chain (k, k) with k = rest.size()
double& cell(std::span<double> chain, std::size_t k, std::size_t i, std::size_t j) { return chain[i * k + j]; }

void make_sum_one(std::span<double> row) {
  double sum = 0;
  for (const double p : row) sum += p;
  for (double& p : row) p /= sum;
}

}  // namespace

double draw_gamma(RandomStream& stream, double shape) {
  if (shape == 1) return -math::log(1 - stream.uniform());
  if (shape < 1) {
    const double above = draw_gamma(stream, shape + 1);
    return above * math::pow(1 - stream.uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double normal = stream.normal(), root = 1 + c * normal;
    const double uniform = 1 - stream.uniform();
    if (root <= 0) continue;
    const double v = root * root * root;
    if (math::log(uniform) < normal * normal / 2 + d * (1 - v + math::log(v))) return d * v;
  }
}

void draw_dirichlet(RandomStream& stream, std::span<const double> shapes, std::span<double> probabilities) {
  assert(shapes.size() == probabilities.size());
  for (std::size_t j = 0; j < shapes.size(); ++j) probabilities[j] = std::max(draw_gamma(stream, shapes[j]), least);
  make_sum_one(probabilities);
}

int draw_index(RandomStream& stream, std::span<const double> probabilities) {
  double left = stream.uniform();
  const std::size_t last = probabilities.size() - 1;
  for (std::size_t j = 0; j < last; ++j) {
    left -= probabilities[j];
    if (left < 0) return static_cast<int>(j);
  }
  return static_cast<int>(last);
}

void find_rest(std::span<const double> chain, std::span<double> rest, std::span<double> scratch) {
  const std::size_t k = rest.size();
  assert(chain.size() == k * k && scratch.size() == k * k);
  std::copy(chain.begin(), chain.end(), scratch.begin());
  for (std::size_t last = k - 1; last > 0; --last) {  // take state `last` out
    double leaves = 0;
    for (std::size_t j = 0; j < last; ++j) leaves += cell(scratch, k, last, j);
    for (std::size_t i = 0; i < last; ++i) {
      const double enters = cell(scratch, k, i, last) /= leaves;
      for (std::size_t j = 0; j < last; ++j) cell(scratch, k, i, j) += enters * cell(scratch, k, last, j);
    }
  }
  rest[0] = 1;
  for (std::size_t j = 1; j < k; ++j) {
    rest[j] = 0;
    for (std::size_t i = 0; i < j; ++i) rest[j] += rest[i] * cell(scratch, k, i, j);
  }
  make_sum_one(rest);
}

void balance(std::span<double> chain, std::span<double> scratch) {
  const std::size_t k = scratch.size();
  assert(chain.size() == k * k);
  for (int round = 0; round < 1000; ++round) {
    std::fill(scratch.begin(), scratch.end(), 0.0);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) scratch[j] += cell(chain, k, i, j);
    }
    double off = 0;
    for (const double sum : scratch) off = std::max(off, std::abs(sum - 1));
    if (off < 1e-9) return;
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) cell(chain, k, i, j) /= scratch[j];
      make_sum_one(chain.subspan(i * k, k));
    }
  }
}

}  // namespace fovea
