#include "fovea/nn/team_matmul.h"

#include <algorithm>
#include <limits>

#include "tests/nn/gradient_check.h"

namespace fovea {
namespace {

using namespace fovea::testing;

struct Sizes {
  Index rows, depth, columns;
};

class TeamProduct : public ::testing::TestWithParam<Sizes> {};

// With both sides turned, added into rows that stand apart; else overwriting rows that follow one another.
template <class T>
void check_bits(const Sizes& sizes, bool turned) {
  const auto [rows, depth, columns] = sizes;
  const Index stride = columns + (turned ? 3 : 0);
  const Into into = turned ? Into::add : Into::overwrite;
  const std::vector<T> a = random_values<T>(1, rows * depth), b = random_values<T>(2, depth * columns);
  std::vector<T> start = random_values<T>(3, rows * stride);
  if (!turned) std::ranges::fill(start, std::numeric_limits<T>::quiet_NaN());
  const auto stored = [turned](const std::vector<T>& values, Index down, Index across) {
    return turned ? transposed(Matrix<const T>(values.data(), across, down))
                  : plain(Matrix<const T>(values.data(), down, across));
  };
  const Operand<T> left = stored(a, rows, depth), right = stored(b, depth, columns);
  // Whole, as one thread that cuts nothing makes it.
  std::vector<T> whole = start;
  matmul(left, right, Matrix<T>(whole.data(), rows, columns), into, stride);
  for (const int threads : {1, 2, 3, 7}) {
    Bench bench(threads);
    std::vector<T> shared = start;
    team_matmul(bench.compute, left, right, Matrix<T>(shared.data(), rows, columns), into, stride);
    EXPECT_EQ(shared, whole) << threads;
  }
  const auto at = [](const Operand<T>& x, Index i, Index j) {
    return static_cast<double>(x.transposed ? x.line(j)[i] : x.line(i)[j]);
  };
  for (const Index i : {Index{0}, rows - 1}) {
    for (const Index j : {Index{0}, columns - 1}) {
      const auto n = static_cast<std::size_t>(i * stride + j);
      double sum = turned ? static_cast<double>(start[n]) : 0;
      for (Index k = 0; k < depth; ++k) sum += at(left, i, k) * at(right, k, j);
      EXPECT_NEAR(whole[n], sum, (std::is_same_v<T, float> ? 1e-5 : 1e-12) * static_cast<double>(depth));
    }
    for (Index j = columns; j < stride; ++j)
      EXPECT_EQ(whole[static_cast<std::size_t>(i * stride + j)], start[static_cast<std::size_t>(i * stride + j)]);
  }
}

TEST_P(TeamProduct, IsTheSameBitsHoweverManyShareIt) {
  for (const bool turned : {false, true}) {
    SCOPED_TRACE(turned);
    check_bits<float>(GetParam(), turned);
    check_bits<double>(GetParam(), turned);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, TeamProduct,
                         ::testing::Values(Sizes{64, 300, 256}, Sizes{384, 70, 128}, Sizes{9, 40, 1000},
                                           Sizes{1001, 33, 17}, Sizes{130, 20, 500}, Sizes{5000, 40, 1},
                                           Sizes{4001, 33, 2}, Sizes{2, 3000, 100}, Sizes{40, 300, 1000},
                                           Sizes{40, 1100, 300}, Sizes{3, 20, 13922}));

// The largest share of a product that one of the threads gets, each taking the next piece when it is done.
double largest_share(Index rows, Index columns, int threads) {
  const ProductPieces piece = ProductPieces::of(rows, columns, threads);
  std::vector<Index> taken(static_cast<std::size_t>(threads));
  for (Index row = 0; row < rows; row += piece.rows)
    for (Index column = 0; column < columns; column += piece.columns)
      *std::ranges::min_element(taken) += std::min(piece.rows, rows - row) * std::min(piece.columns, columns - column);
  return static_cast<double>(std::ranges::max(taken)) / static_cast<double>(rows * columns);
}

TEST(ProductPieces, GiveEachOfTwoThreadsAboutHalf) {
  for (const auto& [rows, columns] :
       {std::pair<Index, Index>{64, 256}, {384, 128}, {128, 1024}, {32, 256}, {224, 8000}, {512, 512}})
    EXPECT_LE(largest_share(rows, columns, 2), 0.53) << rows << " " << columns;
}

}  // namespace
}  // namespace fovea
