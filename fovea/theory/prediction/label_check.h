// Finds labels that two models of single words both contradict (room theory/prediction). prediction.h of this room
// reports them. It reads the bags; it changes nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "fovea/data/kept_bags.h"

namespace fovea {

struct DoubtfulLabel {
  std::int64_t number = 0;     // of the example
  int label = 0, instead = 0;  // the class that it has, and the one that all models give it
  double margin = 0;           // mean log-odds of that class over its own, by the regression
  std::vector<int> words;      // of the text, input ids
};

struct LabelCheck {
  int repeats = 0;  // 0: was not made
  double accuracy = 0,
         majority = 0;   // of the regression on texts that it was not fitted to; of the most frequent class
  bool learned = false;  // whether the accuracy is above that of the most frequent class, by two errors
  std::vector<DoubtfulLabel> doubtful;  // the largest margin first; none where nothing was learned
};

// Two models, naive Bayes and logistic regression (theory/word_regression.h), are fitted to four fifths of the texts
// and asked for the class of the others, for each fifth, with fifths drawn anew for each repeat. A label is doubtful
// where both give another class each time. Not made of more than ten thousand texts, or twenty classes.
LabelCheck check_labels(const KeptBags& bags, Team& team);

}  // namespace fovea
