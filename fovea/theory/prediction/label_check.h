// Finds labels that are probably wrong, by two models of single words (room theory/prediction). prediction.h of this
// room reports them. It reads the bags; it changes nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "fovea/data/kept_bags.h"

namespace fovea {

struct DoubtfulLabel {
  std::int64_t number = 0;     // of the example
  int label = 0, instead = 0;  // the class that it has, and the one that all models give it
  double margin = 0;           // mean log-odds of that class over its own, by the regression
  double wrong = 0;            // probability that the label is wrong
  std::vector<int> words;      // of the text, input ids
};

struct LabelCheck {
  int repeats = 0;  // 0: was not made
  double accuracy = 0,
         majority = 0;      // of the regression on texts that it was not fitted to; of the most frequent class
  bool learned = false;     // whether the accuracy is above that of the most frequent class, by two errors
  double false_alarms = 0;  // expected number of doubtful labels that are right
  std::vector<DoubtfulLabel> doubtful;  // the largest margin first; none where nothing was learned
};

// Two models, naive Bayes and logistic regression (theory/word_regression.h), are fitted to four fifths of the texts
// and asked for the class of the others, for each fifth, with fifths drawn anew for each repeat. A label is doubtful
// where both give another class each time, and the label is wrong with a probability of at least 0.7
// (docs/reference/prediction.md). Not made of more than ten thousand texts, or twenty classes.
LabelCheck check_labels(const KeptBags& bags, Team& team);

}  // namespace fovea
