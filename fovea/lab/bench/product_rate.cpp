// Measures the best rate of matrix products on this machine, as bench.h declares (room lab/bench). `fovea bench`
// prints it.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

#include "fovea/base/arena.h"
#include "fovea/base/random.h"
#include "fovea/base/team.h"
#include "fovea/lab/bench/bench.h"
#include "fovea/math/packed.h"

namespace fovea {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

// c (M,N) = a (M,K) b (K,N), by the general product and by panels.
struct ProductTrial {
  Index m, k, n;
  bool packed;

  double operations() const { return 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n); }
};

struct ProductSpace {
  std::vector<float> a, b, c;
  Arena arena;
  PackedMatrix<float> panels;

  void prepare(Products products, const ProductTrial& trial) {
    RandomStream stream(1, "bench.product");
    a.resize(static_cast<std::size_t>(trial.m * trial.k));
    b.resize(static_cast<std::size_t>(trial.k * trial.n));
    c.resize(static_cast<std::size_t>(trial.m * trial.n));
    for (std::vector<float>* values : {&a, &b})
      for (float& x : *values) x = static_cast<float>(stream.uniform(-1, 1));
    arena.reset();
    if (trial.packed) panels = pack(arena, products, plain(Matrix<const float>(b.data(), trial.k, trial.n)));
  }
  void multiply(Products products, const ProductTrial& trial) {
    const Operand<float> left = plain(Matrix<const float>(a.data(), trial.m, trial.k));
    const Matrix<float> out(c.data(), trial.m, trial.n);
    if (trial.packed) matmul_packed(left, panels, out);
    else matmul(products, left, plain(Matrix<const float>(b.data(), trial.k, trial.n)), out);
  }
};

}  // namespace

double best_product_rate(Products products, int threads, double seconds, const BenchWatch& watch) {
  constexpr std::array<ProductTrial, 6> trials{{{1024, 1024, 1024, false},
                                                {512, 512, 512, false},
                                                {5120, 256, 1024, false},
                                                {1024, 5120, 256, false},
                                                {128, 256, 1024, true},
                                                {5120, 256, 1024, true}}};
  constexpr int rounds = 3;  // the best of them counts: what disturbs only ever slows
  Team team(threads);
  const auto spaces = std::make_unique<ProductSpace[]>(static_cast<std::size_t>(threads));
  const double share = seconds / (rounds * trials.size());
  double best = 0;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t t = 0; t < trials.size() && !(watch.stop && watch.stop->load(std::memory_order_relaxed)); ++t) {
      team.each(threads, [&](int i) {
        spaces[static_cast<std::size_t>(i)].prepare(products, trials[t]);
        spaces[static_cast<std::size_t>(i)].multiply(products, trials[t]);
      });
      const int repeats = std::max(1, static_cast<int>(5e8 / trials[t].operations()));
      const Clock::time_point start = Clock::now();
      do {
        const Clock::time_point began = Clock::now();
        team.each(threads, [&](int i) {
          for (int r = 0; r < repeats; ++r) spaces[static_cast<std::size_t>(i)].multiply(products, trials[t]);
        });
        best = std::max(best, threads * repeats * trials[t].operations() / seconds_between(began, Clock::now()));
      } while (seconds_between(start, Clock::now()) < share);
      if (watch.progress)
        watch.progress(static_cast<double>(static_cast<std::size_t>(round) * trials.size() + t + 1) /
                       static_cast<double>(rounds * trials.size()));
    }
  return best;
}

double product_error(Products products) {
  const ProductTrial trial{128, 256, 512, true};
  ProductSpace space;
  space.prepare(products, trial);
  space.multiply(products, trial);
  std::vector<double> a(space.a.begin(), space.a.end()), b(space.b.begin(), space.b.end()), c(space.c.size());
  matmul(plain(Matrix<const double>(a.data(), trial.m, trial.k)),
         plain(Matrix<const double>(b.data(), trial.k, trial.n)), Matrix<double>(c.data(), trial.m, trial.n));
  double squares = 0, errors = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    squares += c[i] * c[i];
    errors += (space.c[i] - c[i]) * (space.c[i] - c[i]);
  }
  return std::sqrt(errors / squares);
}

}  // namespace fovea
