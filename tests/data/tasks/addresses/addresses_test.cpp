#include <algorithm>
#include <map>
#include <set>

#include "fovea/data/tasks/addresses/made_traces.h"
#include "fovea/data/tasks/addresses/tables.h"
#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

std::map<std::string, TableScore> scores_of(const std::string& trace, std::int64_t nodes = 16) {
  ValueTable settings{{"trace", word(trace)}, {"length", whole(6000)}, {"pages", whole(8)}, {"window", whole(8)}};
  if (trace == "strides") settings["streams"] = whole(2);
  else if (trace != "random" && trace != "matrix") settings["nodes"] = whole(nodes);
  const auto task = make_task("addresses", settings);
  std::map<std::string, TableScore> found;
  for (const TableScore& score : task->prefetchers()->table_scores(Split::test)) found[score.name] = score;
  return found;
}

TEST(AddressTask, BatchesArePure) { expect_pure("addresses", {{"trace", word("random")}, {"length", whole(2000)}}); }

TEST(AddressTask, AsksForTheAccessBehindTheWindow) {
  const auto task = make_task("addresses", {{"trace", word("list")}, {"nodes", whole(40)}, {"window", whole(3)}});
  const Batch batch = draw(*task, Split::validation, 0, 50);
  ASSERT_EQ(batch.source.columns, 9);
  for (int b = 0; b + 1 < batch.size; ++b) {
    EXPECT_EQ(batch.target.at(b, 0), batch.source.at(b + 1, 7));
    EXPECT_EQ(batch.target.at(b, 1), batch.source.at(b + 1, 8));
  }
}

TEST(AddressTask, SplitsAreTheTraceInItsOrder) {
  const auto task = make_task("addresses", {{"trace", word("random")}, {"length", whole(1016)}});
  EXPECT_EQ(task->examples(Split::train), 800);
  EXPECT_EQ(task->examples(Split::validation), 100);
  EXPECT_EQ(task->examples(Split::test), 100);
  EXPECT_EQ(draw(*task, Split::validation, 1, 64).size, 36);
}

TEST(AddressTask, WhatIsTrainedOnCanBeCutAndWhatIsAskedStays) {
  const ValueTable random{{"trace", word("random")}, {"length", whole(1016)}};
  ValueTable few = random, more = random;
  few["trained"] = whole(60);
  more["trained"] = whole(4000);
  const auto all = make_task("addresses", random), cut = make_task("addresses", few);
  EXPECT_EQ(cut->examples(Split::train), 60);
  EXPECT_EQ(cut->examples(Split::validation), 100);
  EXPECT_EQ(make_task("addresses", more)->examples(Split::train), 800);
  for (const Split split : {Split::validation, Split::test})
    EXPECT_EQ(draw(*cut, split, 0, 100).source.ids, draw(*all, split, 0, 100).source.ids);
  std::set<std::vector<int>> windows;
  for (std::uint64_t step = 0; step < 3; ++step) {
    const Batch batch = draw(*cut, Split::train, step, 60);
    for (int b = 0; b < batch.size; ++b) {
      const auto first = batch.source.ids.begin() + b * batch.source.columns;
      windows.insert({first, first + batch.source.columns});
    }
  }
  EXPECT_EQ(windows.size(), 60u);
  EXPECT_EQ(cut->prefetchers()->accesses_of(Split::train).last, 16 + 60);
  EXPECT_EQ(cut->prefetchers()->accesses_of(Split::validation).first, 16 + 800 + 1);
}

TEST(AddressTask, OnPagesAnOffsetIsFollowedByAnotherOnEachPage) {
  const TraceShape shape{TracePattern::pages, 16, 32, 1, 16 * 32, 0};
  const AccessTrace trace = make_trace(shape, 3);
  std::set<std::int64_t> lines;
  std::map<int, std::set<int>> followers;
  for (std::size_t i = 0; i + 1 < trace.accesses.size(); ++i) {
    const Access &now = trace.accesses[i], &next = trace.accesses[i + 1];
    lines.insert(now.line);
    if (next.page() == now.page()) followers[now.offset()].insert(next.offset());
  }
  EXPECT_EQ(lines.size(), trace.accesses.size() - 1);  // each line once a round
  for (const auto& [offset, next] : followers) EXPECT_GE(next.size(), 8u) << offset;
}

TEST(AddressTables, KnowWhatTheyAreFor) {
  // At the end of a round of 256 lines by a stride of at most 7, two accesses are missed.
  EXPECT_GE(scores_of("strides")["stride"].both, 1 - 2 * 7 / 256.0);
  EXPECT_LT(scores_of("list", 200)["stride"].both, 0.05);
  for (const char* const trace : {"list", "pages"}) EXPECT_EQ(scores_of(trace)["markov_address"].both, 1) << trace;
  EXPECT_LT(scores_of("strides")["markov_delta"].both, 0.99);
  // Emptied at each episode, the table has the first round of a cycle; A[B[i]] is predicted in every second access.
  EXPECT_EQ(scores_of("cycle", 6)["markov_address"].both, 1);
  EXPECT_EQ(scores_of("cycle", 6)["markov_address"].coverage, 1);
  EXPECT_GE(scores_of("gather", 200)["markov_address"].both, 0.45);
  // By rows all but the first; by columns of 8 the last of each and the first of the next are missed.
  EXPECT_GE(scores_of("matrix")["ghb"].both, 0.75);
  for (const auto& [name, score] : scores_of("random")) EXPECT_LT(score.both, 0.02) << name;
}

TEST(AddressTables, CountAnAccessByHand) {
  // Lines 1 3 5 7 by one counter: from the third on the stride table knows them, from the fourth on the others' steps.
  AccessTrace trace{{{0, 1}, {0, 3}, {0, 5}, {0, 7}}, 4, 1, 1, {}};
  const std::vector<TableScore> scores = score_tables(trace, [](std::int64_t) { return true; });
  ASSERT_EQ(scores.size(), 4u);
  EXPECT_EQ(scores[0].both, 0.5);   // stride
  EXPECT_EQ(scores[1].both, 0);     // Markov on addresses
  EXPECT_EQ(scores[2].both, 0.25);  // on deltas
  EXPECT_EQ(scores[3].both, 0);     // pairs: one step short
  EXPECT_EQ(scores[0].coverage, 0.5);
}

TEST(AddressTask, RefusesWhatDoesNotFit) {
  EXPECT_NE(complaint("addresses", {{"nodes", whole(65)}}).find("room for 64"), std::string::npos);
  EXPECT_NE(complaint("addresses", {{"trace", word("cycle")}, {"nodes", whole(17)}}).find("window"), std::string::npos);
  EXPECT_NE(complaint("addresses", {{"trace", word("strides")}, {"streams", whole(17)}}).find("streams"),
            std::string::npos);
  EXPECT_NE(complaint("addresses", {{"length", whole(100)}, {"window", whole(90)}}).find("windows"), std::string::npos);
}

}  // namespace
}  // namespace fovea
