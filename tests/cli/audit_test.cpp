#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;

TEST_F(ProgramTest, AuditsARunThatWasTrainedWithoutIt) {
  write("mine.toml", R"(
title = "a small keyword classifier"
task = { name = "keyword", vocab = 10, length = 6 }
model = { name = "gated-classifier", hidden = 8, embedding = 8 }
train = { steps = 60, batch = 16, rate = 1e-2 }
probe = { every = 10, examples = 40, names = ["accuracy"] }
)");
  ASSERT_EQ(fovea("run mine.toml --quiet").code, 0);
  const Outcome first = fovea("audit 1 --quiet");
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find("bit for bit"), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("hidden states reflect local words"), std::string::npos);
  const auto again = json("audit 1 --json");
  EXPECT_EQ(again["audited_run"], 2);
  EXPECT_EQ(again["assumptions"].size(), 5u);
  EXPECT_EQ(fovea("audit 7").code, 2);
}

TEST_F(ProgramTest, RefusesToAuditWhatReadsNoWords) {
  ASSERT_EQ(fovea("run feature-free --quick --quiet --set train.steps=1").code, 0);
  const Outcome outcome = fovea("audit 1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("an audit needs words"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace fovea
