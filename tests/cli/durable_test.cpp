// What a person meets when runs are interrupted, killed, fail, or meet a disk that will not have them.
#include <signal.h>
#include <sys/mount.h>

#include <algorithm>
#include <thread>

#include "tests/cli/program.h"
#include "tests/sanitized.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;
using fovea::testing::says;
namespace fs = std::filesystem;

class DurableTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("words.toml", spec(200));
    write("endless.toml", spec(100'000'000));
  }

  static std::string spec(int steps) {
    return "task = { name = \"keyword\", vocab = 10, length = 6 }\n"
           "model = { name = \"gated-classifier\", hidden = 8, embedding = 8 }\n"
           "train = { steps = " +
           std::to_string(steps) +
           ", batch = 8 }\nprobe = { every = 50, examples = 20, names = [\"accuracy\", \"entropy\"] }\n";
  }

  std::vector<fs::path> checkpoints() const {
    std::vector<fs::path> files;
    std::error_code none_yet;
    for (const auto& entry : fs::directory_iterator(home_ / "checkpoints", none_yet))
      if (entry.path().extension() == ".safetensors" &&
          entry.path().filename().string().find(".next") == std::string::npos)
        files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
  }
  // Those that are newest of their run.
  std::size_t newest_checkpoints() const {
    return static_cast<std::size_t>(std::ranges::count_if(checkpoints(), [](const fs::path& file) {
      return file.filename().string().find("before") == std::string::npos;
    }));
  }
};

TEST_F(DurableTest, AnInterruptedRunIsKeptAndTellsHowToGoOn) {
  const pid_t child = start("run endless.toml --seed 4 --checkpoint 0.05", "first");
  ASSERT_TRUE(wait_until([&] { return !checkpoints().empty(); }));
  ::kill(child, SIGINT);
  const Outcome first = end_of(child, "first");
  EXPECT_EQ(first.code, 1);
  EXPECT_TRUE(says(first.err, "of 100000000 steps. The run is stored as run 1. To continue: fovea run --resume 1"));
  const auto kept = json("runs --json")["runs"];
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0]["state"], "stopped");
  const int steps = kept[0]["steps"].get<int>();
  EXPECT_GT(steps, 0);

  const pid_t second = start("run --resume 1 --json", "second");
  ASSERT_TRUE(wait_until([&] { return read(folder_ / "second.err").find("continues from") != std::string::npos; }));
  EXPECT_EQ(json("runs --json")["runs"][0]["state"], "running");
  const Outcome refused = fovea("run endless.toml --seed 4");
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(says(refused.err, "being trained by process " + std::to_string(second)));
  ::kill(second, SIGTERM);
  const Outcome again = end_of(second, "second");
  EXPECT_TRUE(says(again.err, "continues from step " + std::to_string(steps) + " of 100000000, stopped"));
  const auto record = nlohmann::json::parse(again.out);
  EXPECT_EQ(record["run"], 1);
  EXPECT_EQ(record["state"], "stopped");
  EXPECT_GE(record["steps"].get<int>(), steps);
}

TEST_F(DurableTest, AKilledRunGoesOnFromItsLastCheckpointAndSaysSo) {
  const pid_t child = start("run endless.toml --checkpoint 0.05", "first");
  ASSERT_TRUE(wait_until([&] { return checkpoints().size() == 2; }));
  ASSERT_TRUE(wait_until([&] { return json("runs --json")["runs"].size() == 1; }));
  ::kill(child, SIGKILL);
  end_of(child, "first");
  const auto kept = json("runs --json")["runs"];
  EXPECT_EQ(kept[0]["state"], "stopped");
  EXPECT_GT(kept[0]["steps"].get<int>(), 0);
  const auto goes_on = [&](const std::string& words, const std::string& name) {
    const pid_t next = start(words, name);
    const bool said =
        wait_until([&] { return says(read(folder_ / (name + ".err")), "endless, seed 0: continues from step "); });
    ::kill(next, SIGINT);
    end_of(next, name);
    return said;
  };
  EXPECT_TRUE(goes_on("run endless.toml", "same words"));
  EXPECT_TRUE(goes_on("run --resume 1", "by number"));
  const auto now = fs::file_time_type::clock::now();
  const pid_t fresh = start("run endless.toml --ignore-checkpoint --checkpoint 0.05", "fresh");
  ASSERT_TRUE(wait_until([&] {
    return std::ranges::any_of(checkpoints(), [&](const fs::path& file) {
      std::error_code gone;
      const auto written = fs::last_write_time(file, gone);
      return !gone && written > now;
    });
  }));
  ::kill(fresh, SIGINT);
  EXPECT_EQ(end_of(fresh, "fresh").err.find("continues from"), std::string::npos);
}

