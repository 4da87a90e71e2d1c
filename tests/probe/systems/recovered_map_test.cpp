// What probe recovered_map says of similarities whose distance from the map is known.
#include "fovea/data/two_spaces.h"
#include "tests/data/tasks/task_help.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::Said;

struct MapLook {
  std::unique_ptr<Task> task;
  Batch batch;
  std::vector<float> weight;
  int query_width = 4, key_width;

  explicit MapLook(int keys)
      : task(make_task("two-spaces", table({{"key_width", whole(keys)}, {"noise", real(0)}}))), key_width(keys) {
    task->batch(Split::test, 0, 1, batch);
  }

  Said ask() const {
    const std::vector<ParameterView> parameters{{"weight", {query_width, key_width}, Group::attention, weight}};
    const Outcome<float> outcome;
    Said said;
    Registry<Probe>::instance()
        .make("recovered_map", "probe")
        ->measure({.last = true,
                   .train_loss = 0,
                   .task = *task,
                   .batch = batch,
                   .outcome = outcome,
                   .beta = {},
                   .parameters = parameters},
                  said);
    return said;
  }
};

TEST(RecoveredMap, AMultipleOfTheWayBackIsTheMapAndWhatStandsAcrossIsNot) {
  for (const int keys : {3, 4, 6}) {
    MapLook look(keys);
    const std::vector<double>& back = look.task->two_spaces()->back;
    for (const double x : back) look.weight.push_back(static_cast<float>(7 * x));
    const Said said = look.ask();
    EXPECT_NEAR(said.numbers.at("map_cosine_with_truth"), 1, 1e-6) << keys;
    const std::vector<float>& map = said.arrays.at("recovered_map");
    if (keys >= 4) {
      for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(map[i], i % 5 == 0 ? 7 : 0, 1e-5);
    }
    EXPECT_LT(said.numbers.at("least_error_true_map"), said.numbers.at("least_error_one_space") / 2);
    for (float& x : look.weight) x = -x;
    EXPECT_NEAR(look.ask().numbers.at("map_cosine_with_truth"), -1, 1e-6);
    std::rotate(look.weight.begin(), look.weight.begin() + keys, look.weight.end());  // each query's row to another
    EXPECT_NEAR(look.ask().numbers.at("map_cosine_with_truth"), 0, keys < 4 ? 1 : 1e-6);
    look.weight.assign(look.weight.size(), 0);
    EXPECT_EQ(look.ask().numbers.at("map_cosine_with_truth"), 0);
  }
}

// With the map known, a sphere dense with keys answers nearly all; the mean of all values leaves their variance.
TEST(RecoveredMap, TheOraclesErrorFallsWithTheKeys) {
  double before = 1;
  for (const std::int64_t points : {20, 200, 2000}) {
    MapLook look(4);
    look.task =
        make_task("two-spaces", table({{"points", whole(points)}, {"queries", whole(100)}, {"noise", real(0)}}));
    look.task->batch(Split::test, 0, 1, look.batch);
    look.weight.assign(16, 0);
    const double error = look.ask().numbers.at("least_error_true_map");
    EXPECT_LT(error, before / 2);
    before = error;
  }
}

TEST(RecoveredMap, RefusesATaskWithoutAMap) {
  testing::HandMade look;
  look.kind = Kind::points;
  EXPECT_THROW(look.numbers("recovered_map"), Error);
}

}  // namespace
}  // namespace fovea
