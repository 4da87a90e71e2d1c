#include "fovea/lab/sweep/sweep.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "fovea/lab/store/run_lock.h"
#include "fovea/lab/train/checkpoint.h"
#include "fovea/math/tile_unit.h"
#include "tests/lab/store/store_sample.h"
#include "tests/lab/sweep/sweep_specs.h"
#include "tests/lab/train/mark.h"
#include "tests/sanitized.h"

namespace fovea {
namespace {

using namespace testing_parts;

void expect_same_runs(const Store& a, const Store& b, const std::vector<RunSpec>& specs) {
  EXPECT_EQ(a.count(), b.count());
  for (const RunSpec& spec : specs) {
    const auto one = a.find_done(spec.hash()), other = b.find_done(spec.hash());
    ASSERT_TRUE(one && other);
    EXPECT_EQ(one->series, other->series);
    const auto arrays = a.arrays(one->id), others = b.arrays(other->id);
    ASSERT_EQ(arrays.size(), others.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) EXPECT_EQ(arrays[i].values, others[i].values);
  }
}

TEST(Sweep, RunsEachOnceInOrderAndTheSameWithAnyNumberOfJobs) {
  const Folder folder;
  std::vector<RunSpec> specs = swept_specs({}, 6);
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
    results.push_back(sweep_specs(store, "marks", specs, options));
    EXPECT_EQ(store.count(), 6);
    EXPECT_EQ(last.done, 6);
    EXPECT_EQ(last.reused, 1);
    EXPECT_EQ(last.failed, 0);
    EXPECT_EQ(last.total, 7);
    EXPECT_NEAR(last.seconds_left, 0, 1e-9);
    EXPECT_TRUE(last.in_training.empty());

    last = {};
    const auto again = sweep_specs(store, "marks", specs, options);  // now all are there
    EXPECT_EQ(store.count(), 6);
    EXPECT_EQ(last.reused, 7);
    ASSERT_EQ(again.size(), 7u);
    for (std::size_t i = 0; i < again.size(); ++i) {
      EXPECT_EQ(again[i].id, results.back()[i].id);
      EXPECT_EQ(again[i].series.at("loss"), results.back()[i].series.at("loss"));
      EXPECT_TRUE(again[i].arrays.empty());
    }
    options.retrain = true;
    last = {};
    sweep_specs(store, "marks", {specs[0]}, options);
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

TEST(Sweep, LetsGoOfWhatAKillLeftOfFinishedRuns) {
  const Folder folder;
  Store store(folder / "runs.db");
  const std::vector<RunSpec> specs = swept_specs({}, 2);
  sweep_specs(store, "marks", {specs[0]}, {});
  for (const RunSpec& spec : specs) std::ofstream(store.running_folder() / spec.hash()) << "process 1 on a machine";
  sweep_specs(store, "marks", {specs[0]}, {});
  EXPECT_FALSE(std::filesystem::exists(store.running_folder() / specs[0].hash()));
  EXPECT_TRUE(std::filesystem::exists(store.running_folder() / specs[1].hash()));  // was killed before its end
}

// Runs of an older arithmetic are trained again, done or failed, and one notice says so.
TEST(Sweep, RunsOfAnOlderArithmeticAreTrainedAgain) {
  const Folder folder;
  Store store(folder / "runs.db");
  const std::vector<RunSpec> specs = swept_specs({}, 3);
  for (const RunSpec& spec : specs) {
    RunRecord old = sample_run(spec.seed, spec.seed == 2 ? RunState::failed : RunState::done);
    old.spec = spec;
    old.hash = spec.hash();
    old.arithmetic = 0;
    store.keep(old);
  }
  std::vector<std::string> notices;
  SweepOptions options;
  options.notice = [&notices](const std::string& text) { notices.push_back(text); };
  SweepProgress last = sweep(store, "marks", Listed(specs), options);
  EXPECT_EQ(last.done, 3);
  EXPECT_EQ(last.reused, 0);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_NE(notices[0].find("arithmetic revision 0"), std::string::npos) << notices[0];
  EXPECT_EQ(store.count(), 3);
  for (const RunSpec& spec : specs) EXPECT_EQ(store.find_done(spec.hash())->arithmetic, arithmetic_revision);
  last = sweep(store, "marks", Listed(specs), options);
  EXPECT_EQ(last.reused, 3);
  EXPECT_EQ(notices.size(), 1u);
}

TEST(Sweep, StoppedRunsInFlightAreKeptAndThoseNotBegunAreNot) {
  const Folder folder;
  Store store(folder / "runs.db");
  const std::vector<RunSpec> specs = swept_specs({"train.steps=100000000"}, 5);  // without end, unless stopped
  std::atomic<bool> stop = false;
  SweepOptions options;
  options.jobs = 2;
  options.stop = &stop;
  int reports = 0;
  options.progress = [&](const SweepProgress&) { stop = ++reports > 5; };
  const auto runs = sweep_specs(store, "marks", specs, options);
  ASSERT_GE(runs.size(), 1u);
  ASSERT_LE(runs.size(), 2u);
  for (const RunRecord& run : runs) {
    EXPECT_EQ(run.state, RunState::stopped);
    EXPECT_GT(run.steps, 0);
  }
  EXPECT_EQ(store.count(), std::ssize(runs));
  EXPECT_FALSE(store.find_done(specs[0].hash()));
}

TEST(Sweep, SaysOnceThatProductsAreEmulated) {
  using bf16x3::TileUnit;
  for (const char* precision : {"float", "bf16x3"}) {
    const Folder folder;
    Store store(folder / "runs.db");
    std::vector<std::string> notices;
    SweepOptions options;
    options.notice = [&](const std::string& text) { notices.push_back(text); };
    sweep(store, "marks", Listed(swept_specs({std::string("train.precision=") + precision}, 3)), options);
    const bool emulated = precision == std::string("bf16x3") && bf16x3::tile_choice().unit == TileUnit::software;
    ASSERT_EQ(notices.size(), emulated ? 1u : 0u);
    if (emulated) {
      EXPECT_NE(notices[0].find("are emulated on this processor"), std::string::npos) << notices[0];
    }
  }
}

TEST(Sweep, WhatWasStoppedGoesOnWhereItWas) {
  const Folder folder, other;
  std::vector<RunSpec> specs = swept_specs({sanitized ? "train.steps=4000" : "train.steps=20000"}, 6);
  Store store(folder / "runs.db");
  std::vector<std::string> notices;
  int rounds = 0;
  for (SweepProgress last; rounds < 200; ++rounds) {
    std::atomic<bool> stop = false;
    SweepOptions options;
    options.jobs = 2;
    options.stop = &stop;
    options.progress = [&](const SweepProgress& progress) {
      last = progress;
      stop = progress.seconds > 0.03 * (1 + rounds);  // longer each time: a slow machine gets to the end, too
    };
    options.notice = [&](const std::string& text) { notices.push_back(text); };
    sweep(store, "marks", Listed(specs), options);
    if (last.left() + last.stopped == 0) break;
    for (const RunRecord& run : store.query({})) EXPECT_TRUE(run.state == RunState::done || run.steps > 0);
  }
  EXPECT_GT(rounds, 1);
  ASSERT_FALSE(notices.empty());
  EXPECT_EQ(notices[0].find("marks, number "), 0u);
  EXPECT_NE(notices[0].find("continues from step "), std::string::npos) << notices[0];
  EXPECT_NE(notices[0].find("stopped"), std::string::npos) << notices[0];
  Store whole(other / "runs.db");
  sweep_specs(whole, "marks", specs, {});
  expect_same_runs(store, whole, specs);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "checkpoints"));
  EXPECT_TRUE(std::filesystem::is_empty(folder / "running"));
}

TEST(Sweep, ARunInTrainingIsInTheStoreFromItsFirstCheckpointOn) {
  const Folder folder;
  Store store(folder / "runs.db"), reader(folder / "runs.db");
  const std::vector<RunSpec> specs = swept_specs({"train.steps=100000000"}, 1);
  std::atomic<bool> stop = false;
  SweepOptions options;
  options.stop = &stop;
  options.checkpoint_every = 0;
  std::optional<RunRecord> seen;
  options.progress = [&](const SweepProgress& progress) {
    if (!seen) seen = reader.find_undone(specs[0].hash());
    stop = seen || progress.seconds > 300;
  };
  const auto runs = sweep_specs(store, "marks", specs, options);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->state, RunState::running);
  EXPECT_GT(seen->steps, 0);
  EXPECT_FALSE(seen->series.at("loss").steps.empty());
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].state, RunState::stopped);
  EXPECT_EQ(runs[0].id, seen->id);

  // As a kill leaves it: kept as running, and nobody there.
  RunRecord left = runs[0];
  left.state = RunState::running;
  store.keep(left);
  EXPECT_EQ(store.find(left.id)->state, RunState::stopped);
  RunQuery query;
  query.where = Expression::parse("state = \"stopped\"");
  EXPECT_EQ(store.query(query).size(), 1u);
  const auto lock = RunLock::take(store.running_folder(), left.hash);
  EXPECT_EQ(store.find(left.id)->state, RunState::running);
  EXPECT_TRUE(store.query(query).empty());
}

