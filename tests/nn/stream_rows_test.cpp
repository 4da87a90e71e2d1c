#include "fovea/nn/stream_rows.h"

#include <numeric>

#include "tests/nn/gradient_check.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// B = 2 streams of T = 4: the picture of the header.
const std::vector<int> tokens_of_picture = {0, 1, 0, -1, 1, 0, 1, -1},
                       answers_of_picture = {-1, -1, 0, -1, -1, 1, 0, -1};

std::vector<int> from_of(RowMap map) { return copy_of(map.from()); }

TEST(StreamRows, AreThoseOfThePicture) {
  Arena arena;
  const DistinctRows distinct = distinct_rows(arena, tokens_of_picture, 4, 2, false);
  EXPECT_EQ(copy_of(distinct.tokens), (std::vector<int>{0, 1, -1}));
  EXPECT_EQ(from_of(distinct.of_positions), (std::vector<int>{0, 1, 0, 2, 1, 0, 1, 2}));
  const AskedRows asked = asked_rows(arena, answers_of_picture);
  EXPECT_EQ(from_of(asked.rows), (std::vector<int>{2, 5, 6}));
  EXPECT_EQ(copy_of(asked.answers), (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(from_of(chain(arena, asked.rows, distinct.of_positions)), (std::vector<int>{0, 0, 1}));
}

TEST(StreamRows, PositionsOfEqualTokensDifferByPosition) {
  Arena arena;
  std::vector<int> tokens;
  for (int stream = 0; stream < 8; ++stream) tokens.insert(tokens.end(), {stream % 2, 0, -1});
  EXPECT_TRUE(distinct_rows(arena, std::span(tokens).first(15), 3, 2, true).of_positions.same());
  const DistinctRows distinct = distinct_rows(arena, tokens, 3, 2, true);
  ASSERT_FALSE(distinct.of_positions.same());
  EXPECT_EQ(copy_of(distinct.tokens), (std::vector<int>{0, 1, 0, -1}));
  EXPECT_EQ(copy_of(distinct.positions), (std::vector<int>{0, 0, 1, 2}));
  for (std::size_t n = 0; n < tokens.size(); ++n) {
    const auto row = static_cast<std::size_t>(distinct.of_positions[static_cast<Index>(n)]);
    EXPECT_EQ(distinct.tokens[row], tokens[n]);
    EXPECT_EQ(distinct.positions[row], static_cast<int>(n % 3));
  }
}

TEST(StreamRows, WhereEveryPositionHasAnAnswerNoneIsLeftOut) {
  Arena arena;
  const std::vector<int> answers = {1, 0}, none = {-1, -1};
  EXPECT_TRUE(asked_rows(arena, answers).rows.same());
  EXPECT_EQ(copy_of(asked_rows(arena, answers).answers), answers);
  const RowMap empty = asked_rows(arena, none).rows;
  EXPECT_FALSE(empty.same());
  EXPECT_EQ(empty.count(2), 0);
}

// Σ_i dy_i · gather(x)_i = Σ_m scatter(dy)_m · x_m
TEST(StreamRows, ScatterIsTheBackwardOfGather) {
  Bench bench(2);
  const std::vector<int> repeated = {2, 0, 2, 4}, once = {3, 0, 4, 1};
  std::vector<double> x = random_values(1, 5 * 3), dy = random_values(2, 4 * 3);
  const Matrix<double> rows(x.data(), 5, 3), d(dy.data(), 4, 3);
  for (const std::vector<int>& from : {repeated, once}) {
    const RowMap map(from);
    const Matrix<double> y = gather(bench.compute, rows, map);
    ASSERT_EQ(y.size(0), 4);
    const double sum = weighted_sum(dy, y.flat());
    EXPECT_NEAR(weighted_sum(x, scatter_sum(bench.compute, d, map, 5).flat()), sum, 1e-14);
    if (from == once) {
      EXPECT_EQ(copy_of(scatter(bench.compute, d, map, 5)), copy_of(scatter_sum(bench.compute, d, map, 5)));
    }
  }
  EXPECT_EQ(gather(bench.compute, rows, {}).data(), x.data());
  EXPECT_EQ(scatter(bench.compute, rows, {}, 5).data(), x.data());
}

}  // namespace
}  // namespace fovea
