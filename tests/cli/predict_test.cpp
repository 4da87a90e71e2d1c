#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;
using fovea::testing::says;

TEST_F(ProgramTest, PredictsThatPermutationsAreHardAndSubsetsAreNot) {
  const auto hard = json("predict copy --set task.vocab=40 --set task.length=40 --json");
  EXPECT_EQ(hard["verdict"], "hard");
  EXPECT_LE(std::abs(hard["signal"].get<double>()), hard["error"].get<double>());
  EXPECT_TRUE(hard["course"]["attention_half"].is_null());
  const auto subset = json("predict copy --set task.vocab=60 --set task.length=40 --json");
  EXPECT_EQ(subset["verdict"], "early");
  EXPECT_NEAR(subset["signal"].get<double>(), 20.0 / 59, 0.01);
}

TEST_F(ProgramTest, PredictsFromTextAndShadesExamples) {
  std::string lines;
  for (int n = 0; n < 400; ++n) {
    const bool good = n % 2 == 0;
    lines += std::string(good ? "pos" : "neg") + "\tthe film w" + std::to_string(n * 7 % 31) + " was " +
             (good ? "fine" : "awful") + " x" + std::to_string(n * 5 % 23) + "\n";
  }
  write("reviews.tsv", lines);
  write("new.txt", "the film was awful\nunknown words fine\n");
  const auto p = json("predict reviews.tsv --examples new.txt --json");
  EXPECT_EQ(p["verdict"], "early");
  EXPECT_GT(p["signal"].get<double>(), 0.95);
  const auto weights = p["attention"][0]["weights"][0];
  EXPECT_GT(weights[3].get<double>(), 0.5);
  EXPECT_GT(p["attention"][1]["weights"][0][2].get<double>(), 0.5);
  const Outcome text = fovea("predict reviews.tsv --examples new.txt");
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("awful█"), std::string::npos) << text.out;
}

TEST_F(ProgramTest, PredictsWhatAnExperimentTrainsOnAndCutsTextsAsItDoes) {
  write("new.txt", "The plot was DULL!\n");
  const auto of_words = json("predict text-classify --quick --examples new.txt --json");
  EXPECT_EQ(of_words["attention"][0]["input"].dump(), R"(["the","plot","was","dull","!"])");
  EXPECT_GT(of_words["attention"][0]["weights"][0][3].get<double>(), 0.5);
  write("new.txt", "malu rosi\tred dog\n");
  EXPECT_EQ(json("predict text-translate --quick --examples new.txt --json")["attention"][0]["input"][0], "malu")
      << "the quick form is of words";
  EXPECT_EQ(json("predict text-translate --full --examples new.txt --json")["attention"][0]["input"][0], "▁ma")
      << "the full form is of pieces, learned from the texts";
}

TEST_F(ProgramTest, PredictsFromSeveralColumnsOfText) {
  std::string lines;
  for (int n = 0; n < 400; ++n)
    lines += fmt::format("{}\tthe film {}\twas {}\n", n % 2 ? "no" : "yes", n, n % 2 ? "awful" : "lovely");
  write("reviews.tsv", lines);
  const Outcome outcome = fovea("predict reviews.tsv --text 2,3");
  EXPECT_NE(outcome.out.find("From 400 examples, 5 words each"), std::string::npos) << outcome.out << outcome.err;
}

TEST_F(ProgramTest, FindsTheColumnsOfATextByTheirNames) {
  std::string rows, turned;
  for (int i = 0; i < 40; ++i) {
    const std::string text = i % 2 ? "a dull story" : "a fine story", label = i % 2 ? "bad" : "good";
    rows += text + " " + std::to_string(i) + "," + label + "\n";
    turned += label + "," + text + " " + std::to_string(i) + "\n";
  }
  write("usual.csv", "label,text\n" + turned);
  write("named.csv", "Sentence,Class\n" + rows);
  write("plain.csv", rows);
  const auto usual = json("predict usual.csv --json");
  for (const char* words : {"named.csv", "plain.csv --label 2", "named.csv --label Class"}) {
    auto found = json(std::string("predict --json ") + words);
    EXPECT_EQ(found["signal"], usual["signal"]) << words;
  }
  EXPECT_TRUE(says(fovea("predict named.csv").err,
                   "named.csv: the label is the column 'Class', and the text is the column 'Sentence'."));
  const Outcome added = fovea("data add mine --train named.csv");
  EXPECT_EQ(added.code, 0) << added.err;
  EXPECT_TRUE(says(added.err, "the label is the column 'Class'"));
  EXPECT_EQ(fovea("predict plain.csv --label 2 --text 1").out, fovea("predict plain.csv --label 2").out);
}

TEST_F(ProgramTest, ErrorsAreNotCalledPlateaus) {
  const std::string errors = fovea("predict task-diversity --quiet").out;
  EXPECT_TRUE(says(errors, "Errors on new tasks:\n"));
  EXPECT_EQ(errors.find("plateau"), std::string::npos) << errors;
  EXPECT_TRUE(says(fovea("predict linear-icl").out, "Loss plateaus:\n"));
}

