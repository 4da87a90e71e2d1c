// No word that a person types is ignored: what cannot act, or can be true of nothing, is refused with the right word.
#include <algorithm>
#include <vector>

#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;
using fovea::testing::says;
namespace fs = std::filesystem;

struct Refused {
  const char *words, *said;
};

class IgnoredWords : public ProgramTest {
 protected:
  void expect_refused(const std::vector<Refused>& table) const {
    for (const Refused& one : table) {
      const Outcome outcome = fovea(one.words);
      EXPECT_EQ(outcome.code, 2) << one.words << "\n" << outcome.err;
      EXPECT_EQ(outcome.out, "") << one.words;
      EXPECT_TRUE(says(outcome.err, one.said)) << one.words;
      EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    }
  }
};

TEST_F(IgnoredWords, AnOptionThatCannotActIsRefused) {
  ASSERT_EQ(fovea("reproduce toy-uniform --quiet --json").code, 0);
  expect_refused({
      {"reproduce --claims --set train.raet=0.1",
       "--claims without names of experiments trains nothing, so --set has no effect. Name an experiment, or leave out "
       "--set."},
      {"reproduce --claims --retrain", "so --retrain has no effect"},
      {"reproduce --claims --full", "so --full has no effect"},
      {"reproduce --claims --jobs 2", "so --jobs has no effect"},
      {"reproduce --claims -o x.html", "so --output has no effect"},
      {"reproduce --claims --claim nosuch", "no stored claim has the name 'nosuch'"},
      {"reproduce --claims --claim closed-form-tiem", "Did you mean 'closed-form-time'?"},
      {"tag --json good 1", "--json prints the list of tags, and 'good' names one tag. Leave out --json, or the tag."},
      {"sweep toy-uniform --draw-seed 3", "--draw-seed: nothing is drawn at random, so the seed"},
  });
  const Outcome claims = fovea("reproduce --claims --claim closed-form-time");
  EXPECT_EQ(claims.code, 0) << claims.err;
  EXPECT_TRUE(says(claims.out, "1 of 1 claim is supported."));
}

TEST_F(IgnoredWords, AFlagTakesNoValue) {
  expect_refused({
      {"run toy-uniform --quiet=7", "--quiet takes no value. Write --quiet alone. See: fovea run --help"},
      {"run toy-uniform --quiet=maybe", "--quiet takes no value"},
      {"run toy-uniform --quick=no --full", "--quick takes no value"},
      {"runs merge x.db --quiet=no", "--quiet takes no value. Write --quiet alone. See: fovea runs merge --help"},
  });
}

TEST_F(IgnoredWords, ASettingHasOneValue) {
  expect_refused({
      {"run toy-uniform --set train.rate=0.01 --set train.rate=0.02",
       "--set train.rate=0.01 and --set train.rate=0.02 contradict each other. Give one of the two."},
      {"sweep toy-uniform --set train.rate=0.1,0.2 --set train.rate=0.3", "contradict each other"},
      {"run toy-uniform --engine torch --set train.engine=own",
       "--set train.engine=own and --engine torch contradict each other"},
      {"predict made-reviews --set task.corpus=made-keyword",
       "'made-reviews' and --set task.corpus=made-keyword both name a corpus. Leave out one of the two."},
      {"run toy-uniform --set train.rate=0.1,0.2",
       "--set train.rate names several values, and a run needs one value. To train each of them: fovea sweep "
       "toy-uniform --set train.rate=0.1,0.2. To give one list: --set 'train.rate=[0.1,0.2]'."},
      {"run toy-uniform --set train.rate=1,5", "To give one decimal number: --set train.rate=1.5."},
      {"sweep toy-uniform --set 'train.rate=normal(0,1)' --draws 2", "'normal' is not a distribution"},
      {"sweep toy-uniform --set 'train.rate=normal(0,1)'", "'normal' is not a distribution"},
  });
}

