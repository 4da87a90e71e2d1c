#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;

class DataTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    std::string table = "Label\tSMS\n";
    for (int i = 0; i < 60; ++i)
      table += i % 3 ? "ham\tsee you at " + std::to_string(i % 12) + "\n"
                     : "spam\tWIN a prize, call " + std::to_string(i) + "\n";
    write("sms.tsv", table);
  }
};

TEST_F(DataTest, TextsOfOnesOwnAreAddedShownAndTrainedOn) {
  const auto added = json("data add sms --train sms.tsv --label 1 --text 2 --json");
  EXPECT_EQ(added["examples"]["train"], 48);
  EXPECT_EQ(added["files"][0]["header"], nlohmann::json({"Label", "SMS"}));
  const auto shown = json("data show sms --json");
  EXPECT_EQ(shown["class_counts"]["spam"], nlohmann::json({16, 2, 2}));
  EXPECT_EQ(shown["digest"], added["digest"]);
  EXPECT_NE(fovea("data show sms").out.find("Commonest: "), std::string::npos);
  EXPECT_NE(fovea("data list").out.find("sms            2 classes        48           6     6"), std::string::npos)
      << fovea("data list").out;
  const std::string small =
      " --set model.hidden=8 --set model.embedding=8 --set model.score_hidden=8 --set train.steps=60 --set "
      "train.rate=0.02";
  const auto run = json("run text-classify --set task.corpus=sms --json --quiet" + small);
  EXPECT_EQ(run["metrics"]["accuracy"], 1.0);

  // The run's spec keeps what the corpus held.
  EXPECT_EQ(fovea("data add sms --train sms.tsv --label 1 --text 2 --split-seed 1 --replace").code, 0);
  const std::string pin = " --set task.digest=" + added["digest"].get<std::string>();
  const Outcome changed = fovea("run text-classify --set task.corpus=sms --quiet" + small + pin);
  EXPECT_EQ(changed.code, 2);
  EXPECT_NE(changed.err.find("has changed since this run was made"), std::string::npos) << changed.err;
}

TEST_F(DataTest, WordsWithTagsAreAddedAndShown) {
  std::string sentences;
  for (int i = 0; i < 20; ++i) sentences += "Selma\tB-per\nKvist\tI-per\nruns\tO\n\n";
  write("a.conll", sentences);
  write("b.conll", "Oslo\tB-loc\n\nhere\tO\n");
  const auto added = json("data add names --conll a.conll b.conll --json");
  EXPECT_EQ(added["kind"], "tagged");
  EXPECT_EQ(added["examples"], nlohmann::json({{"train", 18}, {"validation", 2}, {"test", 2}}));
  EXPECT_EQ(added["files"][1]["format"], "conll");
  const auto shown = json("data show names --json");
  EXPECT_EQ(shown["sides"][1]["commonest"][0], nlohmann::json({"B-per", 18}));
  EXPECT_EQ(shown["samples"][0]["target"], "B-per I-per O");
  EXPECT_NE(fovea("data list").out.find("names          tagged words"), std::string::npos) << fovea("data list").out;
  EXPECT_NE(fovea("data show names").out.find("\nTags\n"), std::string::npos) << fovea("data show names").out;

  write("b.conll", "Oslo\tB-loc\nin\tQ\n");
  const Outcome refused = fovea("data add others --conll a.conll b.conll");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("b.conll:2: 'Q' is no tag"), std::string::npos) << refused.err;
  EXPECT_EQ(fovea("data add others --conll a.conll --train b.conll").code, 2);
  const Outcome other_task = fovea("run text-translate --set task.corpus=names --quiet");
  EXPECT_EQ(other_task.code, 2);
  EXPECT_NE(other_task.err.find("has words with tags"), std::string::npos) << other_task.err;
}

