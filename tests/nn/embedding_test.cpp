#include "fovea/nn/embedding.h"

#include "tests/nn/gradient_check.h"

namespace fovea {
namespace {

using namespace fovea::testing;

TEST(DistinctTokens, AreSortedAndFoundAgain) {
  Arena arena;
  RandomStream stream(5, "test");
  for (const int vocabulary : {1, 7, 300}) {
    std::vector<int> tokens(200);
    for (int& token : tokens) token = static_cast<int>(stream.integer(static_cast<std::uint64_t>(vocabulary) + 1)) - 1;
    const DistinctTokens distinct = distinct_tokens(arena, tokens, vocabulary);
    EXPECT_EQ(std::ranges::adjacent_find(distinct.ids, std::ranges::greater_equal{}), distinct.ids.end());
    ASSERT_EQ(distinct.index.size(), tokens.size());
    std::vector<bool> used(distinct.ids.size());
    for (std::size_t p = 0; p < tokens.size(); ++p) {
      if (tokens[p] < 0) {
        EXPECT_EQ(distinct.index[p], -1);
        continue;
      }
      const auto index = static_cast<std::size_t>(distinct.index[p]);
      ASSERT_LT(index, distinct.ids.size());
      EXPECT_EQ(distinct.ids[index], tokens[p]);
      used[index] = true;
    }
    EXPECT_TRUE(std::ranges::all_of(used, std::identity{}));
  }
}

TEST(DistinctTokens, OfPaddingAloneAreNone) {
  Arena arena;
  const std::vector<int> tokens(3, -1);
  EXPECT_EQ(distinct_tokens(arena, tokens, 4).count(), 0);
}

TEST(TimeMajor, SwapsTheTwoAxes) {
  Arena arena;
  const std::vector<int> tokens{1, 2, 3, 4, 5, -1};
  EXPECT_EQ(copy_of(time_major(arena, tokens, 2, 3)), (std::vector<int>{1, 4, 2, 5, 3, -1}));
}

TEST(Embedding, GradientIsWhatCentralDifferencesSay) {
  ParameterSet<double> parameters;
  const auto embedding = Embedding<double>::declare(parameters, "embedding", 6, 5);
  parameters.finish();
  parameters.initialise(1);
  Bench bench;
  const std::vector<int> tokens{3, 0, -1, 3, 5, 3, 1, -1};
  const std::vector<double> d_rows = random_values(2, 8 * 5);
  const auto loss = [&] {
    bench.arena.reset();
    return weighted_sum(d_rows, embedding.forward(bench.compute, tokens).flat());
  };
  embedding.backward(bench.compute, tokens, Matrix<const double>(d_rows.data(), 8, 5));
  expect_parameter_gradients(parameters, loss);
}

TEST(Embedding, OfPaddingIsZero) {
  ParameterSet<float> parameters;
  const auto embedding = Embedding<float>::declare(parameters, "", 3, 4);
  parameters.finish();
  parameters.initialise(1);
  Bench bench;
  const std::vector<int> tokens{-1, 2};
  const Matrix<float> rows = embedding.forward(bench.compute, tokens);
  EXPECT_EQ(copy_of(rows[0]), std::vector<float>(4, 0.0f));
  EXPECT_EQ(copy_of(rows[1]), copy_of(parameters.find("weight")->matrix()[2]));
}

}  // namespace
}  // namespace fovea
