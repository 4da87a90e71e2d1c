#include "fovea/data/batch.h"

namespace fovea {

std::string kind_name(Kind kind) {
  switch (kind) {
    case Kind::labelled_tokens:
      return "labelled token sequences";
    case Kind::token_pairs:
      return "pairs of token sequences";
    case Kind::labelled_vectors:
      return "labelled vectors";
    case Kind::labelled_bags:
      return "labelled bags";
    case Kind::points:
      return "points with values";
    case Kind::token_streams:
      return "token streams";
    case Kind::tagged_tokens:
      return "tagged token sequences";
    case Kind::accesses:
      return "windows of memory accesses";
  }
  return "unknown";
}

std::vector<float> Items::first(int count) const {
  std::vector<float> all;
  for (int row = 0; row < std::min(count, rows); ++row)
    for (int column = 0; column < columns; ++column) {
      const float* const from = item(row, column);
      all.insert(all.end(), from, from + width);
    }
  return all;
}

}  // namespace fovea