TEST_F(IgnoredWords, AConditionThatIsTrueOfNoRunIsRefused) {
  ASSERT_EQ(fovea("run toy-uniform --quiet").code, 0);
  ASSERT_EQ(fovea("run toy-uniform --seed 1 --quiet").code, 0);
  ASSERT_EQ(fovea("tag good 1").code, 0);
  ASSERT_EQ(fovea("tag 'for the paper' 1").code, 0);
  expect_refused({
      {"runs --where 'tags = \"good\"'", "Write: tagged(\"good\")."},
      {"runs --where 'tags != \"good\"'", "Write: not tagged(\"good\")."},
      {"runs --where ''", "--where is empty. Write a condition, as in 'accuracy >= 0.9', or leave the option out."},
      {"rm --where ' '", "--where is empty"},
      {"tag good --where ''", "--where is empty"},
      {"export --where '' -o a.csv", "--where is empty"},
      {"plot --where '' p -o a.svg", "--where is empty"},
      {"rm --restore --where 'p > 5'", "--where: no run in the bin meets the condition. See: fovea runs --bin."},
      {"runs --where 'state = \"finished\"'",
       "'state' is never \"finished\". Known are: done, failed, running, stopped."},
      {"runs --where 'experiment = \"toy-unifrom\"'", "is never \"toy-unifrom\". Did you mean 'toy-uniform'?"},
      {"runs --where 'train.optimizer = \"sdg\"'", "'train.optimizer' is never \"sdg\". Did you mean 'sgd'?"},
      {"runs --where 'model.name = \"toy-gaet\"'", "Did you mean 'toy-gate'?"},
      {"runs --where 'task.name = \"something-else\"'", "See: fovea list tasks."},
      {"runs --where 'model.gate = \"liner\"'", "Did you mean 'linear'?"},
      {"runs --where 'state != done'", "Write: state != \"done\"."},
      {"runs --where 'done = state'", "Write: state = \"done\"."},
      {"runs --where 'experiment != toy-uniform'", "'toy-uniform' is a text without quotes. Write: experiment != "},
      {"runs --where 'experiment = toy-unifrom'",
       "'toy-unifrom' is a text without quotes. Write: experiment = \"toy-uniform\"."},
      {"plot --where 'p > 0' -o a.svg",
       "no metric is named. Write, for example: fovea plot --where 'p > 0' loss -o a.svg."},
      {"plot -o a.svg", "no run and no metric is named. Write, for example: fovea plot 3 loss -o a.svg."},
      {"export 1 --format csv -o out.npz", "the name 'out.npz' ends as the format npz, and --format is csv"},
      {"runs --where 'started > 2026-01-01'",
       "'started' is a text, and > compares numbers. Compare it with a text, as in started = "},
      {"runs --where 'p like 1'", "there is no operator 'like'. Write '='."},
      {"runs --where 'TRUE'", "there is no value 'TRUE'. Write true."},
      {"runs --sort 'loss,p'", "--sort: it takes one metric or setting. Name one, as in --sort -accuracy."},
      {"runs --sort --limit 3", "--sort is followed by the option --limit"},
      {"compare 1 1", "A and B are the same: run 1. Name another run or condition as B."},
      {"compare toy-unifrom 1", "Did you mean 'experiment = \"toy-uniform\"'?"},
      {"compare 1 2 --metric train.rat", "Did you mean 'train.rate'?"},
  });
  EXPECT_EQ(fovea("runs --where 'tagged(\"god\")'").out,
            "No run fits.\nThe tags of the store are: for the paper, good.\n");
  EXPECT_EQ(json("runs --where 'tagged(\"good\")' --json")["runs"].size(), 1u);
  EXPECT_EQ(json("runs --where 'tags = \"\"' --json")["runs"].size(), 1u);
  EXPECT_EQ(json("runs --where 'model.gate = \"bounded\"' --json")["runs"].size(), 0u);  // no run yet, but possible
}

TEST_F(IgnoredWords, AStepAfterTheEndHasNoValue) {
  ASSERT_EQ(fovea("run toy-uniform --quiet").code, 0);
  EXPECT_EQ(json("runs --where 'at(p, 80) > 1' --json")["runs"].size(), 1u);
  EXPECT_EQ(fovea("runs --where 'at(p, 5000) > 1'").out, "No run fits.\nat(p, 5000) has no value in 1 of 1 run.\n");
  ASSERT_EQ(fovea("show 1 --spec").code, 0);
  write("own.toml", read(folder_ / "out") +
                        "[sweep]\nseed = [0, 1]\n[[claim]]\nsays = \"x\"\nmetric = \"median(at(p, 5000))\"\n"
                        "at_most = 9\n");
  const Outcome outcome = fovea("reproduce own.toml --quiet");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "no value"));
  EXPECT_TRUE(says(outcome.out, "at(p, 5000) (missing in 2 of 2 runs)"));
}

TEST_F(IgnoredWords, RunsWithoutPartnersAreNoSuccess) {
  for (const char* seed : {"0", "1", "2"})
    ASSERT_EQ(fovea(std::string("run toy-uniform --quiet --seed ") + seed).code, 0);
  const Outcome outcome = fovea("compare 'seed < 2' 'seed >= 2'");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(says(outcome.out, "Nothing can be compared."));
}

TEST_F(IgnoredWords, AnOptionAndItsSettingAgree) {
  write("plain.tsv", "pos\tgood film\nneg\tbad film\n");
  expect_refused({
      {"run toy-uniform --threads 2 --set train.threads=1",
       "--set train.threads=1 and --threads 2 contradict each other. Give one of the two."},
      {"run toy-uniform --checkpoints 5 --set 'train.checkpoints=[6]'",
       "--set train.checkpoints=[6] and --checkpoints 5 contradict each other"},
      {"run toy-uniform --set train.device=cuda", "Set train.engine = \"torch\" too, or drop train.device."},
      {"run toy-uniform --set 'probe.at=[500]'",
       "--set probe.at has step 500, and the run has 80 steps. List steps within the run"},
      {"predict copy --quick", "--quick is an option for experiments, and a task has no forms. Leave the option out."},
      {"predict plain.tsv --full", "--full is an option for experiments, and a file has no forms"},
  });
  EXPECT_EQ(fovea("run toy-uniform --quiet --checkpoints 5,6 --set 'train.checkpoints=[5, 6]'").code, 0);
  EXPECT_EQ(fovea("run toy-uniform --quiet --threads 2 --set train.threads=2").code, 0);
  write("late.toml",
        "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\" }\ntrain = { steps = 5 }\n"
        "probe = { at = [3, 500] }\n");
  EXPECT_EQ(fovea("run late.toml --quiet").code, 0);  // another form of the experiment may reach the step
}

