#include "fovea/theory/prediction/word_regression.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/random.h"

namespace fovea {
namespace {

// Texts of ten words of fifty, the label by whether the sum of their numbers is high.
struct Drawn {
  std::vector<std::vector<int>> texts;
  std::vector<int> labels;
  explicit Drawn(int classes, int count = 60) {
    for (int t = 0; t < count; ++t) {
      RandomStream stream(7, "texts", 0, static_cast<std::uint64_t>(t));
      std::vector<int> text;
      int sum = 0;
      for (int i = 0; i < 10; ++i) sum += text.emplace_back(static_cast<int>(stream.integer(50)));
      texts.push_back(text);
      labels.push_back(std::min(classes - 1, sum * classes / 490));
    }
  }
};

// What docs call L, from the texts themselves and the weights that were found.
double loss_of(const Drawn& drawn, const WordRegression& fitted, int classes) {
  double loss = 0;
  for (std::size_t t = 0; t < drawn.texts.size(); ++t) {
    const std::vector<double> scores = fitted.scores(drawn.texts[t]);
    double all = 0;
    for (const double score : scores) all += std::exp(score);
    loss += std::log(all) - scores[static_cast<std::size_t>(drawn.labels[t])];
  }
  for (int word = 0; word < 50; ++word)
    for (int label = classes == 2 ? 1 : 0; label < classes; ++label)
      loss += std::pow(fitted.weight(word, label), 2) / 2;
  return loss;
}

// Of a convex loss the gradient is 0 at the least: with the ridge, a weight is the sum of what texts pull at it.
TEST(WordRegression, IsAtTheLeastOfItsLoss) {
  for (const int classes : {2, 3}) {
    const Drawn drawn(classes);
    const WordRegression fitted(drawn.texts, drawn.labels, 50, classes);
    std::vector<double> pull(50 * static_cast<std::size_t>(classes));
    for (std::size_t t = 0; t < drawn.texts.size(); ++t) {
      const std::vector<double> scores = fitted.scores(drawn.texts[t]);
      double all = 0;
      for (const double score : scores) all += std::exp(score);
      for (int label = 0; label < classes; ++label) {
        const double off = (drawn.labels[t] == label) - std::exp(scores[static_cast<std::size_t>(label)]) / all;
        const std::vector<double> parts = fitted.parts(drawn.texts[t], label);
        for (std::size_t i = 0; i < parts.size(); ++i) {
          const int word = drawn.texts[t][i];
          if (std::abs(fitted.weight(word, label)) > 1e-9)
            pull[static_cast<std::size_t>(word * classes + label)] += off * parts[i] / fitted.weight(word, label);
        }
      }
    }
    for (int word = 0; word < 50; ++word)
      for (int label = classes == 2 ? 1 : 0; label < classes; ++label)
        EXPECT_NEAR(pull[static_cast<std::size_t>(word * classes + label)], fitted.weight(word, label), 1e-3);
    EXPECT_LT(loss_of(drawn, fitted, classes), 60 * std::log(classes));
  }
}

TEST(WordRegression, ALeakingWordIsLearned) {
  Drawn drawn(2, 200);
  for (std::size_t t = 0; t < drawn.texts.size(); ++t) {
    drawn.labels[t] = static_cast<int>(t % 2);
    if (drawn.labels[t] == 1) drawn.texts[t].push_back(49);
    std::erase_if(drawn.texts[t], [&](int word) { return word == 49 && drawn.labels[t] == 0; });
  }
  const WordRegression fitted(drawn.texts, drawn.labels, 50, 2);
  int right = 0;
  for (std::size_t t = 0; t < drawn.texts.size(); ++t)
    right += (fitted.scores(drawn.texts[t])[1] > 0) == (drawn.labels[t] == 1);
  EXPECT_EQ(right, 200);
  for (int word = 0; word < 49; ++word) EXPECT_LT(fitted.weight(word, 1), fitted.weight(49, 1));
  const std::vector<int> text{3, 49, 3};
  const std::vector<double> parts = fitted.parts(text, 1), scores = fitted.scores(text), none = fitted.scores({});
  EXPECT_NEAR(parts[0] + parts[1] + parts[2], scores[1] - none[1], 1e-12);
  EXPECT_EQ(parts[0], parts[2]);
}

}  // namespace
}  // namespace fovea
