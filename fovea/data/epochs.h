// The order of a finite training set (room data). Tasks with finite data call it: each epoch visits every example
// once, in an order of its own. Pure functions of the seed.
#pragma once

#include <cstdint>
#include <string_view>

namespace fovea {

// Where example `i` of [0, count) stands in the order named by (seed, purpose, epoch): a permutation that is computed,
// not stored, so that any batch of any epoch costs only its own examples.
std::int64_t shuffled(std::uint64_t seed, std::string_view purpose, std::uint64_t epoch, std::int64_t i,
                      std::int64_t count);

// The example in row `row` of training batch `step`, for batches of `size` that run on from one epoch into the next.
std::int64_t epoch_example(std::uint64_t seed, std::string_view purpose, std::uint64_t step, int size, int row,
                           std::int64_t count);

// Slice `slice` of a finite split of `count` examples: where it begins, and how many of `size` are left there.
struct Slice {
  std::int64_t begin = 0;
  int size = 0;
};
Slice slice_of(std::int64_t count, std::uint64_t slice, int size);

// Example `row` of slice `slice` where each slice lies evenly over the whole of a split whose order tells something, as
// a trace's does: one of each of `size` parts of it. Slices are as large as those of slice_of, and share no example.
std::int64_t spread_example(std::int64_t count, std::uint64_t slice, int size, int row);

}  // namespace fovea
