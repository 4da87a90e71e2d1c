// `fovea inspect` at a run of streams, head by head, place by place and step by step; and heads that are held.
#include "tests/cli/program.h"

namespace fovea {
namespace {

class InspectTest : public testing::ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("chains.toml",
          "task = { name = \"markov-icl\", states = 3, length = 6 }\n"
          "model = { name = \"transformer\", layers = 2, heads = 2, width = 8, start = 0.5 }\n"
          "train = { steps = 20, batch = 4 }\n"
          "probe = { every = 10, examples = 8, names = [\"loss\", \"evidence\"] }\n");
    ASSERT_EQ(fovea("run chains.toml --quiet").code, 0);
  }
};

TEST_F(InspectTest, EveryHeadOfAStreamIsSeenPlaceByPlace) {
  const auto all = json("inspect 1 --json");
  EXPECT_EQ(all["maps"],
            nlohmann::json({"attention", "layer.1.head.1", "layer.1.head.2", "layer.2.head.1", "layer.2.head.2"}));
  EXPECT_EQ(all["source"].size(), 6u);
  EXPECT_EQ(all["target"], all["source"]) << "a row is a position";
  EXPECT_EQ(all["step"], 20);
  ASSERT_EQ(all["α"].size(), 6u);
  EXPECT_EQ(all["α"][0], nlohmann::json({1.0, 0.0, 0.0, 0.0, 0.0, 0.0}));

  const auto head = json("inspect 1 --map layer.1.head.2 --json"),
             other = json("inspect 1 --map layer.1.head.1 --json");
  EXPECT_NE(head["α"], other["α"]);
  const auto place = json("inspect 1 --map layer.1.head.2 --row 4 --json");
  EXPECT_EQ(place["α"][0], head["α"][3]);
  const auto before = json("inspect 1 --map layer.1.head.2 --step 15 --json");
  EXPECT_EQ(before["step"], 10);
  EXPECT_NE(before["α"], head["α"]);

  const auto text = fovea("inspect 1 --map layer.2.head.1 --row 4").out;
  EXPECT_NE(text.find("run 1, example 1, step 20, position 4, '"), std::string::npos) << text;
  EXPECT_NE(text.find("α is the map 'layer.2.head.1'"), std::string::npos) << text;
}

TEST_F(InspectTest, WhatIsNotThereIsSaidWithWhatIs) {
  EXPECT_NE(
      fovea("inspect 1 --row 7").err.find("--row: the example has 6 rows, and no row 7. Choose a number from 1 to 6."),
      std::string::npos);
  EXPECT_NE(fovea("inspect 1 --map layer.1.head.3").err.find("Did you mean 'layer.1.head.1'?"), std::string::npos)
      << fovea("inspect 1 --map layer.1.head.3").err;
  EXPECT_EQ(fovea("inspect 1 --row 7").code, 2);
  EXPECT_NE(fovea("inspect 1 --step -1").err.find("has no evaluation of"), std::string::npos)
      << fovea("inspect 1 --step -1").err;
  const auto held = fovea("run chains.toml --quiet --set 'intervene=[{ hold = \"previous\", of = \"layer.3\" }]'");
  EXPECT_EQ(held.code, 2);
  EXPECT_NE(held.err.find("there is no layer.3"), std::string::npos) << held.err;
}

}  // namespace
}  // namespace fovea
