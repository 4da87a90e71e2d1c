// What `fovea reproduce` shows of findings and claims.
#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;

class FindingsTest : public ProgramTest {};

TEST_F(FindingsTest, ReproduceEndsWithTheFindings) {
  const Outcome all = fovea("reproduce toy-lowloss --quiet");
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.out.find("more claim"), std::string::npos) << "of named experiments all claims are shown";
  const Outcome kept = fovea("reproduce --claims");
  EXPECT_NE(kept.out.find("4 of 4 claims are supported."), std::string::npos) << kept.out;
  EXPECT_EQ(json("reproduce --claims --json")["claims"].size(), 4u);
  // The experiments of the findings, cut at their start: verdicts differ, and the form of what is printed does not.
  const std::string shown = "reproduce --findings --set train.steps=1 --quiet";
  const Outcome findings = fovea(shown);
  ASSERT_EQ(findings.code, 0) << findings.err;
  for (const char* part :
       {"finding", "A low loss is possible without attention", "kept result of the full form", "not supported",
        "fovea reproduce copy-order --explain", "more claims of these experiments: fovea reproduce --claims"})
    EXPECT_NE(findings.out.find(part), std::string::npos) << part << "\n" << findings.out;
  EXPECT_EQ(json(shown + " --json")["findings"].size(), 12u);
  // Without --quiet each is told as soon as its claim is tested.
  const std::string heading = "A low loss is possible without attention";
  EXPECT_EQ(findings.err.find(heading), std::string::npos) << findings.err;
  const Outcome told = fovea("reproduce --findings --set train.steps=1");
  EXPECT_NE(told.err.find("supported: " + heading), std::string::npos) << told.err;
  EXPECT_EQ(told.out, findings.out);
}

TEST_F(FindingsTest, WhatIsAskedWronglySaysWhatToDo) {
  const Outcome both = fovea("reproduce --findings toy-uniform");
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.err.find("--findings and 'toy-uniform' both name experiments"), std::string::npos) << both.err;
  const Outcome none = fovea("reproduce --claims");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("Begin with: fovea reproduce --findings"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace fovea
