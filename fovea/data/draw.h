// The stream of random numbers that an example is drawn from (room data). All tasks that draw examples, and corpora,
// call it. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fovea/base/random.h"
#include "fovea/data/task.h"

namespace fovea {

inline std::string_view split_name(Split split) {
  switch (split) {
    case Split::train:
      return "train";
    case Split::validation:
      return "validation";
    case Split::test:
      return "test";
  }
  return "unknown";
}

// Example `row` of batch `step`. It does not depend on how large the batch is, and no two splits share a stream.
inline RandomStream example_stream(std::uint64_t seed, std::string_view task, Split split, std::uint64_t step,
                                   std::uint64_t row) {
  std::string purpose(task);
  purpose += '.';
  purpose += split_name(split);
  return RandomStream(seed, purpose, step, row);
}

}  // namespace fovea
