// Labelled token sequences written by hand.
#pragma once

#include <algorithm>
#include <vector>

#include "fovea/data/task.h"

namespace fovea::testing {

// Sequences of tokens with their labels; `key` is the token that is marked.
inline Batch labelled_tokens(const std::vector<std::vector<int>>& sequences, const std::vector<int>& labels, int key) {
  std::size_t longest = 0;
  for (const auto& sequence : sequences) longest = std::max(longest, sequence.size());
  Batch batch;
  batch.size = static_cast<int>(sequences.size());
  batch.source.resize(batch.size, static_cast<int>(longest));
  batch.labels = labels;
  for (int b = 0; b < batch.size; ++b) {
    const std::vector<int>& ids = sequences[static_cast<std::size_t>(b)];
    batch.source.lengths[static_cast<std::size_t>(b)] = static_cast<int>(ids.size());
    for (std::size_t l = 0; l < longest; ++l) {
      if (l < ids.size()) batch.source.at(b, static_cast<int>(l)) = ids[l];
      batch.marked.push_back(l < ids.size() && ids[l] == key);
    }
  }
  return batch;
}

inline TaskShape labelled_tokens_shape(int vocab) {
  TaskShape shape;
  shape.vocab = vocab;
  shape.classes = 2;
  return shape;
}

}  // namespace fovea::testing
