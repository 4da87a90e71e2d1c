// Examples in the order of their lengths. A recurrent net goes on, step by step, with those of its rows that are not
// over yet: where the longest come first these are the first few, and padding costs nothing.
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
