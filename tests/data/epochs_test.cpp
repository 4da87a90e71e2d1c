#include "fovea/data/epochs.h"

#include <algorithm>
#include <numeric>

#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

TEST(Epochs, ShuffledIsAPermutation) {
  for (const std::int64_t count : {1, 2, 3, 4, 5, 16, 17, 1000}) {
    std::vector<std::int64_t> seen;
    for (std::int64_t i = 0; i < count; ++i) seen.push_back(shuffled(7, "x", 2, i, count));
    std::sort(seen.begin(), seen.end());
    for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i) << count;
  }
}

TEST(Epochs, EveryExampleIsAsLikelyInEveryPlace) {
  for (const std::int64_t position : {0, 1, 6}) {
    std::vector<double> counts(7);
    for (std::uint64_t epoch = 0; epoch < 7000; ++epoch)
      ++counts[static_cast<std::size_t>(shuffled(1, "x", epoch, position, 7))];
    expect_even(counts);
  }
}

TEST(Epochs, NeighboursPartWays) {
  // How often two examples that stood side by side do so in the next epoch: about 2/n of the time.
  const std::int64_t n = 500;
  int together = 0;
  for (std::int64_t i = 0; i + 1 < n; ++i)
    together += std::abs(shuffled(1, "x", 0, i, n) - shuffled(1, "x", 0, i + 1, n)) == 1;
  EXPECT_LT(together, 10);
}

TEST(Epochs, BatchesRunThroughTheSetOnceAnEpoch) {
  const std::int64_t count = 10;
  std::vector<int> seen(10);
  for (std::uint64_t step = 0; step < 10; ++step)  // 10 batches of 4: four epochs
    for (int row = 0; row < 4; ++row) {
      ++seen[static_cast<std::size_t>(epoch_example(3, "x", step, 4, row, count))];
      if (step == 4 && row == 3) {
        EXPECT_EQ(seen, std::vector<int>(10, 2));
      }
    }
  EXPECT_EQ(seen, std::vector<int>(10, 4));
}

TEST(Epochs, SlicesCoverAndEnd) {
  EXPECT_EQ(slice_of(10, 0, 4).size, 4);
  EXPECT_EQ(slice_of(10, 2, 4).begin, 8);
  EXPECT_EQ(slice_of(10, 2, 4).size, 2);
  EXPECT_EQ(slice_of(10, 3, 4).size, 0);
  EXPECT_EQ(slice_of(8, 2, 4).size, 0);
  EXPECT_EQ(slice_of(8, ~std::uint64_t{0}, 4).size, 0);
}

TEST(Epochs, SpreadSlicesCoverAndEachLiesOverAll) {
  for (const int count : {1, 7, 8, 10, 23, 100})
    for (const int size : {1, 3, 4, 8, 100}) {
      std::vector<int> seen(static_cast<std::size_t>(count));
      for (std::uint64_t slice = 0; slice_of(count, slice, size).size > 0; ++slice)
        for (int row = 0; row < slice_of(count, slice, size).size; ++row) {
          const std::int64_t example = spread_example(count, slice, size, row);
          ASSERT_TRUE(0 <= example && example < count) << count << ' ' << size;
          ++seen[static_cast<std::size_t>(example)];
          if (slice_of(count, slice, size).size < size) continue;
          EXPECT_GE(example, row * count / size);  // in its part of the whole
          EXPECT_LT(example, (row + 1) * count / size);
        }
      EXPECT_EQ(seen, std::vector<int>(seen.size(), 1)) << count << ' ' << size;
    }
}

}  // namespace
}  // namespace fovea