TEST(Sweep, WhatAnotherTrainsIsWaitedForOrRefused) {
  const Folder folder;
  const std::vector<RunSpec> specs = swept_specs({}, 3);
  Store store(folder / "runs.db");
  auto lock = RunLock::take(store.running_folder(), specs[1].hash());
  SweepOptions options;
  options.wait = false;
  EXPECT_THROW(sweep_specs(store, "marks", {specs[1]}, options), Error);
  options.wait = true;
  bool waited = false;
  std::int64_t reused = 0;
  options.progress = [&](const SweepProgress& progress) {
    reused = progress.reused;
    if (progress.done < 2 || !lock) return;
    EXPECT_EQ(progress.elsewhere, 1);
    waited = true;
    Store other(folder / "runs.db");  // the other one comes to its end
    RunRecord run = train(specs[1]);
    run.experiment = "marks";
    other.keep(run);
    lock.reset();
  };
  EXPECT_EQ(sweep_specs(store, "marks", specs, options).size(), 3u);
  EXPECT_TRUE(waited);
  EXPECT_EQ(reused, 1);
}

TEST(Sweep, SeveralAtOnceOnOneStoreTrainEachRunOnce) {
  const Folder folder;
  const std::vector<RunSpec> specs = swept_specs({"train.steps=3000"}, 24);
  std::array<SweepProgress, 3> progress;
  {
    std::vector<std::jthread> threads;
    for (SweepProgress& mine : progress)
      threads.emplace_back([&] {
        Store store(folder / "runs.db");
        SweepOptions options;
        options.jobs = 2;
        mine = sweep(store, "marks", Listed(specs), options);
      });
  }
  std::int64_t trained = 0;
  for (const SweepProgress& one : progress) {
    trained += one.done;
    EXPECT_EQ(one.left(), 0);
    EXPECT_EQ(one.done + one.reused, 24);
  }
  EXPECT_EQ(trained, 24);
  EXPECT_EQ(Store(folder / "runs.db").count(), 24);
}

