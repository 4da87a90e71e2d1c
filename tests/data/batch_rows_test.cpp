#include "fovea/data/batch_rows.h"

#include <gtest/gtest.h>

#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

// Parts side by side are the whole.
void expect_parts_make(const Batch& whole, int cut) {
  Batch left, right;
  take_rows(whole, 0, cut, left);
  take_rows(whole, cut, whole.size, right);
  EXPECT_EQ(left.size + right.size, whole.size);
  const auto joined = [&](auto member) {
    auto all = member(left);
    const auto& rest = member(right);
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  };
  const auto expect_whole = [&](auto member) { EXPECT_EQ(joined(member), member(whole)); };
  expect_whole([](const Batch& b) { return b.source.ids; });
  expect_whole([](const Batch& b) { return b.source.lengths; });
  expect_whole([](const Batch& b) { return b.target.ids; });
  expect_whole([](const Batch& b) { return b.target.lengths; });
  expect_whole([](const Batch& b) { return b.items.values; });
  expect_whole([](const Batch& b) { return b.items.lines; });
  expect_whole([](const Batch& b) { return b.items.lengths; });
  expect_whole([](const Batch& b) { return b.labels; });
  expect_whole([](const Batch& b) { return b.alignment; });
  expect_whole([](const Batch& b) { return b.marked; });
  expect_whole([](const Batch& b) { return b.pattern; });
  expect_whole([](const Batch& b) { return b.truth; });
  EXPECT_EQ(left.pattern_width, whole.pattern_width);
  EXPECT_EQ(left.source.rows, whole.source.rows == 0 ? 0 : cut);
  EXPECT_EQ(left.items.width, whole.items.width);
}

TEST(TakeRows, PartsMakeTheWhole) {
  for (const char* name : {"copy", "keyword", "feature-mean", "largest-digit", "odd-one-out", "markov-icl", "mws"}) {
    SCOPED_TRACE(name);
    const Batch batch = draw(*make_task(name), Split::train, 3, 9);
    for (const int cut : {0, 1, 4, 9}) expect_parts_make(batch, cut);
  }
  const auto kept = make_task("feature-mean", table({{"samples", whole(20)}}));
  const Batch batch = draw(*kept, Split::train, 3, 9);
  EXPECT_EQ(batch.items.lines.size(), 9u);
  expect_parts_make(batch, 4);
}

}  // namespace
}  // namespace fovea