TEST_F(DurableTest, ADamagedCheckpointIsSaidAndTheOneBeforeIsUsed) {
  const pid_t child = start("run endless.toml --checkpoint 0.05", "first");
  ASSERT_TRUE(wait_until([&] { return checkpoints().size() == 2; }));
  ::kill(child, SIGKILL);
  end_of(child, "first");
  const auto files = checkpoints();
  ASSERT_EQ(files.size(), 2u);
  const fs::path newest = files[0].string().find("before") == std::string::npos ? files[0] : files[1];
  fs::resize_file(newest, fs::file_size(newest) / 2);
  const pid_t next = start("run endless.toml", "next");
  ASSERT_TRUE(wait_until([&] { return read(folder_ / "next.err").find("continues from") != std::string::npos; }));
  ::kill(next, SIGINT);
  EXPECT_TRUE(says(end_of(next, "next").err, newest.string() + ": its checksum is wrong"));
}

TEST_F(DurableTest, AKilledSweepIsFinishedByTheSameCommandAndIsTheSame) {
  const std::string sweep = "sweep words.toml --seeds 0..11 --jobs 2 --json --quiet --checkpoint 0.02";
  ASSERT_EQ(fovea(sweep).code, 0);
  const std::string whole = series_of_all();
  home_ = folder_ / "second home";
  std::size_t finished = 0;
  for (int round = 0;; ++round) {
    ASSERT_LT(round, 200);
    const pid_t child = start(sweep, "killed");
    // Longer from round to round: on a slow machine it may at first not come as far as a checkpoint.
    std::this_thread::sleep_for(std::chrono::milliseconds(60 + 45 * (round % 5) + 10 * round));
    ::kill(child, SIGKILL);
    if (end_of(child, "killed").code == 0) break;  // it was done before
    std::size_t done = 0;
    const nlohmann::json listed = json("runs --json --limit -1");
    for (const auto& run : listed["runs"]) done += run["state"] == "done";
    EXPECT_GE(done, finished);
    finished = done;
  }
  EXPECT_EQ(series_of_all(), whole);
  const auto again = json(sweep);
  EXPECT_EQ(again["found"], 12);
  EXPECT_EQ(again["done"], 0);
  EXPECT_TRUE(checkpoints().empty());
}

TEST_F(DurableTest, AnInterruptedSweepGoesOn) {
  const pid_t child = start("sweep endless.toml --seeds 0..3 --jobs 2 --checkpoint 0.05", "first");
  ASSERT_TRUE(wait_until([&] { return newest_checkpoints() == 2; }));
  ::kill(child, SIGINT);
  const Outcome first = end_of(child, "first");
  EXPECT_EQ(first.code, 1);
  EXPECT_TRUE(says(first.out, "2 stopped, 2 left"));
  EXPECT_TRUE(says(first.out, "The same command continues the sweep."));
  EXPECT_EQ(newest_checkpoints(), 2u);
  EXPECT_TRUE(fs::is_empty(home_ / "running"));
}

TEST_F(DurableTest, TwoSweepsAtOnceShareTheWork) {
  const std::string sweep = "sweep words.toml --seeds 0..15 --jobs 1 --json --quiet";
  const pid_t a = start(sweep, "a"), b = start(sweep, "b");
  const Outcome one = end_of(a, "a"), other = end_of(b, "b");
  ASSERT_EQ(one.code, 0) << one.err;
  ASSERT_EQ(other.code, 0) << other.err;
  const auto first = nlohmann::json::parse(one.out), second = nlohmann::json::parse(other.out);
  EXPECT_EQ(first["done"].get<int>() + second["done"].get<int>(), 16);
  EXPECT_EQ(first["runs"].size(), 16u);
  EXPECT_EQ(json("runs --json --limit -1")["runs"].size(), 16u);
}