TEST_F(DataTest, WordsOfARunOutliveItsCorpus) {
  ASSERT_EQ(fovea("data add sms --train sms.tsv --label 1 --text 2").code, 0);
  const Outcome run = fovea(
      "run text-classify --quiet --set task.corpus=sms --set model.hidden=4 --set model.embedding=4 --set "
      "model.score_hidden=4 --set train.steps=2 --set 'probe.names=[\"evidence\"]' --set probe.evidence.examples=3");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto seen = json("inspect 1 --json");
  EXPECT_TRUE(seen["label"] == "ham" || seen["label"] == "spam") << seen;
  std::string other = "a\tquite other words\n";
  for (int i = 0; i < 40; ++i)
    other += (i % 2 ? "b\tnone of them is known " : "a\tall is new ") + std::to_string(i) + "\n";
  write("other.tsv", other);
  ASSERT_EQ(fovea("data add sms --train other.tsv --label 1 --text 2 --replace").code, 0);
  EXPECT_EQ(json("inspect 1 --json"), seen);
  std::filesystem::remove_all(home_ / "data");
  EXPECT_EQ(json("inspect 1 --json"), seen);
  EXPECT_EQ(json("gc --json")["vocabularies"], 0);
  EXPECT_EQ(json("inspect 1 --json"), seen);
  // A store that this one is merged into has them, too.
  const auto first = home_;
  home_ = folder_ / "second";
  const Outcome merged = fovea("runs merge " + (first / "runs.db").string());
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(json("inspect 1 --json")["source"], seen["source"]);
  // Without them, the corpus is asked.
  std::filesystem::remove_all(home_ / "words");
  ASSERT_EQ(fovea("runs merge " + (first / "runs.db").string()).code, 0);
  EXPECT_EQ(json("inspect 1 --json")["source"], seen["source"]);  // the run was known, its words were not
  std::filesystem::remove_all(home_ / "words");
  const Outcome gone = fovea("inspect 1");
  EXPECT_EQ(gone.code, 2);
  EXPECT_NE(gone.err.find("there is no corpus 'sms'"), std::string::npos) << gone.err;
  // They go with the run.
  home_ = first;
  ASSERT_EQ(fovea("rm 1").code, 0);
  EXPECT_NE(
      fovea("gc --dry").out.find("would be deleted: 1 run of the bin, weights of 1 run, 0 checkpoints, 1 vocabulary ("),
      std::string::npos)
      << fovea("gc --dry").out;
  ASSERT_EQ(fovea("gc").code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(home_ / "words"));
}

TEST_F(DataTest, ATraceOfOnesOwnIsAddedShownForetoldAndTrainedOn) {
  std::string trace = "pc,address\n";
  for (int i = 0; i < 1000; ++i) trace += "0x401000," + std::to_string(0x7f0000000000 + 64 * (i % 50 * 7 % 50)) + "\n";
  write("app.csv", trace);
  const auto added = json("data add app --trace app.csv --json");
  EXPECT_EQ(added["kind"], "accesses");
  EXPECT_EQ(added["examples"]["train"], 800);
  EXPECT_EQ(added["files"][0]["header"], nlohmann::json({"pc", "address"}));
  EXPECT_EQ(json("data show app --json")["digest"], added["digest"]);
  EXPECT_NE(fovea("data show app").out.find("0x401000      1000      1"), std::string::npos)
      << fovea("data show app").out;
  EXPECT_NE(fovea("data list").out.find("app            accesses        800"), std::string::npos)
      << fovea("data list").out;
  EXPECT_EQ(json("predict address-trace --set task.corpus=app --json")["told"], 1.0);
  EXPECT_NE(fovea("predict address-trace --set task.corpus=app")
                .out.find("not hard: 100 % of the accesses are predicted by contexts of training"),
            std::string::npos);
  const auto run = json(
      "run prefetch-trace --quick --quiet --json --set task.corpus=app --set model.hidden=16 --set model.experts=2 "
      "--set "
      "train.steps=150 --set train.rate=0.02");
  EXPECT_GT(run["metrics"]["address_accuracy"], 0.9) << run;
  EXPECT_NE(fovea("show 1").out.find("attention of one example at step 150"), std::string::npos);
  EXPECT_NE(fovea("show 1 --step 0").out.find("attention of one example at step 0"), std::string::npos);
  const auto at_start = json("show 1 --step 19 --json")["attention"];  // the last look before: of step 0
  EXPECT_EQ(at_start["step"], 0);
  ASSERT_EQ(at_start["weights"].size(), 4u);  // a row for each access of the window
  EXPECT_EQ(at_start["weights"][3].size(), 2u);
  EXPECT_FALSE(json("show 1 --json").contains("attention"));
  const Outcome look = fovea("inspect 1");
  EXPECT_EQ(look.code, 2);
  EXPECT_NE(look.err.find("attends to experts, and evidence needs words. See the names of a run's metrics and "
                          "settings: fovea show RUN"),
            std::string::npos)
      << look.err;
  write("bad.csv", "1,64\n1,-64\n");
  const Outcome bad = fovea("data add bad --trace bad.csv");
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("bad.csv:2: '-64' is negative"), std::string::npos) << bad.err;
  EXPECT_EQ(fovea("data show bad").code, 2);
  EXPECT_EQ(fovea("data add bad").code, 2);
  std::string few;
  for (int i = 0; i < 50; ++i) few += "1," + std::to_string(64 * i) + "\n";
  write("few.csv", few);
  const Outcome hint = fovea("data add few --trace few.csv");
  EXPECT_NE(hint.out.find("fovea predict few\n"), std::string::npos) << hint.out;
  EXPECT_EQ(fovea("predict few").out, fovea("predict prefetch-trace --set task.corpus=few").out);
  EXPECT_NE(fovea("predict prefetch-trace --set task.corpus=few").out.find("unknown, because 4"), std::string::npos);
  EXPECT_EQ(json("predict prefetch-trace --set task.corpus=few --json")["enough"], false);
  EXPECT_EQ(fovea("data add bad --trace app.csv --train sms.tsv").code, 2);
}

