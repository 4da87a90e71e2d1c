// The measures of a whole reproduction, and that interruptions change none of them.
#include <csignal>
#include <thread>

#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;
using fovea::testing::says;

class MeasureTest : public ProgramTest {
 protected:
  static constexpr const char* words =
      "reproduce text-classify --quick --jobs 1 --json --set model.hidden=6 --set model.embedding=6 "
      "--set model.score_hidden=6 --set train.steps=60 --set task.min_count=2 --checkpoint 0";

  // What was measured, without the numbers that runs go by.
  static nlohmann::json without_ids(nlohmann::json measures) {
    for (auto& run : measures["runs"]) run.erase("run");
    return measures;
  }
};

TEST_F(MeasureTest, ATaskThatDrawsItsExamplesNeedsUniformAttention) {
  const std::string run =
      "run copy-subset --quick --quiet --set train.steps=2 --set 'probe.names=[\"accuracy\", "
      "\"evidence\"]'";
  ASSERT_EQ(fovea(run).code, 0);
  const Outcome alone = fovea("measure 1");
  EXPECT_EQ(alone.code, 2);
  EXPECT_TRUE(says(
      alone.err, "Train it again: fovea show 1 --spec > run.toml; fovea run run.toml --set model.attention=uniform."));
  write("run.toml", fovea("show 1 --spec").out);
  ASSERT_EQ(fovea("run run.toml --quiet --set model.attention=uniform").code, 0);
  EXPECT_EQ(fovea("measure 1").code, 0);
}

TEST_F(MeasureTest, ReproducesTheWholeTable) {
  const nlohmann::json all = json(words);
  EXPECT_EQ(all["set"][4], "task.min_count=2");
  const nlohmann::json measures = all["experiments"][0]["measures"];
  ASSERT_TRUE(measures.is_object()) << all.dump(1);
  std::vector<std::string> pairs;
  for (const auto& row : measures["agreement"])
    pairs.push_back(row["a"].get<std::string>() + " " + row["b"].get<std::string>());
  EXPECT_EQ(pairs,
            (std::vector<std::string>{"α α of other seeds", "α β", "α Δ", "α βᵖˣ", "α logistic β", "α βᵘᶠ", "Δ βᵘᶠ",
                                      "βᵘᶠ βᵖˣ", "βᵘᶠ logistic β", "α predicted", "α common", "α rare"}));
  EXPECT_EQ(measures["runs"].size(), 5u) << "the reference, another, uniform, words, logistic";
  EXPECT_EQ(measures["examples"], 500);
  // The same of one run whose partners are looked for, and of all of them named.
  const int reference = measures["runs"][0]["run"];
  EXPECT_EQ(json("measure " + std::to_string(reference) + " --json")["agreement"], measures["agreement"]);
  std::string ids;
  for (const auto& run : measures["runs"]) ids += " " + std::to_string(run["run"].get<int>());
  EXPECT_EQ(json("measure" + ids + " --json")["agreement"], measures["agreement"]);
  // Of one class alone; both together are all.
  int of_classes = 0;
  for (const char* name : {"negative", "positive"}) {
    const nlohmann::json own = json("measure " + std::to_string(reference) + " --json --class " + name);
    EXPECT_EQ(own["class"], name);
    of_classes += own["examples"].get<int>();
  }
  EXPECT_EQ(of_classes, 500);
  const Outcome misspelt = fovea("measure " + std::to_string(reference) + " --class negativ");
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_NE(misspelt.err.find("Did you mean 'negative'"), std::string::npos) << misspelt.err;
  int told = 0;
  for (const auto& claim : all["claims"])
    told += claim["claim"].get<std::string>().find("The interval of agreement 𝒜(α, β)") == 0;
  EXPECT_EQ(told, 1) << all["claims"].dump(1);
  const Outcome text = fovea("measure " + std::to_string(reference));
  EXPECT_NE(text.out.find("βᵘᶠ"), std::string::npos) << text.err;
  EXPECT_EQ(fovea("measure 99").code, 2);
}

TEST_F(MeasureTest, InterruptionsChangeNoNumber) {
  const nlohmann::json whole = without_ids(json(words)["experiments"][0]["measures"]);
  home_ = folder_ / "interrupted";
  const std::string line = std::string(words) + " --quiet";
  int interrupted = 0;
  for (int round = 0; round < 8; ++round) {
    const pid_t child = start(line, "round");
    std::this_thread::sleep_for(std::chrono::milliseconds(150 + 170 * round));
    ::kill(child, round % 2 == 0 ? SIGKILL : SIGINT);
    interrupted += end_of(child, "round").code != 0;
  }
  EXPECT_GT(interrupted, 0);
  EXPECT_EQ(without_ids(json(line)["experiments"][0]["measures"]), whole);
}

TEST_F(MeasureTest, SaysWhatItNeeds) {
  ASSERT_EQ(fovea("run keyword-lstm --quick --quiet --set train.steps=2").code, 0);
  const Outcome outcome = fovea("measure 1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("run 1 was trained without the probe 'evidence'"), std::string::npos) << outcome.err;
  EXPECT_NE(fovea("measure 1 1").err.find("run 1 is named twice"), std::string::npos);
}

}  // namespace
}  // namespace fovea
