// LongestFirst: sorts the examples of a batch by length, longest first (room data). The TrainLoop (lab/train) and
// data/like_lengths.cpp use it. At each step, a recurrent net computes only the rows that have not ended. If the
// longest come first, these are the first rows, and padding costs nothing.
#pragma once

#include <utility>
#include <vector>

#include "fovea/data/batch.h"

namespace fovea {

// 0 where a batch has no such tokens.
inline int length_of(const Tokens& tokens, int row) {
  return tokens.rows == 0 ? 0 : tokens.lengths[static_cast<std::size_t>(row)];
}

// Whether row a goes before row b: longest source first, among equals longest target.
inline bool is_longer(const Batch& of_a, int a, const Batch& of_b, int b) {
  return std::pair(length_of(of_a.source, a), length_of(of_a.target, a)) >
         std::pair(length_of(of_b.source, b), length_of(of_b.target, b));
}

class LongestFirst {
 public:
  // Where neither of two rows is longer, their order stays. Keeps its memory from batch to batch.
  void arrange(Batch& batch);

 private:
  std::vector<int> order_;
};

}  // namespace fovea
