// TextPredictor: predicted attention on texts that are not among the examples (room theory/prediction). `fovea
// predict`, the page's own data and the Python package call it. It reads a Prediction and word counts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/text/word_counts.h"
#include "fovea/theory/prediction/prediction.h"

namespace fovea {

struct TextAttention {
  std::vector<std::string> input, output;    // words; no output where the outputs are classes
  std::vector<std::vector<double>> weights;  // predicted_attention() of them
};

class TextPredictor {
 public:
  TextPredictor(const Prediction& prediction, const BagSource& source);  // which must outlive it

  TextAttention of(std::string_view input, std::string_view output) const;

 private:
  const Prediction& prediction_;
  const BagSource& source_;
  TextMap<int> inputs_, outputs_;  // ids of words
};

}  // namespace fovea
