#include <algorithm>
#include <set>

#include "fovea/base/random.h"
#include "fovea/data/tasks/files/token_windows.h"
#include "tests/data/tasks/streams/stream_help.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

TEST(TokenWindows, AreDrawnFromAllPlacesAndFollowOneAnother) {
  TokenTexts texts;
  for (const int size : {7, 1, 2, 3}) {
    texts.begin();
    for (int i = 0; i < size; ++i) texts.token(10 * size + i);
  }
  const TokenWindows windows(texts, 3);
  const auto tokens = [](std::span<const int> window) { return std::vector<int>(window.begin(), window.end()); };
  ASSERT_EQ(windows.starts(), 4 + 0 + 1 + 1);
  EXPECT_EQ(tokens(windows.start(texts, 0)), (std::vector<int>{70, 71, 72, 73}));
  EXPECT_EQ(tokens(windows.start(texts, 3)), (std::vector<int>{73, 74, 75, 76}));
  EXPECT_EQ(tokens(windows.start(texts, 4)), (std::vector<int>{20, 21}));
  EXPECT_EQ(tokens(windows.start(texts, 5)), (std::vector<int>{30, 31, 32}));
  ASSERT_EQ(windows.in_turn(), 2 + 0 + 1 + 1);
  EXPECT_EQ(tokens(windows.of_turn(texts, 1)), (std::vector<int>{73, 74, 75, 76}));
  EXPECT_EQ(tokens(windows.of_turn(texts, 2)), (std::vector<int>{20, 21}));
}

class LanguageTest : public WithScratchFolder {
 protected:
  ValueTable of_file(const std::string& name, const std::string& bytes, const std::string& tokens, int length) const {
    return table({{"file", word(put(name, bytes))}, {"tokens", word(tokens)}, {"length", whole(length)}});
  }
  std::string refused(const std::string& bytes, const std::string& tokens, int length = 4) const {
    return complaint("language", of_file("text", bytes, tokens, length));
  }
  static std::string lines(int count, const std::string& line) {
    std::string all;
    for (int i = 0; i < count; ++i) all += line + "\n";
    return all;
  }
  static std::string rows(const Task& task, const Tokens& tokens, int row) {
    std::string text;
    for (int t = 0; t < tokens.lengths[static_cast<std::size_t>(row)]; ++t) text += task.word(tokens.at(row, t));
    return text;
  }
};

TEST_F(LanguageTest, IsPureAndHasALadder) {
  expect_pure("language", {});
  expect_ladder("language", table({{"length", whole(24)}}), 2);  // what is in the context is above the bigram only
}

TEST_F(LanguageTest, RungsOfATextOfChains) {  // a letter is told by the two before it, not by one
  std::string text;
  RandomStream stream(1, "text");
  for (int i = 0; i < 2000; ++i) text += stream.integer(2) ? "abcb" : "cbab";
  const auto task = make_task("language", of_file("chain.txt", text, "characters", 32));
  const Batch batch = draw(*task, Split::validation, 0, 20);
  const double uniform = cross_entropy(*task, batch, "uniform"), bigram = cross_entropy(*task, batch, "bigram");
  EXPECT_NEAR(uniform, std::log(4.0), 1e-6);  // a, b, c and what is unknown
  EXPECT_LT(cross_entropy(*task, batch, "unigram"), uniform);
  EXPECT_LT(bigram, cross_entropy(*task, batch, "unigram") - 0.3);
  EXPECT_LT(cross_entropy(*task, batch, "trigram"), bigram);
  EXPECT_NEAR(cross_entropy(*task, batch, "in-context"), bigram, 0.05);
}

TEST_F(LanguageTest, TheWindowTellsWhatTrainingDoesNot) {
  const std::string text = lines(200, "abcd") + std::string(20, 'x') + lines(30, "adcb") + std::string(28, 'y');
  const auto task = make_task("language", of_file("late.txt", text, "characters", 64));
  const Batch batch = draw(*task, Split::validation, 0, 1);
  EXPECT_LT(cross_entropy(*task, batch, "in-context"), cross_entropy(*task, batch, "bigram") - 0.1);
}

TEST_F(LanguageTest, ASourceIsAWindowAndItsTargetTheNextTokens) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "one two\tthree\n";
  const auto task = make_task("language", of_file("plain.txt", text, "characters", 10));
  const Batch batch = draw(*task, Split::validation, 0, 2);
  const std::string kept_back = text.substr(text.size() - text.size() / 10);
  EXPECT_EQ(task->examples(Split::validation), 13);  // windows of 140 characters
  EXPECT_EQ(rows(*task, batch.source, 0), "one␣two⇥th");
  EXPECT_EQ(rows(*task, batch.target, 0), "ne␣two⇥thr");
  EXPECT_EQ(rows(*task, batch.source, 1), "ree⏎one␣tw");
  EXPECT_EQ(kept_back.substr(0, 3), "one");
  EXPECT_EQ(draw(*task, Split::validation, 1, 10).size, 3);
  EXPECT_EQ(draw(*task, Split::test, 0, 10).size, 0);
  const Batch drawn = draw(*task, Split::train, 0, 64);
  std::set<std::string> begins;
  for (int row = 0; row < 64; ++row) begins.insert(rows(*task, drawn.source, row));
  EXPECT_EQ(begins.size(), 14u) << "windows begin at all places";
}

TEST_F(LanguageTest, WhatTrainingLacksIsUnknownAndCharactersStayWhole) {
  const auto task = make_task("language", of_file("late.txt", lines(90, "äöü") + lines(10, "äßü"), "characters", 8));
  const Batch batch = draw(*task, Split::validation, 0, 1);
  EXPECT_EQ(rows(*task, batch.source, 0), "ä<unknown>ü⏎ä<unknown>ü⏎");
  EXPECT_EQ(task->cut("ä ü"), (std::vector<std::string>{"ä", "␣", "ü"}));
  EXPECT_EQ(task->shape().vocab, 5);
}

