#include "fovea/lab/sweep/rank_pool.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/lab/sweep/joint_training.h"
#include "fovea/lab/sweep/rank_messages.h"
#include "fovea/lab/train/checkpoint.h"
#include "tests/lab/store/store_sample.h"
#include "tests/lab/sweep/ranks_in_threads.h"
#include "tests/lab/sweep/sweep_specs.h"
#include "tests/lab/train/mark.h"

namespace fovea {
namespace {

using namespace testing_parts;

std::vector<RunSpec> marked_specs(const std::vector<std::string>& changes, std::uint64_t seeds) {
  std::vector<RunSpec> specs;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) specs.push_back(mark_spec(changes, seed));
  return specs;
}

SweepOptions shared_by(Ranks& ranks, std::chrono::milliseconds patience = std::chrono::seconds(600)) {
  SweepOptions options;
  options.jobs = 2;
  options.pool = [&ranks, patience](int jobs, const CheckpointPlan& checkpoints) {
    return rank_pool(ranks, jobs, checkpoints, patience);
  };
  return options;
}

TEST(RankPool, ASweepOverRanksIsTheSameAsOverThreads) {
  const Folder folder;
  std::vector<RunSpec> specs = marked_specs({}, 20);
  specs[7] = marked_specs({"model.explode_at=30"}, 8)[7];
  Store alone(folder / "alone.db");
  sweep_specs(alone, "marks", specs, {});
  for (const int size : {1, 3}) {
    RanksInThreads ranks(size, [](Ranks& own) { work_for_first(own, nullptr); });
    Store store(folder / (std::to_string(size) + ".db"));
    for (int again = 0; again < 2; ++again)  // a job makes several sweeps
      ASSERT_EQ(sweep_specs(store, "marks", specs, shared_by(ranks.first())).size(), 20u);
    EXPECT_EQ(store.count(), 20);
    for (const RunSpec& spec : specs) {
      const auto wanted = alone.find_done(spec.hash()), got = store.find_done(spec.hash());
      ASSERT_EQ(wanted.has_value(), got.has_value());
      if (!wanted) continue;
      EXPECT_EQ(wanted->series, got->series);
      const auto arrays = alone.arrays(wanted->id), others = store.arrays(got->id);
      ASSERT_EQ(arrays.size(), others.size());
      for (std::size_t i = 0; i < arrays.size(); ++i) EXPECT_EQ(arrays[i].values, others[i].values);
      const auto weights = alone.weights(*wanted), brought = store.weights(*got);
      ASSERT_TRUE(weights && brought);
      for (const Tensor& tensor : weights->tensors())
        EXPECT_TRUE(std::ranges::equal(tensor.bytes, brought->find(tensor.name)->bytes)) << tensor.name;
    }
    const auto failed = store.find_undone(specs[7].hash());
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->error, alone.find_undone(specs[7].hash())->error);
    EXPECT_TRUE(ranks.first().all_answer());
  }
}

// A rank that takes work, and then is as if it hung.
void take_and_hang(Ranks& ranks) {
  int taken = 0;
  for (;;) {
    const auto message = ranks.receive(std::chrono::milliseconds(20));
    if (message && message->kind == Ranks::end) return;
    taken += message && message->kind == RankMessage::order;
    if (taken == 2) return;
  }
}

TEST(RankPool, ARankThatHangsHoldsBackItsOwnRunsOnly) {
  const Folder folder;
  const std::vector<RunSpec> specs = marked_specs({}, 12);
  Store store(folder / "runs.db");
  {
    RanksInThreads ranks(2, take_and_hang);
    SweepOptions options = shared_by(ranks.first(), std::chrono::milliseconds(300));
    std::vector<std::string> notices;
    SweepProgress last;
    options.notice = [&notices](const std::string& text) { notices.push_back(text); };
    options.progress = [&last](const SweepProgress& progress) { last = progress; };
    EXPECT_EQ(sweep_specs(store, "marks", specs, options).size(), 10u);
    EXPECT_EQ(last.done, 10);
    EXPECT_EQ(last.left(), 2);
    ASSERT_EQ(notices.size(), 2u);
    for (const std::string& notice : notices) EXPECT_NE(notice.find("rank 1 trained this run"), std::string::npos);
    EXPECT_FALSE(ranks.first().answers(1));
    last = {};
    EXPECT_EQ(sweep_specs(store, "marks", specs, options).size(), 12u);  // it is asked for nothing more
    EXPECT_EQ(last.done, 2);
  }
  EXPECT_EQ(store.count(), 12);
}

TEST(RankPool, AStoppedSweepHasEverybodyStop) {
  const Folder folder;
  const std::vector<RunSpec> specs = marked_specs({"train.steps=1000000000", "probe.every=1000000000"}, 12);
  Store store(folder / "runs.db");
  RanksInThreads ranks(3, [](Ranks& own) { work_for_first(own, nullptr); });
  std::atomic<bool> stop = false;
  SweepOptions options = shared_by(ranks.first());
  SweepProgress last;
  options.stop = &stop;
  options.progress = [&](const SweepProgress& progress) {
    last = progress;
    stop = std::ranges::count_if(progress.in_training, [](const auto& run) { return run.step > 0; }) == 6;
  };
  sweep_specs(store, "marks", specs, options);
  EXPECT_EQ(last.done, 0);
  EXPECT_GT(last.stopped, 0);
  EXPECT_EQ(last.left() + last.stopped, 12);
}

