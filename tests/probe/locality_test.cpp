#include "fovea/probe/locality.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fovea/base/random.h"

namespace fovea {
namespace {

constexpr int examples = 60, length = 8, vocab = 12;

Tokens random_tokens() {
  Tokens tokens;
  tokens.resize(examples, length);
  RandomStream stream(4, "test");
  for (int& id : tokens.ids) id = static_cast<int>(stream.integer(vocab));
  return tokens;
}

// States (examples, length, vocab): the word `offset` positions on as a unit vector, with noise.
Locality locality(const Tokens& tokens, int offset, double noise, double signal = 1) {
  std::vector<float> states(static_cast<std::size_t>(examples * length * vocab), 0.0f);
  RandomStream stream(5, "test");
  const Cube<float> cube(states.data(), examples, length, vocab);
  for (int b = 0; b < examples; ++b)
    for (int s = 0; s < length; ++s) {
      for (int h = 0; h < vocab; ++h) cube(b, s, h) = static_cast<float>(noise * stream.normal());
      if (s + offset >= 0 && s + offset < length) cube(b, s, tokens.at(b, s + offset)) += static_cast<float>(signal);
    }
  return measure_locality(Cube<const float>(cube), tokens);
}

TEST(Locality, OfStatesThatAreTheirWordIsFull) {
  const Locality l = locality(random_tokens(), 0, 0);
  EXPECT_NEAR(*l.word_share, 1, 1e-6);
  EXPECT_EQ(*l.here, 1);
  EXPECT_LT(*l.next, 0.25);  // a twelfth by chance
  EXPECT_LT(*l.second, 0.25);
}

TEST(Locality, OfStatesThatAreTheNextWordIsNot) {
  const Locality l = locality(random_tokens(), 1, 0);
  EXPECT_NEAR(*l.word_share, 0, 0.1);
  EXPECT_LT(*l.here, 0.25);
  EXPECT_GT(*l.next, 0.45);  // all of those on one side, by chance on the other
}

TEST(Locality, OfNoiseIsNoneAndOfHalfNoiseIsBetween) {
  const Tokens tokens = random_tokens();
  const Locality none = locality(tokens, 0, 1, 0);
  EXPECT_NEAR(*none.word_share, 0, 0.02);
  EXPECT_LT(*none.here, 0.25);
  // Variance of the signal Σ_h p(1-p) = 11/12, of the noise 12 · 0.0764.
  const Locality half = locality(tokens, 0, 0.2764);
  EXPECT_NEAR(*half.word_share, 0.5, 0.03);
}

// Mean states that are a map of the mean embeddings, and noise beside them.
MeanState mean_state(double told, double noise) {
  const Tokens tokens = random_tokens();
  constexpr int width = 6, hidden = 4;
  RandomStream stream(9, "test");
  std::vector<float> table(static_cast<std::size_t>(vocab * width)), map(static_cast<std::size_t>(width * hidden)),
      states(static_cast<std::size_t>(examples * length * hidden));
  for (float& x : table) x = static_cast<float>(stream.normal());
  for (float& x : map) x = static_cast<float>(told * stream.normal());
  const Cube<float> cube(states.data(), examples, length, hidden);
  for (int b = 0; b < examples; ++b)
    for (int s = 0; s < length; ++s)
      for (int h = 0; h < hidden; ++h) {
        double x = 3 + noise * stream.normal();  // an offset is no variance
        for (int e = 0; e < width; ++e)
          x += static_cast<double>(table[static_cast<std::size_t>(tokens.at(b, s) * width + e)]) *
               static_cast<double>(map[static_cast<std::size_t>(e * hidden + h)]);
        cube(b, s, h) = static_cast<float>(x);
      }
  return measure_mean_state(Cube<const float>(cube), tokens, Matrix<const float>(table.data(), vocab, width));
}

TEST(MeanState, OfALinearMapIsToldInFullAndShuffledPairsTellNothing) {
  const MeanState whole = mean_state(1, 0);
  EXPECT_GT(*whole.told, 0.999);
  EXPECT_LT(*whole.shuffled, 0.1);
  const MeanState half = mean_state(1, 1);
  EXPECT_GT(*half.told, 0.5);
  EXPECT_LT(*half.told, 0.99);
  EXPECT_LT(*mean_state(0, 1).told, 0.1) << "states that have nothing to do with the words";
}

// In permutations every text has the same mean embedding, and no map can tell the states.
TEST(MeanState, OfTextsWithTheSameWordsIsNotTold) {
  Tokens tokens = random_tokens();
  std::vector<float> table(static_cast<std::size_t>(vocab * 3), 0.5f), states(examples * length * 2);
  RandomStream stream(2, "test");
  for (float& x : states) x = static_cast<float>(stream.normal());
  const Cube<const float> cube(states.data(), examples, length, 2);
  const MeanState same = measure_mean_state(cube, tokens, Matrix<const float>(table.data(), vocab, 3));
  ASSERT_TRUE(same.told);
  EXPECT_EQ(*same.told, 0);
  EXPECT_EQ(*same.shuffled, 0);
  EXPECT_FALSE(measure_mean_state(cube, tokens, {}).told) << "no embeddings";
  std::ranges::fill(states, 1.0f);
  EXPECT_FALSE(measure_mean_state(cube, tokens, Matrix<const float>(table.data(), vocab, 3)).told);
}

TEST(Locality, IsSilentWhereThereIsNothingToCompare) {
  const Tokens tokens = random_tokens();
  std::vector<float> same(static_cast<std::size_t>(examples * length), 1.0f);
  EXPECT_FALSE(measure_locality(Cube<const float>(same.data(), examples, length, 1), tokens).word_share);
  EXPECT_FALSE(measure_locality({}, tokens).word_share);
}

}  // namespace
}  // namespace fovea
