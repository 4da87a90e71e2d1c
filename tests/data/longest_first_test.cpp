#include "fovea/data/longest_first.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "fovea/base/random.h"

namespace fovea {
namespace {

// Every part of row i says which row it was.
Batch batch_of(const std::vector<int>& lengths) {
  Batch batch;
  batch.size = static_cast<int>(lengths.size());
  batch.source.resize(batch.size, 9);
  batch.target.resize(batch.size, 2);
  batch.source.lengths = lengths;
  for (int row = 0; row < batch.size; ++row) {
    for (int i = 0; i < lengths[static_cast<std::size_t>(row)]; ++i) batch.source.at(row, i) = row;
    batch.target.at(row, 0) = batch.target.at(row, 1) = row;
    batch.labels.push_back(row);
    for (int i = 0; i < 2; ++i) batch.alignment.push_back(row);
    for (int i = 0; i < 9; ++i) batch.marked.push_back(static_cast<std::uint8_t>(row));
  }
  return batch;
}

TEST(LongestFirst, BringsWholeExamplesIntoOrder) {
  RandomStream stream(7, "lengths");
  for (int size = 1; size < 40; ++size) {
    std::vector<int> lengths(static_cast<std::size_t>(size));
    for (int& length : lengths) length = static_cast<int>(stream.integer(10));
    Batch batch = batch_of(lengths);
    LongestFirst().arrange(batch);
    EXPECT_TRUE(std::is_sorted(batch.source.lengths.rbegin(), batch.source.lengths.rend()));
    std::vector<int> was = batch.labels;
    for (int row = 0; row < size; ++row) {
      const int from = was[static_cast<std::size_t>(row)];
      EXPECT_EQ(batch.source.lengths[static_cast<std::size_t>(row)], lengths[static_cast<std::size_t>(from)]);
      for (int i = 0; i < 9; ++i) {
        EXPECT_EQ(batch.source.at(row, i), i < lengths[static_cast<std::size_t>(from)] ? from : -1);
        EXPECT_EQ(batch.marked[static_cast<std::size_t>(row * 9 + i)], from);
      }
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(batch.target.at(row, i), from);
        EXPECT_EQ(batch.alignment[static_cast<std::size_t>(row * 2 + i)], from);
      }
      if (row > 0 && batch.source.lengths[static_cast<std::size_t>(row)] ==
                         batch.source.lengths[static_cast<std::size_t>(row - 1)]) {
        EXPECT_GT(from, was[static_cast<std::size_t>(row - 1)]);  // equals keep their order
      }
    }
    std::sort(was.begin(), was.end());
    for (int row = 0; row < size; ++row) EXPECT_EQ(was[static_cast<std::size_t>(row)], row);
  }
}

TEST(LongestFirst, LooksAtTargetsWhereSourcesAreAsLong) {
  Batch batch = batch_of({3, 3, 3});
  batch.target.lengths = {1, 2, 1};
  LongestFirst().arrange(batch);
  EXPECT_EQ(batch.labels, (std::vector<int>{1, 0, 2}));
}

TEST(LongestFirst, LeavesWhatHasNoLengths) {
  Batch bags;
  bags.size = 2;
  bags.items.resize(2, 3, 1);
  bags.items.lengths = {1, 3};
  bags.labels = {0, 1};
  LongestFirst().arrange(bags);
  EXPECT_EQ(bags.labels, (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace fovea
