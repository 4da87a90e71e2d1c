// REINFORCE of the model `glimpse` on a case that can be added up. One glimpse at the centre, one after it; the layer
// that reads the place is 0, so the answer depends on the pixels of the second patch alone, and there are as many of
// those as places that a corner can have. With Φ the normal distribution function and c_i = the borders between
// corners,
//
//   P(corner i) = Φ((c_{i+1} - μ)/σ) - Φ((c_i - μ)/σ)          along each axis, the two axes independent
//   E reward = Σ_ij P_i P_j reward_ij            dE/dμ = Σ_ij dP_i/dμ P_j reward_ij for one axis, and the other
//   likewise
#include <array>
#include <cmath>

#include "fovea/model/glimpse/glimpse.h"
#include "tests/data/tasks/task_help.h"
#include "tests/model/items/item_batches.h"
#include "tests/model/model_scene.h"

namespace fovea {
namespace {

using namespace fovea::testing;

constexpr int side = 6, patch = 2, images = 3, corners = side + 1;
constexpr double policy_spread = 0.4;

struct ReinforceCase {
  Batch batch = random_vectors(11, images, side* side, 2);
  ModelScene<double> scene{"glimpse",
                           {{"glimpses", whole(2)},
                            {"patch", whole(patch)},
                            {"what_width", whole(8)},
                            {"where_width", whole(2)},
                            {"glimpse_width", whole(8)},
                            {"hidden", whole(8)},
                            {"spread", real(policy_spread)},
                            {"pace", real(1)},
                            {"reward_weight", real(1)},
                            {"first", word("centre")}},
                           vector_shape(batch, 2)};
  const Glimpse<double>& model = dynamic_cast<const Glimpse<double>&>(*scene.model);

  // It says class 0 where the sum of the patch is above 0, else class 1.
  ReinforceCase() {
    for (const char* const name : {"where.weight", "where.bias", "what.bias", "join_what.bias", "core_glimpse.bias",
                                   "core_state.weight", "classes.bias", "baseline.weight", "baseline.bias"})
      zero(name);
    for (const char* const name : {"what.weight", "join_what.weight", "core_glimpse.weight", "classes.weight"}) {
      zero(name);
      const Matrix<double> weight = scene.parameters.find(name)->matrix();
      const bool sums = weight.size(1) == patch * patch;
      for (Index i = 0; i < 2; ++i)
        for (Index j = 0; j < (sums ? weight.size(1) : 2); ++j)
          weight(i, j) = sums ? (i == 0 ? 1 : -1) : (i == j ? 1 : 0);
    }
  }
  void zero(const char* name) { std::ranges::fill(scene.parameters.find(name)->values(), 0.0); }

  // Rewards and means of a pass at such draws.
  const GlimpseTrace<double>& pass_at(double x, double y) {
    std::vector<double> drawn(2 * images * 2);
    for (std::size_t b = 0; b < images; ++b) {
      drawn[2 * (images + b)] = x;
      drawn[2 * (images + b) + 1] = y;
    }
    scene.bench.arena.reset();
    traces.push_back(
        model.forward_at(scene.bench.compute, batch, {true, 0, 0}, Cube<const double>(drawn.data(), 2, images, 2)));
    return traces.back().own<GlimpseTrace<double>>();
  }
  std::vector<Trace<double>> traces;
};

double normal_share(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }
double normal_density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0)); }

// Of one axis: how likely each corner is, and how that changes with the mean. A corner is ⌊(l+1)/2 n - k/2 + 1/2⌋, l
// cut off at -1 and 1; the last has l = 1 alone.
struct Corners {
  std::array<double, corners> share{}, slope{};
  explicit Corners(double mean) {
    for (int i = 0; i < corners; ++i) {
      const auto edge = [&](int border) {
        return (2 * (border + patch / 2.0 - 0.5 - patch / 2.0) / side - 1 - mean) / policy_spread;
      };
      const double low = edge(i), high = edge(i + 1);
      const bool first = i == 0, last = i == corners - 1;
      const auto at = static_cast<std::size_t>(i);
      share[at] = (last ? 1 : normal_share(high)) - (first ? 0 : normal_share(low));
      slope[at] = ((first ? 0 : normal_density(low)) - (last ? 0 : normal_density(high))) / policy_spread;
    }
  }
  // A place with this corner.
  static double place(int i) { return std::min(1.0, 2.0 * i / side - 1); }
};

TEST(Reinforce, TheMeanIsTheExactGradientAndABaselineMakesItLessNoisy) {
  ReinforceCase c;
  std::vector<std::array<double, 2>> means;
  std::array<std::array<std::array<double, images>, corners>, corners> rewards{};
  for (int i = 0; i < corners; ++i)
    for (int j = 0; j < corners; ++j) {
      const GlimpseTrace<double>& seen = c.pass_at(Corners::place(i), Corners::place(j));
      for (std::size_t b = 0; b < images; ++b)
        rewards[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)][b] = seen.rewards[b];
      if (means.empty())
        for (Index b = 0; b < images; ++b)
          means.push_back({seen.means(images + b, Index{0}), seen.means(images + b, Index{1})});
    }

  // Exact: the gradient of -E reward, the mean over images, with respect to the offsets of the layer of the means.
  std::array<double, 2> exact{};
  double expected = 0;
  for (std::size_t b = 0; b < images; ++b) {
    const Corners x(means[b][0]), y(means[b][1]);
    for (std::size_t i = 0; i < corners; ++i)
      for (std::size_t j = 0; j < corners; ++j) {
        const double reward = rewards[i][j][b] / images;
        expected += x.share[i] * y.share[j] * reward;
        exact[0] -= x.slope[i] * y.share[j] * reward * (1 - means[b][0] * means[b][0]);
        exact[1] -= x.share[i] * y.slope[j] * reward * (1 - means[b][1] * means[b][1]);
      }
  }
  ASSERT_GT(expected, 0.2);
  ASSERT_LT(expected, 0.9);
  ASSERT_GT(std::hypot(exact[0], exact[1]), 0.02);

  constexpr int draws = 20'000;
  const auto estimate = [&](double baseline) {
    c.scene.parameters.find("baseline.bias")->value[0] = baseline;
    std::array<double, 2> sum{}, squares{};
    for (int i = 0; i < draws; ++i) {
      c.scene.gradient_of(c.batch, {true, 9, static_cast<std::uint64_t>(i)});
      const auto d = c.scene.parameters.find("location.bias")->gradients();
      for (std::size_t axis = 0; axis < 2; ++axis) {
        sum[axis] += d[axis];
        squares[axis] += d[axis] * d[axis];
      }
    }
    std::array<double, 2> variance{};
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const double mean = sum[axis] / draws;
      variance[axis] = squares[axis] / draws - mean * mean;
      const double error = std::sqrt(variance[axis] / draws);
      std::printf("  baseline %.3f, axis %zu: exact %.5f, mean %.5f, standard error %.5f, variance %.4f\n", baseline,
                  axis, exact[axis], mean, error, variance[axis]);
      EXPECT_NEAR(mean, exact[axis], 3 * error) << "axis " << axis << ", baseline " << baseline;
      EXPECT_GT(std::abs(exact[axis]), 0);
    }
    return variance[0] + variance[1];
  };
  const double without = estimate(0), with = estimate(expected);
  EXPECT_LT(with, 0.9 * without);
}

}  // namespace
}  // namespace fovea
