// What a trace tells of itself, on traces of which the answer is known.
#include "fovea/theory/streams/access_prediction.h"

#include "fovea/data/tasks/addresses/access_windows.h"
#include "fovea/theory/streams/context_table.h"
#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

AccessPrediction of_trace(const std::string& trace, ValueTable settings = {}) {
  settings["trace"] = word(trace);
  settings.emplace("window", whole(8));
  settings.emplace("length", whole(6000));
  return predict_accesses(*make_task("addresses", settings));
}

// A trace that is given, line by line.
class GivenTrace final : public AccessWindows {
 public:
  explicit GivenTrace(const std::vector<std::int64_t>& lines) {
    AccessTrace trace;
    for (const std::int64_t line : lines) trace.accesses.push_back({0, line});
    trace.episode = std::ssize(lines);
    trace.counters = 1;
    trace.pages = static_cast<int>(*std::ranges::max_element(lines) / lines_per_page) + 1;
    take(std::make_shared<AccessTrace>(trace), 0, "");
  }
  void settings(Fields&) override {}
  void prepare(std::uint64_t) override {}
};

TEST(AccessPrediction, KnowsWhichTracesTrainingTells) {
  for (const char* const trace : {"list", "pages", "matrix"})
    EXPECT_GT(of_trace(trace, {{"pages", whole(8)}}).told.both, 0.99) << trace;
  EXPECT_GT(of_trace("gather", {{"nodes", whole(100)}}).told.both, 0.99);
  EXPECT_LT(of_trace("random").expected(), 0.02);
}

TEST(AccessPrediction, LooksUpWhatIsDrawnAnewInTheWindow) {
  // Of five lines, windows of eight hold each; what followed none of them in training follows it again.
  const AccessPrediction cycle = of_trace("cycle", {{"nodes", whole(5)}, {"pages", whole(4096)}});
  EXPECT_EQ(cycle.in_window.both, 1);
  EXPECT_LT(cycle.told.both, 0.5);
  EXPECT_EQ(cycle.expected(), 1);
}

TEST(AccessPrediction, CountsPagesThatTrainingHasNot) {
  const AccessPrediction onward = of_trace("strides", {{"pages", whole(2048)}, {"streams", whole(4)}});
  EXPECT_GT(onward.new_pages, 0.85);
  EXPECT_LT(onward.expected(), 0.15);
  EXPECT_GT(onward.told.offset, 0.95);  // which a stride on other pages tells
  EXPECT_GT(of_trace("strides", {{"pages", whole(8)}, {"streams", whole(2)}}).expected(), 0.99);
}

TEST(AccessPrediction, SaysPageAndOffsetApart) {
  // An array walked once: no line comes again. The page stays, and offsets follow one another as on the pages before.
  std::vector<std::int64_t> lines(200);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = static_cast<std::int64_t>(i);
  const AccessPrediction walk = predict_accesses(GivenTrace(lines));
  EXPECT_EQ(walk.told.both, 1);
  EXPECT_EQ(walk.in_window.both, 0);
  EXPECT_EQ(walk.trained_on, 148);  // of 184 windows of 16
  EXPECT_EQ(walk.fitted.first, 17);
  EXPECT_EQ(walk.fitted.last, 164);
  EXPECT_EQ(walk.scored.first, 165);  // what is asked was never told
  EXPECT_EQ(walk.scored.last, 182);
}

TEST(AccessPrediction, ReadsAllOfALongTrace) {
  // Another list in the last tenth of training.
  std::vector<std::int64_t> lines(260'000);
  for (std::size_t i = 0; i < lines.size(); ++i)
    lines[i] = static_cast<std::int64_t>(i * 7 % 200 + 200 * (i / 190'000));
  const AccessPrediction late = predict_accesses(GivenTrace(lines));
  EXPECT_EQ(late.told.both, 1);
  EXPECT_EQ(late.new_pages, 0);
}

TEST(AccessPrediction, FindsTwoThingsThatAProgramDoesInTurn) {
  const AccessPrediction two = predict_accesses(*make_task("address-trace", {}));
  EXPECT_GT(two.told.both, 0.99);
  for (const TableScore& table : two.tables) EXPECT_LT(table.both, 0.55) << table.name;
}

TEST(AccessPrediction, RefusesOtherTasks) { EXPECT_THROW(predict_accesses(*make_task("copy", {})), Error); }

TEST(ContextTable, KeepsWhatForetellsWhereThereIsNoRoomForAll) {
  ContextTable table(1 << 20, 1024);
  const auto key = [](std::uint64_t i) { return (i + 1) * 0x9e3779b97f4a7c15u; };
  for (std::uint64_t i = 0; i < 100; ++i)
    for (int again = 0; again < 10; ++again) table.at(key(i)).page.count(7);
  for (std::uint64_t i = 100; i < 3000; ++i) table.at(key(i)).page.count(8);
  int kept = 0, others = 0;
  for (std::uint64_t i = 0; i < 3000; ++i)
    if (const ContextTable::Entry* const entry = table.find(key(i))) {
      (i < 100 ? kept : others) += 1;
      EXPECT_EQ(entry->page.value, i < 100 ? 7 : 8);
    }
  EXPECT_GE(kept, 95);
  EXPECT_LE(kept + others, 1024);
  EXPECT_GE(others, 800);
}

TEST(ContextTable, AValueGivesWayWhenItHasNotFollowedForAsLong) {
  ContextTable::Entry entry;
  for (int i = 0; i < 3; ++i) entry.offset.count(5);
  entry.offset.count(6);
  entry.offset.count(6);
  EXPECT_EQ(entry.offset.value, 5);
  entry.offset.count(6);
  EXPECT_EQ(entry.offset.value, 6);
  EXPECT_EQ(entry.offset.votes, 1);
  EXPECT_EQ(entry.page.votes, 0);
}

}  // namespace
}  // namespace fovea
