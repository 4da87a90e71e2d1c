// Texts and lines of numbers of one's own, as task `language` meets them: bad ones are refused before training.
#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;

class LanguageProgramTest : public ProgramTest {
 protected:
  void refused(const std::string& words, const std::vector<std::string>& parts) {
    const Outcome outcome = fovea("run language --quick --quiet " + words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_EQ(outcome.out, "") << words;
    EXPECT_LT(outcome.err.size(), 600u) << "one short paragraph";
    for (const std::string& part : parts) EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  }
};

TEST_F(LanguageProgramTest, BadTextsAreRefusedWithFileLineAndRemedy) {
  const std::string numbers = " --set task.tokens=numbers --set task.file=";
  write("negative.txt", "1 2 3\n4 -5 6\n");
  write("same.txt", "5 5 5 5\n5 5 5 5\n");
  write("gap.txt", "1 2 3\n\n4 5 6\n");
  write("latin.txt", "caf\xe9\n");
  refused(numbers + "negative.txt", {"negative.txt:2:3: the token -5 is negative. Number the tokens from 0"});
  refused(numbers + "same.txt", {"same.txt: has only one distinct training token: '5'"});
  refused(numbers + "gap.txt", {"gap.txt:2: the line is empty"});
  refused("--set task.file=latin.txt", {"latin.txt:1:4: is not UTF-8"});
  refused("--set task.file=none.txt", {"none.txt"});
}

TEST_F(LanguageProgramTest, LinesOfNumbersAreTrainedOnAndTheFileIsPinned) {
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += "1 2 3 4 1 2 3 4 1 2\n";
  write("n.txt", lines);
  const std::string words =
      "run language --quick --quiet --json --set task.tokens=numbers --set task.length=8 --set model.width=8 --set "
      "train.steps=5 --set task.file=n.txt";
  const auto run = json(words);
  EXPECT_LT(run["metrics"]["rung_bigram"], 0.1);
  const std::string pin = " --set task.digest=" + run["settings"]["task"]["digest"].get<std::string>();
  write("n.txt", lines + "1 2 3\n");
  const Outcome changed = fovea(words + pin);
  EXPECT_EQ(changed.code, 2);
  EXPECT_NE(changed.err.find("has changed since this run was made"), std::string::npos) << changed.err;
}

}  // namespace
}  // namespace fovea
