#include <gtest/gtest.h>

#include "fovea/lab/reproduce.h"
#include "mark.h"
#include "store_sample.h"

namespace fovea {
namespace {

using namespace testing_parts;

Experiment experiment_of(const std::string& more = {}) {
  return parse_experiment(R"(
task = { name = "mark" }
model = { name = "tiny" }
train = { steps = 60, batch = 16, rate = 0.1 }
probe = { every = 20, names = ["watch"], keep = 2 }
)" + more,
                          "sweep.toml");
}

std::vector<RunSpec> specs_of(const std::vector<std::string>& changes, std::uint64_t seeds) {
  std::vector<Override> overrides;
  for (const std::string& change : changes) overrides.push_back(parse_override(change));
  std::vector<RunSpec> specs;
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    specs.push_back(resolve(experiment_of(), Form::full, overrides, seed));
  return specs;
}

TEST(Sweep, RunsEachOnceInOrderAndTheSameWithAnyNumberOfJobs) {
  const Folder folder;
  std::vector<RunSpec> specs = specs_of({}, 6);
  specs.push_back(specs[2]);
  std::vector<std::vector<RunRecord>> results;
  for (const int jobs : {1, 3}) {
    Store store(folder / (std::to_string(jobs) + ".db"));
    SweepProgress last;
    SweepOptions options;
    options.jobs = jobs;
    options.progress = [&last](const SweepProgress& progress) {
      EXPECT_GE(progress.done, last.done);
      EXPECT_GE(progress.seconds_left, 0);
      last = progress;
    };
    results.push_back(sweep(store, "marks", specs, options));
    EXPECT_EQ(store.count(), 6);
    EXPECT_EQ(last.done, 6);
    EXPECT_EQ(last.reused, 1);
    EXPECT_EQ(last.failed, 0);
    EXPECT_EQ(last.total, 7);
    EXPECT_NEAR(last.seconds_left, 0, 1e-9);
    EXPECT_NE(last.now.find("marks seed"), std::string::npos);

    last = {};
    const auto again = sweep(store, "marks", specs, options);  // now all are there
    EXPECT_EQ(store.count(), 6);
    EXPECT_EQ(last.reused, 7);
    ASSERT_EQ(again.size(), 7u);
    for (std::size_t i = 0; i < again.size(); ++i) {
      EXPECT_EQ(again[i].id, results.back()[i].id);
      EXPECT_EQ(again[i].series.at("loss"), results.back()[i].series.at("loss"));
      EXPECT_TRUE(again[i].arrays.empty());
    }
    options.fresh = true;
    last = {};
    sweep(store, "marks", {specs[0]}, options);
    EXPECT_EQ(last.done, 1);
    EXPECT_EQ(store.count(), 6);
  }
  ASSERT_EQ(results[0].size(), 7u);
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    EXPECT_EQ(results[0][i].spec.seed, specs[i].seed);
    EXPECT_EQ(results[0][i].experiment, "marks");
    EXPECT_EQ(results[0][i].state, RunState::done);
    EXPECT_EQ(results[0][i].series.at("loss"), results[1][i].series.at("loss"));
  }
  EXPECT_EQ(results[0][6].id, results[0][2].id);
}

TEST(Sweep, AFailedRunIsKeptWithItsErrorAndTriedAgain) {
  const Folder folder;
  Store store(folder / "runs.db");
  std::vector<RunSpec> specs = specs_of({}, 3);
  specs[1] = specs_of({"model.explode_at=30"}, 2)[1];
  SweepProgress last;
  SweepOptions options;
  options.jobs = 2;
  options.progress = [&last](const SweepProgress& progress) { last = progress; };
  for (int round = 0; round < 2; ++round) {
    const auto runs = sweep(store, "marks", specs, options);
    ASSERT_EQ(runs.size(), 3u);
    EXPECT_EQ(runs[1].state, RunState::failed);
    EXPECT_NE(runs[1].error.find("30"), std::string::npos) << runs[1].error;
    EXPECT_EQ(runs[2].state, RunState::done);
    EXPECT_EQ(last.failed, 1);
    EXPECT_EQ(last.done, round == 0 ? 2 : 0);
    EXPECT_EQ(store.count(), 3);
    EXPECT_EQ(store.find(runs[1].id)->error, runs[1].error);
  }
}

TEST(Sweep, AMistakeInWhatWasAskedEndsItAndKeepsNoRunOfIt) {
  const Folder folder;
  Store store(folder / "runs.db");
  std::vector<RunSpec> specs = specs_of({}, 4);
  specs[0].task["length"] = value(600);  // refused when the task is prepared
  SweepOptions options;
  options.jobs = 1;
  try {
    sweep(store, "marks", specs, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
  }
  EXPECT_EQ(store.count(), 0);
}

TEST(Sweep, StoppedRunsInFlightAreKeptAndThoseNotBegunAreNot) {
  const Folder folder;
  Store store(folder / "runs.db");
  const std::vector<RunSpec> specs = specs_of({"train.steps=100000000"}, 5);  // without end, unless stopped
  std::atomic<bool> stop = false;
  SweepOptions options;
  options.jobs = 2;
  options.stop = &stop;
  int reports = 0;
  options.progress = [&](const SweepProgress&) { stop = ++reports > 5; };
  const auto runs = sweep(store, "marks", specs, options);
  ASSERT_GE(runs.size(), 1u);
  ASSERT_LE(runs.size(), 2u);
  for (const RunRecord& run : runs) {
    EXPECT_EQ(run.state, RunState::stopped);
    EXPECT_GT(run.steps, 0);
  }
  EXPECT_EQ(store.count(), std::ssize(runs));
  EXPECT_FALSE(store.find_done(specs[0].hash()));
}

TEST(Sweep, AStoreThatCanNotBeWrittenEndsItWithTheReason) {
  const Folder folder;
  { const Store store(folder / "runs.db"); }
  Store store(folder / "runs.db", Store::Mode::read_only);
  SweepOptions options;
  options.jobs = 2;
  EXPECT_THROW(sweep(store, "marks", specs_of({}, 50), options), Error);
}

TEST(Sweep, ReproduceRunsChecksAndKeepsTheVerdicts) {
  const Folder folder;
  Store store(folder / "runs.db");
  const Experiment experiment = experiment_of(R"toml(
sweep = { seed = "0..3" }
[[claim]]
says = "the loss falls"
metric = "share(loss < 0.6)"
at_least = 1.0
[[claim]]
says = "the loss is nothing"
metric = "most(loss)"
at_most = 1e-9
)toml");
  const Reproduction first = reproduce(store, experiment, Form::full, {}, {});
  EXPECT_EQ(first.runs.size(), 4u);
  ASSERT_EQ(first.claims.size(), 2u);
  EXPECT_TRUE(first.claims[0].held);
  EXPECT_FALSE(first.claims[1].held);
  const auto kept = store.claims();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].claim, "the loss falls");
  EXPECT_EQ(kept[1].value, first.claims[1].value);
  // Another experiment's verdicts, since a setting differs: told, not kept.
  const Reproduction other = reproduce(store, experiment, Form::full, {parse_override("train.steps=0")}, {});
  EXPECT_FALSE(other.claims[0].held);
  EXPECT_TRUE(store.claims()[0].held);
  EXPECT_EQ(store.count(), 8);
}

}  // namespace
}  // namespace fovea