TEST_F(IgnoredWords, AValueThatIsEmptyIsRefused) {
  expect_refused({
      {"sweep toy-uniform --seeds ''", "--seeds is empty. Give it a value, or leave the option out."},
      {"data add x --train a.tsv --text ''", "--text is empty"},
      {"predict a.tsv --label ''", "--label is empty"},
      {"sweep toy-uniform --set 'train.optimizer=one_of()' --draws 2", "a choice is missing in 'one_of()'"},
  });
}

TEST_F(IgnoredWords, AFirstTextIsNoHeader) {
  write("plain.tsv", "pos\tgood film\nneg\tbad film\npos\tnice one\nneg\tpoor one\n");
  write("titled.tsv", "class\ttext\npos\tgood film\nneg\tbad film\npos\tnice one\nneg\tpoor one\n");
  expect_refused({
      {"predict plain.tsv --label pos",
       "plain.tsv:1: is no header, because column 1 of line 3 is 'pos', too. Name columns by number, from 1."},
      {"predict plain.tsv --label foo", "has no column 'foo'; its first line is 'pos', 'good film'. Name it by number"},
      {"predict titled.tsv --label clas", "Did you mean 'class'?"},
      {"data add x --train plain.tsv --label 5",
       "has no column 5; its first line is 'pos', 'good film'. Name a column"},
      {"data add x --train plain.tsv --label foo", "plain.tsv:1: has no column 'foo'; its first line is 'pos'"},
  });
  EXPECT_EQ(fovea("predict titled.tsv --label class --quiet").code, 0);
  const Outcome added = fovea("data add x --train plain.tsv --label 1 --dev-share 0.3 --test-share 0.3");
  EXPECT_EQ(added.code, 0) << added.err;
}

TEST_F(IgnoredWords, ARemedyWorksAsItIsTyped) {
  write("few.tsv", "pos\tgood film\nneg\tbad film\npos\tnice one\nneg\tpoor one\n");
  EXPECT_TRUE(says(fovea("data add few --train few.tsv").err, "Split off a larger share (--dev-share 0.25)"));
  EXPECT_EQ(fovea("data add few --train few.tsv --dev-share 0.25").code, 0);
  write("bad.tsv", "pos\tgood film\nneg\tbad film\nno tab\npos\tnice one\nneg\tpoor one\n");
  EXPECT_TRUE(says(fovea("predict bad.tsv").err,
                   "fovea data add NAME --train bad.tsv --label 1 --text 2 --skip-bad. Then: fovea predict NAME."));
  EXPECT_EQ(fovea("data add NAME --train bad.tsv --label 1 --text 2 --skip-bad --dev-share 0.25").code, 0);
  EXPECT_EQ(fovea("predict NAME --quiet").code, 0);
  write("bad.conll", "John B-PER\nlives\nhere O\n");
  EXPECT_TRUE(says(fovea("data add tags --conll bad.conll --skip-bad").err,
                   "no sentence can be read. The first error: bad.conll:2: has one column, and needs a word and its "
                   "tag. Correct at least one sentence"));
  write("model.toml", "[model]\nname = \"toy-gate\"\n");
  EXPECT_TRUE(says(fovea("run model.toml").err, "Write as the first line of the file: task = { name = \"…\" }"));
  write("model.toml", "task = { name = \"two-sequences\" }\n[model]\nname = \"toy-gate\"\n");
  EXPECT_EQ(fovea("run model.toml --quiet --set train.steps=5").code, 0);
  EXPECT_TRUE(says(fovea("reproduce model.toml --quiet --set train.steps=5").out,
                   "No claim is tested: the quick form has none. To add one, see: fovea reproduce --help"));
  write("range.toml", "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\" }\n[sweep]\nseed = 0..1\n");
  EXPECT_TRUE(says(fovea("sweep range.toml").err,
                   "range.toml:4:10: a range or a distribution needs quotes. Write "
                   "\"0..1\"."));
  EXPECT_TRUE(says(fovea("list settings task").err, "as in: fovea list tasks copy"));
  EXPECT_TRUE(says(fovea("rum toy-uniform").err, "Did you mean 'rm' or 'run'?"));
  EXPECT_TRUE(says(fovea("export 1 -o x").err, "Let the name end with .csv, .jsonl, .npz, .safetensors or .txt"));
}

}  // namespace
}  // namespace fovea