// Of thirty texts no word is strong evidence, but the likely ones are listed. Texts that are pasted four times count
// once.
TEST_F(ProgramTest, PredictsFromFewTextsWithWhatWouldSettleIt) {
  std::string lines;
  for (int n = 0; n < 30; ++n)
    lines += fmt::format("{}\ton day {}, {} a{}\n", n % 2 ? "complaint" : "praise", n,
                         n % 2 && n % 10 != 1 ? "refund" : "word", (n * n * 7 + n) % 9);
  write("few.tsv", lines);
  const Outcome once = fovea("predict few.tsv");
  EXPECT_EQ(once.out.find("Attention is predicted to move to 'refund' and 'word'. Measure it after training."), 0u)
      << once.out << once.err;
  EXPECT_TRUE(
      std::regex_search(once.out, std::regex(R"(\ncomplaint  refund +12 +0 +\d\.\d  probable  \d\.\d+ × uniform\n)")))
      << once.out;
  EXPECT_NE(once.out.find(" distinct texts would make 'refund' strong evidence."), std::string::npos) << once.out;
  EXPECT_EQ(once.out.find("none"), std::string::npos) << once.out;
  const auto alone = json("predict few.tsv --json");
  write("few.tsv", lines + lines + lines + lines);
  const auto copied = json("predict few.tsv --json");
  EXPECT_EQ(alone["copies"], 0);
  EXPECT_EQ(copied["copies"], 90);
  EXPECT_EQ(copied["outputs"], alone["outputs"]);
  EXPECT_NE(fovea("predict few.tsv").out.find("(90 copies are not counted)"), std::string::npos);
}

// Labelled texts that both have the word "refund", written in two ways.
std::string sixty_orders() {
  std::string lines;
  for (int n = 0; n < 60; ++n)
    lines += fmt::format("{}\tOrder {}: {}\n", n % 2 ? "complaint" : "question", n,
                         n % 2 ? "REFUND, now 😡!" : "\"refund\"?");
  return lines;
}

TEST_F(ProgramTest, CutsTheTextsOfAFileAsClassifiersDo) {
  write("few.tsv", sixty_orders());
  const auto p = json("predict few.tsv --json");
  std::vector<std::string> words;
  for (const auto& output : p["outputs"])
    for (const auto& word : output["candidates"]) words.push_back(word["word"]);
  for (const char* one : {"😡", "!", "now", "?", "\""})
    EXPECT_NE(std::ranges::find(words, one), words.end()) << p["outputs"].dump();
  EXPECT_EQ(std::ranges::find(words, "refund"), words.end()) << "is in every text";
  EXPECT_EQ(std::ranges::find(words, "order"), words.end()) << "is in every text, of which one class has the longer";
}

TEST_F(ProgramTest, PredictsNoAttentionWhereExamplesAreTooFew) {
  write("few.tsv", sixty_orders());
  const std::string text = fovea("predict few.tsv").out;
  const std::string leak =
      "Each of '!', ',', 'now', '😡', '\"', '?' alone gives a label. Remove them and check again.\n\n";
  EXPECT_EQ(text.find(leak + "Do not trust attention here: it is not predicted."), 0u) << text;
  EXPECT_NE(text.find("15 most frequent of 69 words"), std::string::npos) << text;
  write("new.txt", "what now\n");
  const Outcome shaded = fovea("predict few.tsv --examples new.txt");
  EXPECT_NE(shaded.out.find("Attention on other texts is not predicted."), std::string::npos);
  EXPECT_EQ(shaded.out.find("now█"), std::string::npos) << shaded.out;
}

TEST_F(ProgramTest, PredictsTheHeightsAndLagsOfTokenStreams) {
  const auto p = json("predict induction --set task.vocab=32 --set task.length=8 --draws 2000 --json");
  EXPECT_EQ(p["data"], "induction");
  EXPECT_EQ(p["sequences"], 2000);
  EXPECT_EQ(p["rungs"][0]["rung"], "nothing");
  EXPECT_NEAR(p["rungs"][0]["nats"].get<double>(), std::log(32), 1e-6);
  EXPECT_EQ(p["lags"].size(), 8u);
  EXPECT_EQ(p["hard"], false);
  EXPECT_NEAR(p["induction"]["time"].get<double>(), 801, 4);
  const Outcome text = fovea("predict induction --set task.vocab=32 --set task.length=8 --draws 2000");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("induction flow of 8 positions and 32 tokens"), std::string::npos) << text.out;
  write("new.txt", "1 2 3\n");
  for (const char* wrong : {"predict induction --words 64", "predict induction --examples new.txt"}) {
    const Outcome outcome = fovea(wrong);
    EXPECT_EQ(outcome.code, 2) << wrong;
    EXPECT_NE(outcome.err.find("token streams"), std::string::npos) << outcome.err;
  }
}

