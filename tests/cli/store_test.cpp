// The store as a person uses it: tags, notes, the bin, comparing, merging, watching.
#include <signal.h>

#include <algorithm>

#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;
using fovea::testing::says;
namespace fs = std::filesystem;

class StoreCommands : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("words.toml", spec(20));
    write("endless.toml", spec(100'000'000));
  }

  static std::string spec(int steps) {
    return "task = { name = \"copy\", vocab = 6, length = 4 }\nmodel = { name = \"seq2seq\", hidden = 8, embedding = 8 "
           "}\n"
           "train = { steps = " +
           std::to_string(steps) +
           ", batch = 4 }\nprobe = { every = 5, examples = 20, names = [\"accuracy\", \"loss\"] }\n";
  }

  void sweep(const std::string& words) const {
    const Outcome outcome = fovea("sweep words.toml --quiet --jobs 1 " + words);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }

  std::vector<int> ids(const std::string& words) const {
    std::vector<int> all;
    const nlohmann::json listed = json("runs --json " + words);
    for (const auto& run : listed["runs"]) all.push_back(run["run"].get<int>());
    return all;
  }
};

using Ids = std::vector<int>;

TEST_F(StoreCommands, TagsNotesAndTheBin) {
  sweep("--seeds 0..3");
  EXPECT_EQ(fovea("tag good 1 3").code, 0);
  EXPECT_TRUE(says(fovea("tag 'for the paper' --where 'seed >= 2'").err, "2 runs are now tagged 'for the paper'"));
  EXPECT_EQ(ids("--where 'tagged(\"good\")'"), (Ids{1, 3}));
  EXPECT_TRUE(says(fovea("runs").out, "for the paper, good"));
  EXPECT_TRUE(says(fovea("tag").out, "good  2 runs"));
  EXPECT_EQ(fovea("tag --remove good 1").code, 0);
  EXPECT_EQ(json("tag --json")["tags"][1]["runs"], 1);
  EXPECT_EQ(fovea("note 2 'a plateau; see the figure'").code, 0);
  EXPECT_EQ(fovea("note 2").out, "a plateau; see the figure\n");
  EXPECT_TRUE(says(fovea("show 2").out, "note: a plateau; see the figure"));
  EXPECT_EQ(json("show 3 --json")["tags"][1], "good");

  EXPECT_TRUE(says(fovea("rm 2 --where 'seed = 3'").err, "2 runs are now in the bin"));
  EXPECT_EQ(ids(""), (Ids{1, 3}));
  EXPECT_EQ(ids("--bin"), (Ids{2, 4}));
  const Outcome gone = fovea("show 2");
  EXPECT_EQ(gone.code, 2);
  EXPECT_TRUE(says(gone.err, "run 2 was removed, and is in the bin. To restore it: fovea rm --restore 2"));
  EXPECT_TRUE(says(fovea("gc --dry").out, "would be deleted: 2 runs of the bin"));
  EXPECT_EQ(fovea("rm --restore 2").code, 0);
  EXPECT_EQ(fovea("note 2").out, "a plateau; see the figure\n");
  EXPECT_TRUE(says(fovea("gc").out, "deleted: 1 run of the bin"));
  EXPECT_EQ(ids(""), (Ids{1, 2, 3}));
  EXPECT_TRUE(says(fovea("runs --bin").out, "The bin is empty."));
}

