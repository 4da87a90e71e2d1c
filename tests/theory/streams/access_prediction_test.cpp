// What a trace tells of itself, on traces of which the answer is known.
#include "fovea/theory/streams/access_prediction.h"

#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

AccessPrediction of_trace(const std::string& trace, ValueTable settings = {}) {
  settings["trace"] = word(trace);
  settings["window"] = whole(8);
  settings.emplace("length", whole(6000));
  return predict_accesses(*make_task("addresses", settings));
}

TEST(AccessPrediction, KnowsWhichTracesTrainingTells) {
  for (const char* const trace : {"list", "pages", "matrix"})
    EXPECT_GT(of_trace(trace, {{"pages", whole(8)}}).told, 0.99) << trace;
  EXPECT_GT(of_trace("gather", {{"nodes", whole(100)}}).told, 0.99);
  EXPECT_LT(of_trace("random").expected(), 0.02);
}

TEST(AccessPrediction, LooksUpWhatIsDrawnAnewInTheWindow) {
  const AccessPrediction cycle = of_trace("cycle", {{"nodes", whole(4)}});
  EXPECT_EQ(cycle.in_window, 1);
  EXPECT_LT(cycle.told, 0.5);
  EXPECT_EQ(cycle.expected(), 1);
}

TEST(AccessPrediction, CountsPagesThatTrainingHasNot) {
  const AccessPrediction onward = of_trace("strides", {{"pages", whole(2048)}, {"streams", whole(4)}});
  EXPECT_GT(onward.new_pages, 0.85);
  EXPECT_LT(onward.expected(), 0.15);
  EXPECT_GT(of_trace("strides", {{"pages", whole(8)}, {"streams", whole(2)}}).expected(), 0.99);
}

TEST(AccessPrediction, FindsTwoThingsThatAProgramDoesInTurn) {
  const AccessPrediction two = predict_accesses(*make_task("address-trace", {}));
  EXPECT_GT(two.told, 0.99);
  for (const TableScore& table : two.tables) EXPECT_LT(table.both, 0.55) << table.name;
}

TEST(AccessPrediction, RefusesOtherTasks) { EXPECT_THROW(predict_accesses(*make_task("copy", {})), Error); }

}  // namespace
}  // namespace fovea
