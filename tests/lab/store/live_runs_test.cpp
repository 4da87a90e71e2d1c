// What can be seen of runs in training from another process.
#include "fovea/lab/store/live_runs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/store/run_lock.h"
#include "fovea/lab/train/checkpoint.h"
#include "fovea/lab/train/trainer.h"
#include "tests/lab/store/store_sample.h"
#include "tests/lab/train/mark.h"

namespace fovea {
namespace {

using namespace testing_parts;

RunSpec live_spec(const std::string& steps) {
  const Experiment experiment = parse_experiment(
      "task = { name = \"mark\" }\nmodel = { name = \"tiny\" }\n"
      "train = { steps = " +
          steps + ", batch = 4 }\nprobe = { every = 20, names = [\"loss\"] }\n",
      "live.toml");
  return resolve(experiment, Preset::full, {}, 3);
}

class Live : public ::testing::Test {
 protected:
  // Trains until a checkpoint is written in the course of it, or five minutes have gone by.
  RunRecord train_for_a_while(const RunSpec& spec, double every) {
    std::atomic<bool> stop = false;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    TrainHooks hooks;
    hooks.stop = &stop;
    hooks.checkpoints = {store.checkpoint_folder(), every};
    hooks.saved = [&](const RunRecord& record) {
      if (record.steps < 100 || stop) return;
      ++saved;
      stop = true;
    };
    hooks.progress = [&](std::int64_t, std::int64_t) { stop = stop || std::chrono::steady_clock::now() > give_up; };
    return train(spec, hooks);
  }

  const Folder folder;
  Store store{folder / "runs.db"};
  int saved = 0;
};

TEST_F(Live, ARunIsSeenAsItsCheckpointHasIt) {
  const RunSpec spec = live_spec("1000000000");
  LiveRuns live(store);
  EXPECT_TRUE(live.poll().empty());
  std::optional<RunLock> lock = RunLock::take(store.running_folder(), spec.hash());
  std::vector<LiveRun> runs = live.poll();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_FALSE(runs[0].seen);
  EXPECT_EQ(runs[0].holder, RunLock::holder(store.running_folder(), spec.hash()));

  RunRecord record = train_for_a_while(spec, 0);
  ASSERT_GT(saved, 0);
  runs = live.poll();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_TRUE(runs[0].seen);
  EXPECT_EQ(runs[0].record.id, 0);  // the store does not have it yet
  EXPECT_EQ(runs[0].record.steps, record.steps);
  EXPECT_EQ(runs[0].steps, 1'000'000'000);
  EXPECT_EQ(runs[0].record.spec.text(), spec.text());
  EXPECT_EQ(runs[0].record.series, record.series);
  ASSERT_EQ(runs[0].record.arrays.size(), record.arrays.size());
  for (std::size_t i = 0; i < record.arrays.size(); ++i)
    EXPECT_EQ(runs[0].record.arrays[i].values, record.arrays[i].values);

  record.experiment = "copy-subset";
  store.keep(record);
  EXPECT_EQ(live.poll().at(0).record.experiment, "copy-subset");
  EXPECT_EQ(live.poll().at(0).record.id, record.id);
  lock.reset();
  EXPECT_TRUE(live.poll().empty());
}

TEST_F(Live, WhoeverLooksIsShownCheckpointsSooner) {
  const RunSpec spec = live_spec("1000000000");
  std::optional<LiveRuns> live(store);
  EXPECT_FALSE(checkpoints_asked_for(store.checkpoint_folder()));
  live->poll();
  EXPECT_TRUE(checkpoints_asked_for(store.checkpoint_folder()));
  train_for_a_while(spec, 3600);  // an hour: nobody would see any
  EXPECT_EQ(saved, 1);
  live.reset();
  EXPECT_FALSE(checkpoints_asked_for(store.checkpoint_folder()));
}

TEST_F(Live, ADamagedCheckpointIsPassedOver) {
  const RunSpec spec = live_spec("1000000000");
  const std::optional<RunLock> lock = RunLock::take(store.running_folder(), spec.hash());
  train_for_a_while(spec, 0);
  const auto files = Checkpoints(store.checkpoint_folder(), spec.hash()).files();
  ASSERT_FALSE(files.empty());
  std::filesystem::resize_file(files.front(), std::filesystem::file_size(files.front()) / 2);
  LiveRuns live(store);
  ASSERT_EQ(live.poll().size(), 1u);
  EXPECT_FALSE(live.poll().front().seen);
}

}  // namespace
}  // namespace fovea
