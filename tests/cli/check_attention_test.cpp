// The command's own part: it reads the file, and hands the texts to a Python. tests/python/program_test.py has the
// answers.
#include <filesystem>

#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;

class BelieveTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("texts.tsv", "yes\tone text\nno\tthe \"other\" text\n");
  }
  // As if the Python of this machine were a program that says what it is given.
  Outcome with_python(const std::string& script, const std::string& words) {
    write("python", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(folder_ / "python", std::filesystem::perms::owner_all);
    return fovea(words, "FOVEA_PYTHON=./python");
  }
};

TEST_F(BelieveTest, HandsTextsAndSettingsToPython) {
  const Outcome asked = with_python("cat", "check-attention texts.tsv --seeds 4 --longest 9 -o page.html --json");
  ASSERT_EQ(asked.code, 0) << asked.err;
  const auto question = nlohmann::json::parse(asked.out);
  EXPECT_EQ(question["texts"].dump(), R"(["one text","the \"other\" text"])");
  EXPECT_EQ(question["labels"].dump(), R"(["yes","no"])");
  EXPECT_EQ(question["settings"]["seeds"], 4);
  EXPECT_EQ(question["settings"]["longest"], 9);
  EXPECT_FALSE(question["settings"].contains("threads"));
  EXPECT_EQ(question["output"], "page.html");
  EXPECT_EQ(question["json"], true);
}

TEST_F(BelieveTest, PassesOverMalformedLinesWhereThatIsAsked) {
  write("texts.tsv", "yes\tone\nno\t\xff\nno\ttwo\n");
  const Outcome stopped = with_python("cat", "check-attention texts.tsv");
  EXPECT_EQ(stopped.code, 2);
  EXPECT_NE(stopped.err.find("--skip-bad"), std::string::npos) << stopped.err;
  const Outcome asked = with_python("cat", "check-attention texts.tsv --skip-bad");
  ASSERT_EQ(asked.code, 0) << asked.err;
  EXPECT_EQ(nlohmann::json::parse(asked.out)["texts"].dump(), R"(["one","two"])");
  EXPECT_NE(asked.err.find("1 malformed line is skipped"), std::string::npos) << asked.err;
}

TEST_F(BelieveTest, EndsAsPythonDoes) {
  EXPECT_EQ(with_python("exit 1", "check-attention texts.tsv").code, 1);
  EXPECT_EQ(with_python("exit 2", "check-attention texts.tsv").code, 2);
}

TEST_F(BelieveTest, SaysWhereThePackageIsMissing) {
  const Outcome without = fovea("check-attention texts.tsv", "FOVEA_PYTHON=/no/python");
  EXPECT_EQ(without.code, 1);
  EXPECT_NE(without.err.find("FOVEA_PYTHON names '/no/python', which cannot be started"), std::string::npos)
      << without.err;
  const Outcome bare = with_python("exec python3 -I -S \"$@\"", "check-attention texts.tsv");
  EXPECT_EQ(bare.code, 1) << bare.out;
  EXPECT_NE(bare.err.find("cannot import it: No module named 'fovea'. Install the package there"), std::string::npos)
      << bare.err;
  EXPECT_EQ(std::ranges::count(bare.err, '\n'), 1) << bare.err;
  // A run that needs the package ends with the same code, and is not stored.
  const Outcome run = fovea("run toy-uniform --engine torch --quiet", "FOVEA_PYTHON=/no/python");
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("FOVEA_PYTHON names '/no/python', which cannot be started"), std::string::npos) << run.err;
  EXPECT_EQ(json("runs --json")["runs"].size(), 0u);
}

TEST_F(BelieveTest, SaysWhatIsWrongBeforePythonIsAsked) {
  const auto says = [this](const std::string& words, const std::string& text) {
    const Outcome outcome = with_python("echo asked", "check-attention " + words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_EQ(outcome.out, "") << words;
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  };
  says("none.tsv", "there is no file, folder or corpus 'none.tsv'");
  says("texts.tsv -o page.pdf", "page.pdf: the name of the report must end with .html. Name it page.html.");
  says("texts.tsv --seeds 1", "--seeds");
  says("texts.tsv --format xml", "--format cannot be 'xml'");
  says("texts.tsv --text 3", "texts.tsv:1");
}

}  // namespace
}  // namespace fovea
