// Bad texts as a person meets them: each is refused with what is wrong, where and what to do, and leaves nothing
// behind.
#include <sys/stat.h>

#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;

class BadTextTest : public ProgramTest {
 protected:
  static std::string reviews(const std::string& extra = {}) {
    std::string table;
    for (int i = 0; i < 40; ++i) table += i % 2 ? "good\ta fine film\n" : "bad\ta dull film\n";
    return table + extra;
  }

  void refused(const std::string& words, const std::vector<std::string>& parts) {
    const Outcome outcome = fovea("data add mine --label 1 --text 2 --quiet " + words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_EQ(outcome.out, "") << words;
    EXPECT_LT(outcome.err.size(), 600u) << "one short paragraph";
    for (const std::string& part : parts) EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_EQ(fovea("data show mine").code, 2) << "nothing is left of it";
  }
};

TEST_F(BadTextTest, FilesWithoutTexts) {
  write("empty.tsv", "");
  write("header.csv", "label,text\n");
  refused("--train empty.tsv", {"empty.tsv: is empty"});
  refused("--train header.csv --header yes", {"header.csv: has no text"});
}

TEST_F(BadTextTest, OneClassOnly) {
  write("one.tsv", "good\tfine\ngood\tvery fine\ngood\tfiner\n");
  refused("--train one.tsv", {"one.tsv: all 3 texts have the label 'good'"});
}

// Whoever takes the column of a number for that of the class.
TEST_F(BadTextTest, ALabelForEachText) {
  std::string numbered;
  for (int n = 0; n < 40; ++n) numbered += std::to_string(n) + "\ta film\n";
  write("numbered.tsv", numbered);
  refused("--train numbered.tsv",
          {"numbered.tsv: 40 texts have 40 different labels", "Check the column of the labels"});
  const Outcome predicted = fovea("predict numbered.tsv");
  EXPECT_EQ(predicted.code, 2);
  EXPECT_NE(predicted.err.find("numbered.tsv: 40 texts have 40 different labels"), std::string::npos) << predicted.err;
}

TEST_F(BadTextTest, ALabelThatTrainingLacks) {
  write("train.tsv", reviews());
  write("dev.tsv", "good\tfine\nugly\tno\n");
  refused("--train train.tsv --dev dev.tsv", {"dev.tsv:2: the label 'ugly' is not in the training data"});
}

TEST_F(BadTextTest, ALineOfTenMillionCharacters) {
  write("long.tsv", reviews("good\t" + std::string(10'000'000, 'x') + "\nbad\tshort\n"));
  refused("--train long.tsv", {"long.tsv:41: ", "longer than"});
  const nlohmann::json kept =
      json("data add mine --label 1 --text 2 --train long.tsv --skip-bad --json --dev-share 0.2 --test-share 0");
  EXPECT_EQ(kept["files"][0]["skipped"], 1);
  EXPECT_EQ(kept["files"][0]["read"], 41) << "the line behind it is read";
}

TEST_F(BadTextTest, BytesThatAreNotUtf8) {
  write("latin.tsv", reviews("good\tcaf\xe9\n"));
  refused("--train latin.tsv", {"latin.tsv:41:", "is not UTF-8"});
}

TEST_F(BadTextTest, LinesThatEndInCarriageReturnsAlone) {
  write("mac.csv", "label,text\rgood,fine\rbad,dull\r");
  refused("--train mac.csv", {"mac.csv: is one line with carriage returns in it", "tr '\\r' '\\n'"});
}

TEST_F(BadTextTest, FilesOfTranslationsComeInPairs) {
  write("a.de", "ein Haus\nzwei\n");
  write("a.en", "a house\ntwo\n");
  refused("--train a.de --train-target a.en --dev a.de", {"--dev has no file of translations", "--dev-target"});
  refused("--train a.de --train-target a.en --test-target a.en", {"--test-target", "--test is missing"});
}

TEST_F(BadTextTest, APathThatLeadsNowhere) {
  std::filesystem::create_directory_symlink("circle", folder_ / "circle");
  const Outcome outcome = fovea("data add mine --train circle");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err.find("printed"), std::string::npos) << outcome.err;
}

