#include <map>

#include "fovea/data/corpus/trace_corpus.h"
#include "fovea/data/prefetchers.h"
#include "tests/data/tasks/task_help.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

TEST(AddressTraceTask, BatchesArePure) { expect_pure("address-trace", {}); }

TEST(AddressTraceTask, GivesTheAccessesOfTheTrace) {
  const auto task = make_task("address-trace", {{"window", whole(3)}});
  const TaskShape shape = task->shape();
  EXPECT_EQ(shape.counters, 3);       // two, and all others
  EXPECT_EQ(shape.pages, 4 + 8 + 1);  // of the array, of the list, and all others
  std::vector<TracedAccess> accesses;
  each_access(find_corpus("made-accesses"), [&](const TracedAccess& access) { accesses.push_back(access); });
  const std::int64_t windows = std::ssize(accesses) - 3, tenth = windows / 10;
  EXPECT_EQ(task->examples(Split::train), windows - 2 * tenth);
  const Batch batch = draw(*task, Split::test, 0, static_cast<int>(tenth));
  for (int b = 0; b < tenth; ++b)
    for (int t = 0; t < 3; ++t) {
      const TracedAccess& access = accesses[static_cast<std::size_t>(windows - tenth + b + t)];
      EXPECT_EQ(batch.source.at(b, 3 * t), access.counter == 0x401126 ? 0 : 1);
      EXPECT_EQ(batch.source.at(b, 3 * t + 2), static_cast<int>(access.address / 64 % 64));
    }
}

TEST(AddressTraceTask, PagesBeyondThoseToldApartShareANumberAndAreNoAnswer) {
  const auto task = make_task("address-trace", {{"window", whole(2)}, {"pages", whole(5)}, {"counters", whole(1)}});
  ASSERT_EQ(task->shape().pages, 6);
  ASSERT_EQ(task->shape().counters, 2);
  const Batch batch = draw(*task, Split::train, 0, 200);
  int others = 0;
  for (int b = 0; b < 200; ++b) {
    EXPECT_LT(batch.source.at(b, 1), 6);
    EXPECT_LT(batch.target.at(b, 0), 5);
    EXPECT_GE(batch.target.at(b, 1), 0);
    others += batch.target.at(b, 0) == -1;
  }
  EXPECT_GT(others, 20);
  EXPECT_LT(others, 100);
}

TEST(AddressTraceTask, TablesReadRealLinesWhateverIsToldApart) {
  for (const int pages : {1, 4096}) {
    const auto task = make_task("address-trace", {{"pages", whole(pages)}});
    const std::vector<TableScore> scores = task->prefetchers()->table_scores(Split::test);
    ASSERT_EQ(scores.front().name, "stride");
    EXPECT_NEAR(scores.front().both, 0.5, 0.01);  // the array, but for its ends
  }
}

class AddedTraceTest : public WithHomeFolder {};

TEST_F(AddedTraceTest, TheShortestThatIsAddedCanBeTrainedOn) {
  std::string bytes;
  for (std::int64_t i = 0; i < least_accesses; ++i) bytes += "1,64\n";
  add_trace("app", put("app.csv", bytes));
  const auto task = make_task("address-trace", {{"corpus", word("app")}});
  EXPECT_EQ(task->examples(Split::train), 24);
  EXPECT_EQ(task->examples(Split::validation), 3);
}

TEST_F(AddedTraceTest, EachBatchOfValidationLiesOverAllOfIt) {
  // One page after the other, four of them in validation; each batch has as many of each.
  std::string bytes;
  for (int i = 0; i < 2561; ++i) bytes += "1," + std::to_string(64 * (i % 512)) + "\n";
  add_trace("app", put("app.csv", bytes));
  const auto task = make_task("address-trace", {{"corpus", word("app")}, {"window", whole(1)}});
  ASSERT_EQ(task->examples(Split::validation), 256);
  for (std::uint64_t step = 0; step < 4; ++step) {
    std::map<int, int> pages;
    const Batch batch = draw(*task, Split::validation, step, 64);
    for (int b = 0; b < batch.size; ++b) ++pages[batch.source.at(b, 1)];
    EXPECT_EQ(pages.size(), 4u);
    for (const auto& [page, windows] : pages) EXPECT_EQ(windows, 16) << page;
  }
}

TEST(AddressTraceTask, RefusesTextsAndTracesThatAreTooShort) {
  EXPECT_NE(complaint("address-trace", {{"corpus", word("made-reviews")}}).find("not memory accesses"),
            std::string::npos);
  EXPECT_NE(complaint("address-trace", {{"corpus", word("made-accesse")}}).find("made-accesses"), std::string::npos);
  EXPECT_NE(complaint("text-classify", {{"corpus", word("made-accesses")}}).find("has memory accesses"),
            std::string::npos);
}

}  // namespace
}  // namespace fovea
