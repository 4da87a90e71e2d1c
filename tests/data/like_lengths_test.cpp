#include "fovea/data/like_lengths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "fovea/base/random.h"

namespace fovea {
namespace {

// Every part of an example says its number; sources are `lengths` long, targets one shorter.
Batch batch_of(const std::vector<int>& lengths, int first, bool pairs) {
  Batch batch;
  batch.size = static_cast<int>(lengths.size());
  const int longest = *std::max_element(lengths.begin(), lengths.end());
  batch.source.resize(batch.size, longest);
  if (pairs) batch.target.resize(batch.size, longest);
  for (int row = 0; row < batch.size; ++row) {
    const int length = lengths[static_cast<std::size_t>(row)], number = first + row;
    batch.source.lengths[static_cast<std::size_t>(row)] = length;
    if (pairs) batch.target.lengths[static_cast<std::size_t>(row)] = length - 1;
    else batch.labels.push_back(number);
    for (int i = 0; i < longest; ++i) {
      if (i < length) batch.source.at(row, i) = 100 * number + i;
      if (pairs && i < length - 1) batch.target.at(row, i) = 100 * number + 50 + i;
      if (pairs) batch.alignment.push_back(i < length - 1 ? i : -1);
      else batch.marked.push_back(i < length && i == number % length);
    }
  }
  return batch;
}

void expect_example(const Batch& batch, int row, int number, int length, bool pairs) {
  ASSERT_EQ(batch.source.lengths[static_cast<std::size_t>(row)], length);
  for (int i = 0; i < batch.source.columns; ++i) {
    EXPECT_EQ(batch.source.at(row, i), i < length ? 100 * number + i : -1);
    if (pairs) continue;
    EXPECT_EQ(batch.marked[static_cast<std::size_t>(row * batch.source.columns + i)],
              i < length && i == number % length);
  }
  if (!pairs) {
    EXPECT_EQ(batch.labels[static_cast<std::size_t>(row)], number);
    return;
  }
  ASSERT_EQ(batch.target.lengths[static_cast<std::size_t>(row)], length - 1);
  for (int i = 0; i < batch.target.columns; ++i) {
    EXPECT_EQ(batch.target.at(row, i), i < length - 1 ? 100 * number + 50 + i : -1);
    EXPECT_EQ(batch.alignment[static_cast<std::size_t>(row * batch.target.columns + i)], i < length - 1 ? i : -1);
  }
}

TEST(LikeLengths, ShowEachExampleWholeAndOnceTheLongestFirst) {
  RandomStream stream(7, "like lengths");
  for (const bool pairs : {false, true})
    for (const int size : {1, 5, 32}) {
      std::vector<Batch> batches;
      std::vector<int> lengths;
      for (const int rows : {9, 1, 0, 14}) {
        std::vector<int> of_batch(static_cast<std::size_t>(rows));
        for (int& length : of_batch) length = 1 + static_cast<int>(stream.integer(12));
        const int first = static_cast<int>(lengths.size());
        lengths.insert(lengths.end(), of_batch.begin(), of_batch.end());
        batches.push_back(rows > 0 ? batch_of(of_batch, first, pairs) : Batch());
      }
      std::vector<int> shown;
      show_like_lengths(batches, size, [&](const Batch& batch, std::span<const int> positions) {
        ASSERT_EQ(static_cast<std::size_t>(batch.size), positions.size());
        EXPECT_LE(batch.size, size);
        EXPECT_EQ(batch.source.columns, batch.source.lengths[0]);
        EXPECT_EQ(batch.target.rows, pairs ? batch.size : 0);
        for (int row = 0; row < batch.size; ++row) {
          const int position = positions[static_cast<std::size_t>(row)];
          expect_example(batch, row, position, lengths[static_cast<std::size_t>(position)], pairs);
          shown.push_back(position);
        }
      });
      ASSERT_EQ(shown.size(), lengths.size());
      EXPECT_TRUE(std::ranges::is_sorted(
          shown, {}, [&](int position) { return std::pair(-lengths[static_cast<std::size_t>(position)], position); }));
      std::ranges::sort(shown);
      for (std::size_t i = 0; i < shown.size(); ++i) EXPECT_EQ(shown[i], static_cast<int>(i));
    }
}

}  // namespace
}  // namespace fovea
