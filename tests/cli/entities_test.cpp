// Named entities, as a person finds them: training, threads, interventions, the views and the prediction.
#include "tests/cli/program.h"

namespace fovea {
namespace {

class EntitiesProgramTest : public testing::ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    for (const std::string model : {"window", "recurrent"})
      write(model + ".toml",
            "task = { name = \"made-names\" }\n"
            "model = { name = \"" +
                model +
                "-tagger\", embedding = 8, hidden = 8 }\n"
                "train = { steps = 60, batch = 16, rate = 1e-2 }\n"
                "probe = { every = 20, examples = 50, names = [\"loss\", \"entities\", \"evidence\"] }\n");
  }
};

TEST_F(EntitiesProgramTest, AMadeLanguageIsLearnedAndShown) {
  const auto run = json("run entities-made --quick --json --quiet --set probe.evidence.examples=10");
  EXPECT_GT(run["metrics"]["entity_f1"], 0.5) << run;
  const auto seen = json("inspect 1 --json");
  EXPECT_EQ(seen["target"].size(), seen["source"].size());
  EXPECT_EQ(seen["α"].size(), seen["source"].size());
  EXPECT_EQ(json("inspect 1 --json --row 2")["answers"], nlohmann::json::array({seen["answers"][1]}));
  int right = 0, words = 0;
  for (int example = 1; example <= 10; ++example) {
    const auto one = json("inspect 1 --json --example " + std::to_string(example));
    for (std::size_t t = 0; t < one["target"].size(); ++t, ++words) right += one["answers"][t] == one["target"][t];
  }
  EXPECT_NEAR(right, run["metrics"]["evidence_accuracy"].get<double>() * words, 1e-3);
  const std::string text = fovea("inspect 1").out;
  EXPECT_TRUE(text.find("α, of each word with a tag") != text.npos || text.find("No word of this") != text.npos)
      << text;
  const auto cues = json("predict made-names --json --draws 2000")["cues"];
  EXPECT_TRUE(std::ranges::any_of(cues, [](const auto& cue) {
    return cue["tag"] == "B-0" && cue["offset"] == -1 && cue["word"] == "cue0-0";
  })) << cues;
  EXPECT_NE(fovea("predict made-names --draws 2000").out.find("1 before"), std::string::npos);
}

TEST_F(EntitiesProgramTest, ThreadsChangeNoBit) {
  for (const std::string model : {"window", "recurrent"}) {
    const auto whole = json("run " + model + ".toml --json --quiet --set seed=3");
    const auto threads = json("run " + model + ".toml --json --quiet --set seed=3 --threads 2");
    EXPECT_EQ(whole["metrics"], threads["metrics"]) << model;
  }
}

TEST_F(EntitiesProgramTest, InterventionsAreAppliedOrRefused) {
  for (const std::string model : {"window", "recurrent"}) {
    const auto free = json("run " + model + ".toml --json --quiet");
    for (const std::string change :
         {"{ hold = \"uniform\", until = 40 }", "{ hold = \"truth\", until = 40 }",
          "{ ablate = \"layer.1.head.1\", until = 40 }", "{ freeze = \"attention\", until = 40 }"}) {
      const auto changed = json("run " + model + ".toml --json --quiet --set 'intervene=[" + change + "]'");
      EXPECT_NE(changed["metrics"]["loss"], free["metrics"]["loss"]) << model << ' ' << change;
    }
    for (const std::string change :
         {"{ hold = \"previous\", of = \"layer.1.head.1\" }", "{ hold = \"uniform\", of = \"layer.2\" }",
          "{ copy = 1, of = \"layer.1.head.1\" }"}) {
      const auto refused = fovea("run " + model + ".toml --quiet --set 'intervene=[" + change + "]'");
      EXPECT_EQ(refused.code, 2) << model << ' ' << change << refused.err;
    }
  }
  EXPECT_EQ(fovea("run window.toml --quiet --set task.name=keyword").code, 2);
}

}  // namespace
}  // namespace fovea