TEST_F(ProgramTest, PredictsTheStepsToAnInductionHead) {
  const auto p = json("predict induction-laws --quick --quiet --draws 200 --set task.length=17 --json")["causal"];
  EXPECT_EQ(p["places"], 16);
  EXPECT_EQ(p["vocabulary"], 96);
  EXPECT_NEAR(p["steps"].get<double>(), 86.32 / 0.3, 1);
  const auto frozen = json(
      "predict induction-laws --quick --quiet --draws 200 --set task.length=17 --set task.vocab=96 --set "
      "train.rate=0.1 "
      "--set model.copy=6 --set 'model.frozen=[\"output\"]' --json")["causal"];
  EXPECT_NEAR(frozen["steps"].get<double>(), 324.2, 2);
  EXPECT_TRUE(json("predict induction --draws 200 --set task.length=17 --json")["causal"]["steps"].is_null());
  const Outcome text = fovea("predict induction-laws --quick --quiet --draws 200 --set task.length=17");
  EXPECT_NE(text.out.find("of 16 positions before the query"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("under Adam none of the flows applies"), std::string::npos) << text.out;
  EXPECT_TRUE(says(text.out, "Flow 1, for any model: each token has its own memory."));
  EXPECT_TRUE(says(text.out, "Flow 2, for model induction-exact: all tokens share one memory."));
}

TEST_F(ProgramTest, PredictsHeightsAndTimesThatAreComputed) {
  const auto said = json("predict linear-icl --set task.eigenvalues=[0.25,0.25,0.25,0.25] --json");
  EXPECT_NEAR(said["heights"]["4"].get<double>(), 5.0 / 36, 1e-6);
  EXPECT_NEAR(said["times"]["drop"].get<double>(), 14.753, 0.001);
  EXPECT_NE(fovea("predict sparse-emergence --set task.copies=4").out.find("if the copies share a logit"),
            std::string::npos);
}

TEST_F(ProgramTest, PredictsFromTwoFilesAndRefusesWhatIsNoData) {
  std::string german, english;
  const char* const words[][2] = {{"ein", "a"}, {"Haus", "house"}, {"ja", "yes"}, {"nein", "no"}, {"Baum", "tree"}};
  for (int n = 0; n < 300; ++n) {
    for (int w = 0; w < 5; ++w)
      if (n * (w + 3) % 7 >= 3) german += std::string(words[w][0]) + " ";
    for (int w = 4; w >= 0; --w)
      if (n * (w + 3) % 7 >= 3) english += std::string(words[w][1]) + " ";
    german += ".\n";
    english += ".\n";
  }
  write("a.de", german);
  write("a.en", english);
  const auto p = json("predict --source a.de --target a.en --json");
  EXPECT_NE(p["verdict"], "hard");
  for (const auto& output : p["outputs"]) {
    if (output["output"] == "house") {
      EXPECT_EQ(output["words"][0]["word"], "Haus");
    }
  }
  write("table.tsv", "pos\tfine\nneg\tawful\n");
  for (const char* wrong :
       {"predict", "predict keywrod", "predict --source a.de", "predict copy --set task.vocab=40,60",
        "predict feature-mean", "predict copy --set train.rate=1", "predict table.tsv --seed 4",
        "predict table.tsv --draws 200", "predict table.tsv --format tvs", "predict table.tsv --examples nowhere",
        "predict --source a.de --target a.en --examples a.de"}) {
    const Outcome outcome = fovea(wrong);
    EXPECT_EQ(outcome.code, 2) << wrong;
    EXPECT_EQ(outcome.out, "") << wrong;
  }
}

// Heights are of the answers that the experiment's probe reads, so that its claims are set against what is printed.
TEST_F(ProgramTest, PredictsTheHeightsThatAnExperimentMeasures) {
  ASSERT_EQ(fovea("run markov-icl --quick --quiet --set train.steps=0 --set probe.examples=2000").code, 0);
  const auto measured = json("runs --json")["runs"][0]["metrics"];
  const auto last = json("predict markov-icl --quick --quiet --draws 100 --json");
  EXPECT_EQ(last["rungs_of"], "last");
  const auto all = json("predict markov-icl --quick --quiet --draws 100 --set probe.ladder.place=all --json");
  EXPECT_EQ(all["rungs_of"], "all");
  for (std::size_t rung = 1; rung <= 3; ++rung) {
    const double measured_there = measured["rung_" + last["rungs"][rung]["rung"].get<std::string>()];
    EXPECT_NEAR(last["rungs"][rung]["nats"], measured_there, 3 * last["rungs"][rung]["error"].get<double>());
  }
  EXPECT_GT(all["rungs"][2]["nats"], last["rungs"][2]["nats"].get<double>() + 0.01) << "at all positions";
  EXPECT_NE(fovea("predict markov-icl --quick --quiet --draws 100")
                .out.find("Predicted loss plateaus at the last answer, on"),
            std::string::npos);
  EXPECT_EQ(json("predict mws --quick --quiet --draws 100 --json")["rungs_of"], "all");
}

}  // namespace
}  // namespace fovea