TEST_F(DurableTest, ARunThatFailsIsKeptWithItsError) {
  const Outcome run = fovea("run toy-lowloss --set train.rate=1e30");
  EXPECT_EQ(run.code, 1);
  EXPECT_TRUE(says(run.err, "at step 6 the loss is"));
  EXPECT_TRUE(says(run.err, "stored as run 1"));
  EXPECT_TRUE(says(fovea("runs").out, "failed: at step 6"));
  EXPECT_TRUE(says(fovea("show 1").out, "failed: at step 6"));
  const Outcome resumed = fovea("run --resume 1");
  EXPECT_EQ(resumed.code, 2);
  EXPECT_TRUE(says(resumed.err, "run 1 failed"));
  const Outcome sweep = fovea("sweep toy-lowloss --set train.rate=1e30,1e29,0.01 --set model.beta1=3.0");
  EXPECT_EQ(sweep.code, 1);
  EXPECT_TRUE(says(sweep.out, "failed"));
  EXPECT_TRUE(says(sweep.out, "--retry-failed"));
  EXPECT_TRUE(says(sweep.err, "failed: at step"));
}

TEST_F(DurableTest, TheReasonOfAFailureIsPrintedAlsoWhenQuiet) {
  write("diverges.toml",
        "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\", beta0 = -1, beta1 = 3 }\n"
        "train = { steps = 48, batch = 2, optimizer = \"sgd\", rate = 1e30 }\nprobe = { names = [\"loss\"] }\n");
  for (const char* time : {"trained", "found in the store"}) {
    const Outcome failed = fovea("sweep diverges.toml --quiet --json --seeds 0");
    EXPECT_EQ(failed.code, 1) << time;
    EXPECT_TRUE(says(failed.err, "fovea: diverges, seed 0 failed: at step ")) << time;
    EXPECT_EQ(std::ranges::count(failed.err, '\n'), 1) << failed.err;
  }
  const Outcome many = fovea("sweep diverges.toml --quiet --seeds 0..9 --retrain");
  EXPECT_EQ(many.code, 1);
  EXPECT_EQ(std::ranges::count(many.err, '\n'), 5) << "the first five: " << many.err;
}

TEST_F(DurableTest, PartsOfASweepMakeTheWhole) {
  int done = 0;
  for (const char* part : {"1/3", "2/3", "3/3"})
    done += json(std::string("sweep words.toml --seeds 0..6 --json --quiet --shard ") + part)["done"].get<int>();
  EXPECT_EQ(done, 7);
  EXPECT_EQ(json("sweep words.toml --seeds 0..6 --json --quiet")["found"], 7);
}

TEST_F(DurableTest, ASweepTooLargeIsRefusedUnlessConfirmed) {
  const std::string million = "sweep words.toml --seeds 0..999999";
  const Outcome refused = fovea(million);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says(refused.err, "1000000 runs (1000000 seeds)"));
  EXPECT_TRUE(says(refused.err, "--yes"));
  EXPECT_FALSE(fs::exists(home_));
  // At once, as machines go: within a hundred times what a short refusal takes.
  EXPECT_LT(refused.seconds, std::max(sanitized ? 50.0 : 5.0, 100 * fovea("run --resume 7").seconds));
  const pid_t child = start(million + " --yes --jobs 1 --checkpoint 1000", "million");
  ASSERT_TRUE(wait_until([&] { return fs::exists(home_ / "runs.db") && json("runs --json")["runs"].size() > 2; }));
  ::kill(child, SIGINT);
  EXPECT_TRUE(says(end_of(child, "million").out, "1000000 runs: "));
}

struct Wrong {
  const char* words;
  std::vector<const char*> said;
};

TEST_F(DurableTest, MistakesAreNamed) {
  const std::vector<Wrong> table{
      {"run", {"no experiment is named", "--resume"}},
      {"run --resume 7", {"no run 7"}},
      {"run toy-uniform --resume 1", {"--resume takes no experiment"}},
      {"run toy-uniform --checkpoint -1", {"--checkpoint"}},
      {"sweep words.toml --shard 0/3", {"--shard", "0/3", "1/8"}},
      {"sweep words.toml --shard 4/3", {"4/3"}},
      {"sweep words.toml --shard 2", {"'2'"}},
      {"sweep words.toml --draws 3", {"nothing is drawn"}},
      {"sweep words.toml --set 'train.rate=log(1e-4..1e-2)'", {"--draws 20"}},
      {"sweep words.toml --set 'train.rate=log(0..1)' --draws 2", {"no logarithm"}},
  };
  for (const Wrong& wrong : table) {
    const Outcome outcome = fovea(wrong.words);
    EXPECT_EQ(outcome.code, 2) << wrong.words;
    for (const char* said : wrong.said) EXPECT_TRUE(says(outcome.err, said)) << wrong.words;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }
  ASSERT_EQ(fovea("run words.toml --quiet").code, 0);
  EXPECT_TRUE(says(fovea("run --resume 1").err, "run 1 is done"));
}