TEST(Sweep, OnlyRunsInTrainingAreHeldBackFromOthers) {
  const Folder folder;
  Store store(folder / "runs.db");
  // Longer than what is begun beforehand.
  const std::vector<RunSpec> specs = swept_specs({sanitized ? "train.steps=10000" : "train.steps=100000"}, 3);
  SweepOptions options;
  options.jobs = 1;
  std::size_t most = 0;
  options.progress = [&](const SweepProgress&) {
    std::size_t held = 0;
    for (const RunSpec& spec : specs) held += RunLock::held(store.running_folder(), spec.hash());
    most = std::max(most, held);
  };
  sweep_specs(store, "marks", specs, options);
  EXPECT_EQ(most, 1u);
}

// Ends each run when it is asked for, until `short_ones` have ended. The next one takes `pause`.
class QuickPool : public WorkerPool {
 public:
  QuickPool(std::size_t short_ones, std::chrono::milliseconds pause) : left_(short_ones), pause_(pause) {}
  int size() const override { return 1; }
  void submit(Work work) override { waiting_.push_back(std::move(work)); }
  std::optional<RunUpdate> wait(std::chrono::milliseconds patience) override {
    if (waiting_.empty()) return std::nullopt;
    if (left_ == 0 && std::exchange(pause_, std::max(pause_ - patience, std::chrono::milliseconds(0))).count() > 0) {
      std::this_thread::sleep_for(patience);
      return std::nullopt;
    }
    left_ -= left_ > 0;
    RunRecord record = sample_run(0);
    record.spec = waiting_.front().run.spec();
    record.hash = record.spec.hash();
    record.seconds = 1e-4;
    const RunUpdate update{waiting_.front().number, Ended{std::move(record)}};
    waiting_.pop_front();
    return update;
  }
  void stop() override {}
  std::vector<InTraining> in_training() const override { return {}; }

 private:
  std::size_t left_;
  std::chrono::milliseconds pause_;
  std::deque<Work> waiting_;
};

// Runs that end shortly after each other are committed together. A kill would lose those of the last moment only.
TEST(Sweep, ShortRunsAreCommittedTogetherAndSoon) {
  const Folder folder;
  Store store(folder / "runs.db");
  const Store other(folder / "runs.db", Store::Mode::read_only);
  constexpr std::size_t all = 200, short_ones = 150;
  const std::vector<RunSpec> specs = swept_specs({}, all);
  SweepOptions options;
  options.pool = [&](int, const CheckpointPlan&) {
    return std::make_unique<QuickPool>(short_ones, std::chrono::milliseconds(1000));
  };
  std::set<std::int64_t> counts;
  options.progress = [&](const SweepProgress& progress) {
    EXPECT_EQ(other.count(), progress.done);  // what is counted is stored
    counts.insert(progress.done);
  };
  sweep_specs(store, "marks", specs, options);
  EXPECT_EQ(store.count(), static_cast<std::int64_t>(all));
  EXPECT_TRUE(counts.contains(short_ones));  // all that had ended before the pause, while it lasted
  if (!sanitized) {
    EXPECT_LT(counts.size(), short_ones / 2);
  }
  EXPECT_TRUE(std::filesystem::is_empty(store.running_folder()));
}

TEST(Sweep, CheckpointsOfRunsThatWereKeptAreClearedAway) {
  const Folder folder;
  Store store(folder / "runs.db");
  const std::vector<RunSpec> specs = swept_specs({}, 2);
  sweep_specs(store, "marks", {specs[0]}, {});
  const std::vector<float> values{1};
  const Tensor tensor{"x", "F32", {1}, std::as_bytes(std::span(values))};
  for (const RunSpec& spec : specs) Checkpoints(store.checkpoint_folder(), spec.hash()).write({&tensor, 1}, {});
  sweep_specs(store, "marks", {specs[0]}, {});
  EXPECT_TRUE(Checkpoints(store.checkpoint_folder(), specs[0].hash()).files().empty());
  EXPECT_EQ(Checkpoints(store.checkpoint_folder(), specs[1].hash()).files().size(), 1u);
}

}  // namespace
}  // namespace fovea
