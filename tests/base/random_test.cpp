#include "fovea/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace fovea {
namespace {

// The known answers that Random123 publishes for philox4x64-10 (kat_vectors); NumPy's Philox gives the same.
TEST(Philox, GivesThePublishedVectors) {
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  EXPECT_EQ(philox4x64({0, 0, 0, 0}, {0, 0}),
            (Philox4x64Block{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}));
  EXPECT_EQ(philox4x64({ones, ones, ones, ones}, {ones, ones}),
            (Philox4x64Block{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}));
  EXPECT_EQ(philox4x64({0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
                       {0x452821e638d01377, 0xbe5466cf34e90c6c}),
            (Philox4x64Block{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}));
}

std::vector<std::uint64_t> first_bits(RandomStream stream) {
  std::vector<std::uint64_t> bits;
  for (int i = 0; i < 9; ++i) bits.push_back(stream.bits());
  return bits;
}

TEST(RandomStream, IsNamedBySeedPurposeStepAndIndexAlone) {
  const auto reference = first_bits(RandomStream(7, "batch", 3, 5));
  EXPECT_EQ(reference, first_bits(RandomStream(7, "batch", 3, 5)));
  EXPECT_NE(reference, first_bits(RandomStream(8, "batch", 3, 5)));
  EXPECT_NE(reference, first_bits(RandomStream(7, "init", 3, 5)));
  EXPECT_NE(reference, first_bits(RandomStream(7, "batch", 4, 5)));
  EXPECT_NE(reference, first_bits(RandomStream(7, "batch", 3, 6)));
}

// Kolmogorov-Smirnov distance of a sample from a distribution.
template <class Cdf>
double ks_distance(std::vector<double> sample, Cdf cdf) {
  std::sort(sample.begin(), sample.end());
  const double n = static_cast<double>(sample.size());
  double worst = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double p = cdf(sample[i]);
    worst = std::max({worst, std::abs(p - static_cast<double>(i) / n), std::abs(p - static_cast<double>(i + 1) / n)});
  }
  return worst;
}

constexpr int draws = 200'000;
// P(sqrt(n) D > 1.95) is 0.001; the seeds are fixed, so these cannot flicker.
const double ks_bound = 1.95 / std::sqrt(static_cast<double>(draws));

TEST(RandomStream, UniformIsUniform) {
  RandomStream stream(1, "test");
  std::vector<double> sample(draws);
  for (double& x : sample) x = stream.uniform();
  EXPECT_GE(*std::min_element(sample.begin(), sample.end()), 0.0);
  EXPECT_LT(*std::max_element(sample.begin(), sample.end()), 1.0);
  EXPECT_LT(ks_distance(sample, [](double x) { return x; }), ks_bound);
}

TEST(RandomStream, UniformBetweenBoundsIsUniformThere) {
  RandomStream stream(2, "test");
  std::vector<double> sample(draws);
  for (double& x : sample) x = stream.uniform(-3, 5);
  EXPECT_LT(ks_distance(sample, [](double x) { return (x + 3) / 8; }), ks_bound);
}

TEST(RandomStream, NormalIsNormal) {
  RandomStream stream(3, "test");
  std::vector<double> sample(draws);
  for (double& x : sample) x = stream.normal();
  EXPECT_LT(ks_distance(sample, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }), ks_bound);
}

// Chi-square over `cells` equally likely cells, in deviations from its mean.
double chi_square_deviations(const std::vector<int>& counts, int total) {
  const double cells = static_cast<double>(counts.size());
  const double expected = total / cells;
  double chi = 0;
  for (const int n : counts) chi += (n - expected) * (n - expected) / expected;
  return (chi - (cells - 1)) / std::sqrt(2 * (cells - 1));
}

TEST(RandomStream, IntegerIsUniformOverItsRange) {
  for (const std::uint64_t below : {1u, 2u, 3u, 7u, 40u, 1000u}) {
    RandomStream stream(4, "test", below);
    std::vector<int> counts(below);
    for (int i = 0; i < draws; ++i) {
      const std::uint64_t x = stream.integer(below);
      ASSERT_LT(x, below);
      ++counts[x];
    }
    if (below > 1) {
      EXPECT_LT(std::abs(chi_square_deviations(counts, draws)), 3.5) << "below " << below;
    }
  }
}

TEST(RandomStream, IntegerReachesBeyondThirtyTwoBits) {
  RandomStream stream(5, "test");
  const std::uint64_t below = (std::uint64_t{1} << 63) + 12345;
  double sum = 0;
  for (int i = 0; i < draws; ++i) {
    const std::uint64_t x = stream.integer(below);
    ASSERT_LT(x, below);
    sum += static_cast<double>(x) / static_cast<double>(below);
  }
  EXPECT_NEAR(sum / draws, 0.5, 4 * std::sqrt(1.0 / 12 / draws));
}

TEST(RandomStream, EveryPermutationIsEquallyLikely) {
  std::vector<int> counts(24);
  constexpr int total = 48'000;
  for (int i = 0; i < total; ++i) {
    int p[4];
    RandomStream(6, "test", static_cast<std::uint64_t>(i)).permutation(p);
    int rank = 0;  // Lehmer code
    for (int a = 0; a < 4; ++a) {
      int smaller = 0;
      for (int b = a + 1; b < 4; ++b) smaller += p[b] < p[a];
      rank = rank * (4 - a) + smaller;
    }
    ++counts[static_cast<std::size_t>(rank)];
  }
  EXPECT_LT(std::abs(chi_square_deviations(counts, total)), 3.5);
}

TEST(RandomStream, DistinctDrawsAreDistinctAndUniform) {
  std::vector<int> counts(60), scratch(60), out(40);
  constexpr int total = 3000;
  for (int i = 0; i < total; ++i) {
    RandomStream(7, "test", static_cast<std::uint64_t>(i)).distinct(out, scratch);
    EXPECT_EQ(std::set<int>(out.begin(), out.end()).size(), 40u);
    ++counts[static_cast<std::size_t>(out[0])];
  }
  EXPECT_LT(std::abs(chi_square_deviations(counts, total)), 3.5);
}

}  // namespace
}  // namespace fovea