TEST(RankPool, WhatCanNotBeTrainedIsRefusedFromAfar) {
  const Folder folder;
  Store store(folder / "runs.db");
  RanksInThreads ranks(2, [](Ranks& own) { work_for_first(own, nullptr); });
  std::vector<RunSpec> specs = marked_specs({}, 1);
  specs[0].task.at("length").data = std::int64_t{700};
  try {
    sweep_specs(store, "marks", specs, shared_by(ranks.first()));
    FAIL() << "it was trained";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    EXPECT_EQ(error.problem().text(), "rows longer than 500 are not made");
    EXPECT_EQ(error.remedy().text(), "make length smaller");
  }
}

std::vector<RunSpec> joint_specs(const std::string& shards, std::uint64_t seeds) {
  return marked_specs({"train.data_parallel=true", "train.shards=" + shards, "probe.every=1"}, seeds);
}

// Weights after 50 steps, as the checkpoint has them of a run that was stopped there.
std::vector<float> weights_after_50(int size, const std::string& shards) {
  const Folder folder;
  // All hear of the halt at the next gradient, and stop after it.
  const RunSpec spec = marked_specs({"train.data_parallel=true", "train.shards=" + shards, "probe.every=1",
                                     "probe.names=[\"watch\", \"halt\"]", "probe.halt.step=49"},
                                    1)[0];
  halted = false;
  RanksInThreads ranks(size, [](Ranks& own) { work_for_first(own, &halted); });
  TrainHooks hooks;
  hooks.stop = &halted;
  hooks.checkpoints.folder = folder / "checkpoints";
  hooks.ranks = &ranks.first();
  for (int rank = 1; rank < size; ++rank)
    ranks.first().send(rank, RankMessage::join, to_message(RankOrder{0, spec, 1, hooks.checkpoints}));
  const RunRecord run = train(spec, hooks);
  EXPECT_EQ(run.state, RunState::stopped) << run.error;
  EXPECT_EQ(run.steps, 50);
  const auto files = Checkpoints(hooks.checkpoints.folder, spec.hash()).files();
  EXPECT_EQ(files.size(), 1u);
  if (files.empty()) return {};
  const TensorFile file = Checkpoints::read(files[0]);
  std::vector<float> all = file.floats("w");
  const std::vector<float> attention = file.floats("a");
  all.insert(all.end(), attention.begin(), attention.end());
  return all;
}

TEST(JointTraining, HasTheSameWeightsWithAnyNumberOfRanks) {
  const std::vector<float> one = weights_after_50(1, "8");
  ASSERT_FALSE(one.empty());
  EXPECT_EQ(weights_after_50(2, "8"), one);
  EXPECT_EQ(weights_after_50(4, "8"), one);
  EXPECT_NE(weights_after_50(4, "4"), one);  // another number of shards is another sum
}

TEST(JointTraining, KeepsTheSameRunsWithAnyNumberOfRanks) {
  const Folder folder;
  const std::vector<RunSpec> specs = joint_specs("8", 3);
  std::vector<std::vector<RunRecord>> results;
  for (const int size : {1, 2, 4}) {
    RanksInThreads ranks(size, [](Ranks& own) { work_for_first(own, nullptr); });
    Store store(folder / (std::to_string(size) + ".db"));
    SweepOptions options;
    options.pool = [&](int, const CheckpointPlan& checkpoints) { return joint_pool(ranks.first(), checkpoints); };
    results.push_back(sweep_specs(store, "marks", specs, options));
    ASSERT_EQ(results.back().size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(results.back()[i].state, RunState::done);
      EXPECT_EQ(results.back()[i].series, results.front()[i].series);
    }
  }
}

TEST(JointTraining, ARunThatFailsFailsOnAllAndIsKept) {
  const Folder folder;
  std::vector<RunSpec> specs = joint_specs("8", 2);
  specs[0].model["explode_at"] = value(30.0);
  RanksInThreads ranks(4, [](Ranks& own) { work_for_first(own, nullptr); });
  Store store(folder / "runs.db");
  SweepOptions options;
  options.pool = [&](int, const CheckpointPlan& checkpoints) { return joint_pool(ranks.first(), checkpoints); };
  const auto runs = sweep_specs(store, "marks", specs, options);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].state, RunState::failed);
  EXPECT_EQ(runs[1].state, RunState::done);
  EXPECT_TRUE(ranks.first().all_answer());
}

TEST(JointTraining, RanksThatCanNotShareTheBatchAreRefused) {
  const Folder folder;
  RanksInThreads ranks(3, [](Ranks& own) { work_for_first(own, nullptr); });
  Store store(folder / "runs.db");
  SweepOptions options;
  options.pool = [&](int, const CheckpointPlan& checkpoints) { return joint_pool(ranks.first(), checkpoints); };
  EXPECT_THROW(sweep_specs(store, "marks", joint_specs("8", 1), options), Error);
}

}  // namespace
}  // namespace fovea
