// An experiment in stages, as a person runs it.
#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;

class StagesTest : public ProgramTest {
 protected:
  // Four heads alone, then pairs of those whose first loss is as any untrained model's.
  void write_heads(const std::string& limit) const {
    write("heads.toml", R"toml(
task = { name = "copy", vocab = 5, length = 3 }
model = { name = "seq2seq-heads", hidden = 4, embedding = 4, heads = [0] }
train = { steps = 2, batch = 2, start = 0 }
probe = { every = 1, examples = 2, names = ["accuracy", "loss"] }
sweep = { "model.heads" = "[0]..[3]", seed = "0..1" }
[[stage]]
combine = "model.heads"
draws = 3
first_seed = 10
kinds = [{ name = "sane", when = "most(first(loss)) < )toml" +
                            limit + R"toml(" }]
groups = [{ name = "pair", take = { sane = 2 } }]
[[claim]]
says = "Pairs are trained"
metric = "share(loss < 99 | group = \"pair\")"
at_least = 1
)toml");
  }
};

TEST_F(StagesTest, AreReproducedSweptAndNotRunAgain) {
  write_heads("9");
  const auto first = json("reproduce heads.toml --json --quiet");
  ASSERT_EQ(first["experiments"][0]["runs"].size(), 8u + 3u);
  EXPECT_TRUE(first["claims"][0]["held"].get<bool>()) << first["claims"].dump();
  EXPECT_FALSE(first["claims"][0].contains("note"));
  EXPECT_EQ(json("reproduce heads.toml --json --quiet")["experiments"][0]["runs"], first["experiments"][0]["runs"]);
  const auto swept = json("sweep heads.toml --json --quiet")["runs"];
  ASSERT_EQ(swept.size(), 11u);
  EXPECT_EQ(swept[8]["settings"]["model"]["heads"].size(), 2u);
  EXPECT_EQ(swept[8]["seed"], 10);
  EXPECT_EQ(swept[8]["settings"]["train"]["start"], 0);
  EXPECT_EQ(json("runs --json --limit -1")["runs"].size(), 11u);
  EXPECT_EQ(json("run heads.toml --json --quiet")["settings"]["model"]["heads"].size(), 1u);
}

TEST_F(StagesTest, TooFewToDrawFromIsSaid) {
  write_heads("0");
  const auto claim = json("reproduce heads.toml --json --quiet")["claims"][0];
  EXPECT_FALSE(claim["held"].get<bool>());
  EXPECT_TRUE(claim["value"].is_null());
  const std::string note = claim["note"].get<std::string>();
  EXPECT_NE(note.find("group 'pair' could not be drawn. It takes 2 sane: of 4 values of model.heads 0 are sane"),
            std::string::npos)
      << note;
  const Outcome swept = fovea("sweep heads.toml --quiet");
  EXPECT_EQ(swept.code, 0);
  EXPECT_NE(swept.err.find("group 'pair' could not be drawn"), std::string::npos) << swept.err;
}

}  // namespace
}  // namespace fovea