TEST_F(LanguageTest, SubwordsKeepLineEnds) {
  auto settings = of_file("plain.txt", lines(40, "the cat sat on the mat") + lines(40, "a dog ran"), "subwords", 16);
  settings["vocab"] = whole(30);
  const auto task = make_task("language", settings);
  const Batch batch = draw(*task, Split::validation, 0, 1);
  const std::string text = rows(*task, batch.source, 0);
  EXPECT_NE(text.find("⏎▁a"), std::string::npos) << text;
  EXPECT_LE(task->shape().vocab, 30);
}

TEST_F(LanguageTest, LinesOfNumbersAreSequencesOfTheirOwn) {
  const auto task = make_task("language", of_file("n.txt", lines(9, "7 7 7 7 7 50000") + "50000 7 1\n", "numbers", 5));
  EXPECT_EQ(task->word(1), "7");
  EXPECT_EQ(task->shape().vocab, 3);
  const Batch drawn = draw(*task, Split::train, 0, 8), kept_back = draw(*task, Split::validation, 0, 8);
  for (int row = 0; row < 8; ++row) EXPECT_EQ(rows(*task, drawn.target, row), "777750000");
  ASSERT_EQ(kept_back.size, 1);
  EXPECT_EQ(kept_back.source.lengths[0], 2) << "a shorter line is a shorter window";
  EXPECT_EQ(rows(*task, kept_back.target, 0), "7<unknown>");
  EXPECT_EQ(kept_back.target.at(0, 2), -1);
}

TEST_F(LanguageTest, OneLineOfNumbersIsParted) {
  std::string line;
  for (int i = 0; i < 100; ++i) line += std::to_string(i % 3) + " ";
  const auto task = make_task("language", of_file("n.txt", line, "numbers", 5));
  EXPECT_EQ(task->examples(Split::validation), 1);
}

TEST_F(LanguageTest, ASpecIsTheSameDataForEver) {
  const std::string file = put("text", lines(100, "some text")).string();
  const auto task = Registry<Task>::instance().make("language", "task");
  Fields fields;
  task->settings(fields);
  fields.read(table({{"file", word(file)}, {"length", whole(4)}}), "task");
  task->pin();
  task->prepare(1);
  put("text", lines(100, "other text"));
  EXPECT_SAYS(wrong_input_of([&] { task->prepare(1); }), "has changed since this run was made: its digest is ");
  EXPECT_SAYS(complaint("language", table({{"digest", word("0")}})), "has changed since this run was made");
}

TEST_F(LanguageTest, TextsThatCannotBeModelled) {
  const ValueTable missing = table({{"file", word((folder_ / "none.txt").string())}});
  EXPECT_SAYS(complaint("language", missing), "none.txt");
  EXPECT_SAYS(complaint("language", table({{"file", word(folder_.string())}})), "folder");
  EXPECT_SAYS(refused("", "characters"), "text: is empty");
  EXPECT_SAYS(refused("x", "characters"), "is too short: it has 1 tokens");
  EXPECT_SAYS(refused(lines(3, "abcdef"), "characters", 8), "is shorter than a window: it has 19 tokens for training");
  EXPECT_SAYS(refused(lines(3, "abcdef"), "characters", 8), "Set task.length to 1 or less, or use a longer text");
  EXPECT_SAYS(refused(std::string(1000, 'x'), "characters"), "has only one distinct training token: 'x', 900 times");
  EXPECT_SAYS(refused(lines(9, "fine") + "caf\xe9 \n", "characters"), "text:10:4: is not UTF-8");
  EXPECT_SAYS(complaint("language", table({{"tokens", word("numbers")}})), "a corpus has texts");
  EXPECT_SAYS(complaint("language", table({{"corpus", word("made-reviewz")}})), "there is no corpus 'made-reviewz'");
}

TEST_F(LanguageTest, NumbersThatCannotBeModelled) {
  const std::string good = lines(20, "1 2 3 4 5 6");
  EXPECT_SAYS(refused(good + "1 -2 3\n", "numbers"), "text:21:3: the token -2 is negative");
  EXPECT_SAYS(refused(good + "1 2.5 3\n", "numbers"), "text:21:3: '2.5' is not a whole number");
  EXPECT_SAYS(refused(good + "1 2 99999999999\n", "numbers"), "text:21:5: the token 99999999999 is larger than");
  EXPECT_SAYS(refused(good + "1 99999999999999999999\n", "numbers"), "text:21:3: the token 9999999999");
  EXPECT_SAYS(refused(good + "\n1 2\n", "numbers"), "text:21: the line is empty");
  EXPECT_SAYS(refused(good + "4 \xff\n", "numbers"), "text:21:3: is not UTF-8");
  EXPECT_SAYS(refused(lines(20, "5 5 5 5 5"), "numbers"), "has only one distinct training token: '5', 90 times");
  EXPECT_SAYS(refused(good, "numbers", 6), "has at most 6 tokens in a training line, and a window of 6 needs one");
  EXPECT_SAYS(refused(good, "numbers", 6), "Set task.length to 5 or less");
  EXPECT_SAYS(refused(lines(20, "1"), "numbers"), "is too short: it has 1 tokens in a line for training");
  std::string longest;
  for (int i = 0; i < 1'000'001; ++i) longest += "1 ";
  EXPECT_SAYS(refused("2 3\n" + longest + "\n", "numbers"), "the line has more than 1000000 tokens");
}

}  // namespace
}  // namespace fovea