TEST_F(BadTextTest, ASplitWithoutTexts) {
  write("films.tsv", reviews());
  ASSERT_EQ(fovea("data add films --train films.tsv --label 1 --text 2 --quiet --test-share 0").code, 0);
  const Outcome outcome = fovea("run text-classify --quick --quiet --set task.corpus=films --set probe.split=test");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("task 'text-classify' has no examples to evaluate: its split \"test\" is empty"),
            std::string::npos)
      << outcome.err;
}

TEST_F(BadTextTest, WhatATerminalWouldObeyIsShownWrittenOut) {
  std::string all;
  for (int i = 0; i < 20; ++i) all += "go\x1b[1mod\t\x1b[2Ja fine film\nbad\t\x1b[2Ja dull film\n";
  write("fi\x1b[31mlms.tsv", all);
  ASSERT_EQ(fovea("data add films --train 'fi\x1b[31mlms.tsv' --label 1 --text 2 --quiet").code, 0);
  for (const char* const command : {"data show films", "data list"}) {
    const std::string said = fovea(command).out;
    EXPECT_EQ(said.find('\x1b'), std::string::npos) << said;
    EXPECT_NE(said.find("fi\\u{1b}[31mlms.tsv"), std::string::npos) << said;
  }
  const std::string said = fovea("data show films").out;
  EXPECT_NE(said.find("go\\u{1b}[1mod"), std::string::npos) << said;
  EXPECT_NE(said.find("\\u{1b}[2Ja "), std::string::npos) << said;
  EXPECT_EQ(fovea("data rm films").code, 0);
  EXPECT_EQ(fovea("data show films").code, 2);
}

TEST_F(BadTextTest, TooFewPiecesForTheLetters) {
  const Outcome outcome = fovea("run text-translate --full --quiet --set task.vocab=16");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("16 pieces are too few"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("Set task.vocab to "), std::string::npos) << outcome.err;
}

TEST_F(BadTextTest, APipeIsNotReadTwice) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  refused("--format tsv --train pipe", {"pipe: can be read only once, and the training texts must be read twice"});
}

TEST_F(BadTextTest, ParallelFilesOfDifferentLength) {
  write("a.de", "ein Haus\nzwei\ndrei\n");
  write("a.en", "a house\ntwo\nthree\nfour\n");
  const Outcome outcome = fovea("data add mine --train a.de --train-target a.en --quiet");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("has 3 lines, but a.en has 4; line 4 is the first line without a partner"),
            std::string::npos)
      << outcome.err;
}

// Weights know words by their number: those of another vocabulary would be other words, even if they were as many.
TEST_F(BadTextTest, AVocabularyThatDoesNotFitTheModels) {
  write("films.tsv", reviews());
  write("books.tsv", "good\ta fine book\nbad\ta long dull book\n" + reviews());
  for (const char* name : {"films", "books"})
    ASSERT_EQ(fovea(std::string("data add ") + name + " --train " + name + ".tsv --label 1 --text 2 --quiet").code, 0);
  const std::string train =
      "run text-classify --quick --quiet --set task.min_count=1 --set train.steps=2 --set model.hidden=4 --set "
      "model.embedding=4 --set model.score_hidden=4 --set train.keep_weights=always ";
  ASSERT_EQ(fovea(train + "--set task.corpus=films").code, 0);
  const Outcome outcome = fovea(train + "--set task.corpus=books --set 'intervene=[{ transplant = 1 }]'");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("run 1 has another vocabulary, made for corpus \"films\""), std::string::npos)
      << outcome.err;
  EXPECT_EQ(fovea(train + "--set task.corpus=books --set 'intervene=[{ transplant = 1, of = \"attention\" }]'").code, 0)
      << "attention knows no words";
  EXPECT_EQ(fovea(train + "--seed 1 --set task.corpus=films --set 'intervene=[{ transplant = 1 }]'").code, 0);
}

}  // namespace
}  // namespace fovea
