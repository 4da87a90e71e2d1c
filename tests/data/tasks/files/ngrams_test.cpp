#include "fovea/data/tasks/files/ngrams.h"

#include <gtest/gtest.h>

#include <numeric>

namespace fovea {
namespace {

TokenTexts texts_of(const std::vector<std::vector<int>>& all) {
  TokenTexts texts;
  for (const auto& one : all) {
    texts.begin();
    for (const int token : one) texts.token(token);
  }
  return texts;
}

TEST(Ngrams, CountByHand) {
  const Ngrams ngrams(texts_of({{0, 1, 0, 1, 2}, {0, 2}}), 4);  // 0 three times, 1 and 2 twice, 3 never
  std::vector<float> said(4);
  ngrams.unigram(said);
  EXPECT_FLOAT_EQ(said[0], 4.0f / 11);
  EXPECT_FLOAT_EQ(said[3], 1.0f / 11);
  ngrams.bigram(0, said);  // behind 0: 1 twice, 2 once
  EXPECT_FLOAT_EQ(said[1], (2 + 2 * 3.0f / 11) / 5);
  EXPECT_FLOAT_EQ(said[2], (1 + 2 * 3.0f / 11) / 5);
  EXPECT_FLOAT_EQ(said[3], 2 * 1.0f / 11 / 5);
  const float after_1 = (1 + 2 * 3.0f / 11) / 4;  // behind 1: 0 once, 2 once
  ngrams.trigram(0, 1, said);                     // behind 0 1: 0 once, 2 once
  EXPECT_FLOAT_EQ(said[2], (1 + 2 * after_1) / 4);
}

TEST(Ngrams, AContextNeverSeenSaysWhatTheShorterOneSays) {
  const Ngrams ngrams(texts_of({{0, 1, 0, 1, 2}, {0, 2}}), 4);
  std::vector<float> shorter(4), longer(4);
  ngrams.bigram(1, shorter);
  ngrams.trigram(2, 1, longer);
  EXPECT_EQ(shorter, longer);
  ngrams.unigram(shorter);
  ngrams.bigram(2, longer);  // 2 ends both sequences: nothing reaches into the next
  EXPECT_EQ(shorter, longer);
}

TEST(Ngrams, SumToOne) {
  const Ngrams ngrams(texts_of({{5, 3, 3, 1, 5, 3, 0, 2, 5, 3, 3}}), 7);
  std::vector<float> said(7);
  for (int a = 0; a < 7; ++a) {
    for (int b = 0; b < 7; ++b) {
      ngrams.trigram(a, b, said);
      EXPECT_NEAR(std::accumulate(said.begin(), said.end(), 0.0), 1, 1e-6);
      for (const float p : said) EXPECT_GT(p, 0.0f);
    }
  }
}

}  // namespace
}  // namespace fovea
