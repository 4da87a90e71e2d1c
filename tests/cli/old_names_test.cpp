// Commands, options, settings, probes and metrics by the names that they had before: each works, and one line says so.
#include <string>

#include "tests/cli/program.h"

namespace fovea {
namespace {

using Old = testing::ProgramTest;

std::string warning(const std::string& old, const std::string& now) {
  return "fovea: '" + old + "' is now '" + now + "'. The old name works through 1.x.\n";
}

std::string spec(const std::string& optional, const std::string& auc, const std::string& right) {
  return "task = { name = \"copy\", vocab = 8, length = 4 }\n"
         "model = { name = \"seq2seq\", embedding = 4, hidden = 4 }\n"
         "train = { steps = 10, batch = 4, stop_when = \"" +
         right +
         " > 2\" }\n"
         "probe = { every = 5, examples = 8, names = [\"accuracy\"], " +
         optional + " = [\"" + auc + "\", \"" + right +
         "\"] }\n"
         "[[claim]]\nname = \"right\"\ntitle = \"Attention is right.\"\nsays = \"Attention is right in every seed.\"\n"
         "metric = \"least(" +
         right + ")\"\nat_least = 0\nnull = { value = -1, means = \"never right\" }\n";
}

TEST_F(Old, SpecIsTheSameRunAndWarnsOnceOfEachName) {
  write("old.toml", spec("where_able", "beta_top1", "attention_accuracy"));
  write("new.toml", spec("optional", "beta_points_right", "attention_points_right"));
  const Outcome old = fovea("run old.toml --quiet");
  ASSERT_EQ(old.code, 0) << old.err;
  for (const auto& [before, now] :
       {std::pair("probe.where_able", "probe.optional"), std::pair("beta_top1", "beta_points_right"),
        std::pair("attention_accuracy", "attention_points_right")}) {
    const std::size_t at = old.err.find(warning(before, now));
    ASSERT_NE(at, std::string::npos) << old.err;
    EXPECT_EQ(old.err.find(warning(before, now), at + 1), std::string::npos) << old.err;
  }
  const auto found = json("sweep new.toml --seeds 0 --quiet --json");
  EXPECT_EQ(found["found"], 1) << "the same hash";
  const Outcome again = fovea("sweep new.toml --seeds 0 --quiet");
  EXPECT_EQ(again.err.find("is now"), std::string::npos) << again.err;
  const auto claims = json("reproduce old.toml --quick --quiet --json");
  EXPECT_EQ(claims["claims"][0]["verdict"], "supported") << claims.dump();
}

TEST_F(Old, NamesWorkInConditionsOrdersAndColumns) {
  write("new.toml", spec("optional", "beta_points_right", "attention_points_right"));
  ASSERT_EQ(fovea("run new.toml --quiet").code, 0);
  const Outcome where = fovea("runs --where 'attention_accuracy >= 0' --sort -beta_top1 --show beta_top1");
  EXPECT_EQ(where.code, 0) << where.err;
  EXPECT_NE(where.err.find(warning("attention_accuracy", "attention_points_right")), std::string::npos) << where.err;
  EXPECT_NE(where.err.find(warning("beta_top1", "beta_points_right")), std::string::npos) << where.err;
  EXPECT_NE(where.out.find("1"), std::string::npos) << where.out;
  EXPECT_EQ(fovea("run new.toml --quiet --set 'probe.where_able=[\"beta_top1\",\"attention_accuracy\"]'").code, 0);
}

TEST_F(Old, CommandsAndOptionsWork) {
  write("new.toml", spec("optional", "beta_points_right", "attention_points_right"));
  const Outcome first = fovea("sweep new.toml --seeds 0 --quiet --again --fresh");
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.err.find(warning("--again", "--retrain")), std::string::npos) << first.err;
  EXPECT_NE(first.err.find(warning("--fresh", "--ignore-checkpoint")), std::string::npos) << first.err;
  const Outcome look = fovea("look 99");
  EXPECT_EQ(look.code, 2);
  EXPECT_NE(look.err.find(warning("look", "inspect")), std::string::npos) << look.err;
  const Outcome believe = fovea("believe nowhere.tsv");
  EXPECT_NE(believe.err.find(warning("believe", "check-attention")), std::string::npos) << believe.err;
  EXPECT_EQ(fovea("inspect 99").err.find("is now"), std::string::npos);
  const std::string help = fovea("sweep --help").out + fovea("--help").out;
  for (const char* old : {"--again", "--fresh", "believe", "  look "})
    EXPECT_EQ(help.find(old), std::string::npos) << old;
}

}  // namespace
}  // namespace fovea