TEST_F(DataTest, ColumnsAreTheFirstTwoUnlessNamed) {
  std::string table, rows;
  for (int i = 0; i < 40; ++i) {
    const std::string label = i % 2 ? "spam" : "ham", text = "word" + std::to_string(i) + " " + label;
    table += label + "\t" + text + "\n";
    rows += nlohmann::json{{"label", label}, {"text", text}}.dump() + "\n";
  }
  write("a.tsv", table);
  write("a.jsonl", rows);
  const nlohmann::json named = json("data add named --train a.tsv --label 1 --text 2 --json");
  EXPECT_EQ(json("data add usual --train a.tsv --json")["digest"], named["digest"]);
  EXPECT_EQ(json("data add lines --train a.jsonl --json")["digest"], named["digest"]);
  const nlohmann::json of_file = json("predict text-classify --set task.corpus=usual --json");
  nlohmann::json of_corpus = json("predict usual --json");
  EXPECT_EQ(of_corpus["data"], "usual");
  of_corpus["data"] = of_file["data"];
  EXPECT_EQ(of_corpus, of_file);
}

TEST_F(DataTest, EveryMistakeIsNamed) {
  write("broken.tsv", "a\tone\nb\na\ttwo\nb\tthree\na\tfour\nb\tfive\na\tsix\nb\tseven\na\teight\nb\tnine\na\tten\n");
  const auto says = [&](const std::string& words, const std::string& part) {
    const Outcome outcome = fovea("data " + words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "") << words;
  };
  says("", "See: fovea data --help");
  says("show sms", "there is no corpus 'sms'");
  says("add sms --train sms.tsv --source SMS", "--target is missing");
  says("add sms --train sms.tsv --format lines", "no column for a label");
  write("empty.tsv", "");
  says("add sms --train empty.tsv", "empty.tsv: is empty");
  says("add sms --train sms.tsv --label Lable --text SMS", "Did you mean 'Label'");
  says("add sms --train nowhere.tsv --label 1 --text 2", "nowhere.tsv: there is no such file");
  says("add sms --train sms.tsv --label 1 --text 2 --format tvs", "Did you mean 'tsv'");
  says("add sms --train broken.tsv --label 1 --text 2", "broken.tsv:2: has no text: it is expected in column 2");
  const Outcome skipped = fovea("data add sms --train broken.tsv --label 1 --text 2 --skip-bad --dev-share 0.2");
  EXPECT_EQ(skipped.code, 0) << skipped.err;
  EXPECT_NE(skipped.out.find("1 malformed line was skipped; the first:\n  broken.tsv:2: has no text"),
            std::string::npos)
      << skipped.out;
}

}  // namespace
}  // namespace fovea
