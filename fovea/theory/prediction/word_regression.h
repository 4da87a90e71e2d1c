// WordRegression: logistic regression on the words of labelled texts (room theory/prediction). label_check.cpp of
// this room and the Python package fit it.
//
//   x_tw = c_tw (1 + ln((1 + n) / (1 + n_w))), then x_t / ‖x_t‖
//     c_tw: how often text t has word w; n_w: how many of the n texts have it
//   two classes:   L = Σ_t ln(1 + exp(-s_t z_t)) + ½ ‖W‖²     z_t = W x_t + b, s_t = 1 or -1 by the label
//   more classes:  L = -Σ_t ln softmax(W x_t + b)_label + ½ ‖W‖²
//
// Both are convex, and are minimised to convergence, so a fit depends on the texts alone.
#pragma once

#include <span>
#include <vector>

namespace fovea {

class WordRegression {
 public:
  // Words of a text are ids below `words`; others are left out. Labels are below `classes`.
  WordRegression(const std::vector<std::vector<int>>& texts, std::span<const int> labels, int words, int classes);

  // (classes) scores of a text, of which softmax gives probabilities; of two classes the first has 0.
  std::vector<double> scores(std::span<const int> text) const;
  // What each word of a text adds to the score of a class, where it stands.
  std::vector<double> parts(std::span<const int> text, int label) const;
  // The weight of a word for a class; of two classes the first has the second's, times -1.
  double weight(int word, int label) const;

 private:
  struct Text {
    std::vector<int> words;
    std::vector<double> values;
  };
  Text weighed(std::span<const int> text) const;
  std::vector<double> raw_scores(const Text& text, std::span<const double> parameters) const;
  // L, and its gradient.
  double loss(const std::vector<Text>& texts, std::span<const int> labels, std::span<const double> parameters,
              std::span<double> gradient) const;
  void fit(const std::vector<Text>& texts, std::span<const int> labels);
  bool known(int word) const { return word >= 0 && static_cast<std::size_t>(word) < rarity_.size(); }

  std::size_t classes_, rows_;      // rows_: 1 of two classes
  std::vector<double> rarity_;      // 1 + ln(…), by word
  std::vector<double> parameters_;  // (words, rows), then the biases (rows)
};

}  // namespace fovea