TEST_F(DurableTest, ADiskThatFillsDuringASweepIsSaidAndWhatWasKeptStays) {
  fs::create_directory(home_);
  if (::geteuid() != 0 || ::mount("tmpfs", home_.c_str(), "tmpfs", 0, "size=3m") != 0)
    GTEST_SKIP() << "a small disk cannot be mounted here (that takes root)";
  const Outcome sweep = fovea("sweep words.toml --seeds 0..2000 --jobs 2 --set train.steps=5 --set probe.every=1");
  EXPECT_EQ(sweep.code, 1);
  EXPECT_TRUE(says(sweep.err, "disk is full"));
  const auto runs = json("runs --json --limit -1")["runs"];
  EXPECT_GT(runs.size(), 5u);
  for (const auto& run : runs) EXPECT_EQ(run["state"], "done");
  ::umount2(home_.c_str(), MNT_DETACH);
}

TEST_F(DurableTest, AStoreThatCanNotBeWrittenIsSaidAtOnceAndStillRead) {
  fs::create_directory(home_);
  if (::geteuid() != 0 || ::mount("tmpfs", home_.c_str(), "tmpfs", 0, "size=4m") != 0)
    GTEST_SKIP() << "a disk cannot be mounted here (that takes root)";
  ASSERT_EQ(fovea("run words.toml --quiet").code, 0);
  ASSERT_EQ(::mount("tmpfs", home_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr), 0);
  for (const char* words : {"run words.toml --seed 1", "sweep words.toml --seeds 0..3"}) {
    const Outcome outcome = fovea(words);
    EXPECT_EQ(outcome.code, 1) << words;
    EXPECT_TRUE(says(outcome.err, "cannot be written"));
  }
  EXPECT_EQ(json("runs --json")["runs"].size(), 1u);
  ::umount2(home_.c_str(), MNT_DETACH);
}

TEST_F(DurableTest, ATruncatedStoreIsSaidAndLeftAsItIs) {
  ASSERT_EQ(fovea("sweep words.toml --seeds 0..5 --quiet --json").code, 0);
  const fs::path file = home_ / "runs.db";
  fs::resize_file(file, fs::file_size(file) / 2);
  const std::string before = read(file);
  for (const char* words : {"runs", "sweep words.toml --seeds 0..5", "run words.toml"}) {
    const Outcome outcome = fovea(words);
    EXPECT_EQ(outcome.code, 1) << words << outcome.out;
    EXPECT_TRUE(says(outcome.err, "damaged"));
    EXPECT_TRUE(says(outcome.err, file.string()));
  }
  EXPECT_EQ(read(file), before);
}

TEST_F(DurableTest, AFolderThatCanNotBeWrittenIsSaidBeforeTraining) {
  write("home", "a file where the folder should be");
  const Outcome outcome = fovea("run toy-uniform");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find(home_.string()), std::string::npos) << outcome.err;
}

TEST_F(DurableTest, AFullDiskIsSaidAndEarlierRunsStay) {
  fs::create_directory(home_);
  if (::geteuid() != 0 ||
      std::system(("mount -t tmpfs -o size=1m tmpfs '" + home_.string() + "' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "mounting a small disk needs the right to mount";
  EXPECT_EQ(fovea("run toy-uniform --quiet").code, 0);
  Outcome last;
  int kept = 1;
  for (int seed = 1; seed < 400; ++seed) {
    last = fovea("run toy-uniform --quiet --seed " + std::to_string(seed));
    if (last.code != 0) break;
    ++kept;
  }
  EXPECT_EQ(last.code, 1);
  EXPECT_NE(last.err.find("full"), std::string::npos) << last.err;
  EXPECT_EQ(json("runs --json --limit -1")["runs"].size(), static_cast<std::size_t>(kept));
  ASSERT_EQ(std::system(("umount '" + home_.string() + "'").c_str()), 0);
}

}  // namespace
}  // namespace fovea