TEST_F(StoreCommands, WhatIsNotThereIsSaid) {
  for (const char* words :
       {"show 7", "note 7 x", "tag good 7", "rm 7", "rm --restore 7", "compare 7 8", "plot 7 loss -o x.svg",
        "export 7 -o x.csv", "run --resume 7", "audit 7", "compare 99999999999999999999 1"}) {
    const Outcome outcome = fovea(words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_TRUE(says(outcome.err, "there is no run")) << words;
  }
  EXPECT_TRUE(says(fovea("rm 99999999999999999999").err, "there is no run 99999999999999999999"));
  EXPECT_TRUE(says(fovea("tag --remove gone 1").err, "no run is tagged 'gone'"));
  for (const char* words : {"tag 3", "tag good", "rm", "tag 'a,b' 1", "runs merge", "runs merge none.db", "show x"}) {
    const Outcome outcome = fovea(words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_LT(outcome.err.size(), 400u) << outcome.err;
  }
}

TEST_F(StoreCommands, SqlIsAWordAndNoMore) {
  sweep("--seeds 0..1");
  const std::string evil = "x'); DROP TABLE runs; --";
  EXPECT_EQ(fovea("tag \"" + evil + "\" 1").code, 0);
  EXPECT_EQ(fovea("note 1 \"" + evil + "\"").code, 0);
  EXPECT_EQ(fovea("note 1").out, evil + "\n");
  EXPECT_EQ(fovea("note 1 \"$(printf 'red \\033[31m')\"").code, 0);
  EXPECT_EQ(fovea("note 1").out, "red [31m\n");  // no command to the terminal
  EXPECT_EQ(ids("--where \"tagged(\\\"" + evil + "\\\")\""), Ids{1});
  for (const std::string& words : std::vector<std::string>{
           "runs --where \"" + evil + "\"", "runs \"" + evil + "\"", "runs --sort \"" + evil + "\"",
           "rm --where \"id = 1; DELETE FROM runs\"", "compare \"" + evil + "\" 1", "runs --show \"" + evil + "\"",
           "tag t --where \"1=1 OR '1'='1' --\""})
    EXPECT_EQ(fovea(words).code, 2) << words;
  EXPECT_EQ(ids(""), (Ids{1, 2}));
}

TEST_F(StoreCommands, ComparesRunsAndGroups) {
  sweep("--seeds 0..4 --set model.hidden=4,8");
  const nlohmann::json two = json("compare 1 6 --json");
  ASSERT_EQ(two["settings"].size(), 1u);
  EXPECT_EQ(two["settings"][0]["name"], "model.hidden");
  EXPECT_EQ(two["pairs"], 1);
  const nlohmann::json groups = json("compare 'model.hidden = 4' 'model.hidden = 8' --metric loss --json");
  EXPECT_EQ(groups["pairs"], 5);
  EXPECT_EQ(groups["paired_by"], nlohmann::json::array({"seed"}));
  double mean = 0;
  for (int seed = 0; seed < 5; ++seed) {
    const auto loss = [&](int hidden) {
      return json("runs --json --where 'seed = " + std::to_string(seed) +
                  " and model.hidden = " + std::to_string(hidden) + "'")["runs"][0]["metrics"]["loss"]
          .get<double>();
    };
    mean += (loss(8) - loss(4)) / 5;
  }
  EXPECT_NEAR(groups["metrics"][0]["difference"].get<double>(), mean, 1e-12);
  const Outcome text = fovea("compare 'model.hidden = 4' 'model.hidden = 8' -o both.svg");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(says(text.out, "5 pairs of runs are compared. Both runs of a pair have the same seed."));
  EXPECT_TRUE(says(text.out, "sign-flip permutation test"));
  EXPECT_TRUE(says(text.out, "A •  B +"));
  EXPECT_TRUE(says(read(folder_ / "both.svg"), "A: model.hidden = 4"));
  EXPECT_TRUE(says(fovea("compare 'seed = 0' 'seed = 1'").err + fovea("compare 'seed < 3' 'seed > 1'").err,
                   "is in A and in B"));
  EXPECT_EQ(fovea("compare 1 2 --metric lsos").code, 2);
  EXPECT_EQ(fovea("compare 1 2 -o x.gif").code, 2);
}

TEST_F(StoreCommands, MergesStoresFilledApart) {
  sweep("--seeds 0..5");
  const std::string whole = fovea("export --all --format csv -o /dev/stdout").out;
  fs::rename(home_, folder_ / "whole");
  sweep("--seeds 0..5 --shard 1/2");
  fs::rename(home_, folder_ / "first");
  sweep("--seeds 0..5 --shard 2/2");
  Outcome merged = fovea("runs merge ../first/runs.db");  // the program runs in the test's folder
  EXPECT_EQ(merged.code, 2);
  merged = fovea("runs merge first/runs.db --quiet");
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_TRUE(says(merged.out, "3 runs added, 0 were here already"));
  EXPECT_TRUE(says(fovea("runs merge first/runs.db").out, "0 runs added, 3 were here already"));
  EXPECT_EQ(json("runs merge whole/runs.db --json")["known"], 6);
  EXPECT_EQ(ids("").size(), 6u);
  // The same lines, but for the ids.
  const auto lines = [](const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line.substr(line.find(',') + 1));
    std::ranges::sort(all);
    return all;
  };
  EXPECT_EQ(lines(fovea("export --all --format csv -o /dev/stdout").out), lines(whole));
  EXPECT_EQ(json("sweep words.toml --seeds 0..5 --json --quiet")["found"], 6);
  EXPECT_EQ(fovea("runs merge words.toml").code, 2);  // no store
  EXPECT_EQ(ids("").size(), 6u);
}

TEST_F(StoreCommands, WatchesWhatAnotherProcessTrains) {
  EXPECT_TRUE(says(fovea("watch").out, "Nothing is being trained."));
  const pid_t child = start("run endless.toml --seed 4", "run");
  Outcome seen;
  for (int i = 0; i < 60 && seen.out.find("endless  seed 4") == std::string::npos; ++i) seen = fovea("watch");
  EXPECT_EQ(seen.code, 0) << seen.err;
  for (const char* part :
       {"1 run is in training", "endless  seed 4  step ", "of 100000000", "loss", "accuracy", "attention of"})
    EXPECT_TRUE(says(seen.out, part));
  EXPECT_EQ(fovea("rm 1").code, 2);  // it is in training
  ::kill(child, SIGINT);
  end_of(child, "run");
  EXPECT_TRUE(says(fovea("watch --once").out, "Nothing is being trained."));
}

}  // namespace
}  // namespace fovea
