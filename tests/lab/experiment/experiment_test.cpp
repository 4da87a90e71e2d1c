#include "fovea/lab/experiment/experiment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "fovea/base/file.h"
#include "tests/lab/train/mark.h"

namespace fovea {
namespace {

const char* const whole = R"toml(title = "The mark"
idea = "Two sentences. They are here."
system = "tests"
order = 7
task = { name = "mark", vocab = 12 }
model = { name = "tiny" }
train = { steps = 40, rate = 0.1 }
probe = { every = 10, names = ["watch"], watch = { scale = 2 } }
intervene = [ { hold = "uniform", until = 20 } ]
sweep = { seed = "0..3", "task.vocab" = [12, 20] }

[quick]
train.steps = 5
"sweep.seed" = "0..1"

[[claim]]
says = "the mark is found"
metric = "share(on_mark > 0.5)"
where = "task.vocab = 20"
at_least = 0.9
form = "full"

[[figure]]
kind = "lines"
metric = "loss"
)toml";

Experiment experiment() { return parse_experiment(whole, "mark.toml"); }

std::string minimal(const std::string& rest) {
  return "task = { name = \"mark\" }\nmodel = { name = \"tiny\" }\n" + rest;
}

std::string list_text(const ValueList& list) { return Value{list, {}}.text(); }

// Runs `work`, which must be refused, and checks the three parts of what is said.
template <class Work>
void refused(Work&& work, const std::string& place, const std::string& problem, const std::string& remedy) {
  try {
    work();
    ADD_FAILURE() << "was taken, instead of: " << problem;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    EXPECT_EQ(error.place().text(), place) << error.what();
    EXPECT_NE(error.problem().text().find(problem), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().text().find(remedy), std::string::npos) << error.what();
  }
}

TEST(Spec, ReadsAnExperiment) {
  const Experiment e = experiment();
  EXPECT_EQ(e.name, "mark");
  EXPECT_EQ(e.title, "The mark");
  EXPECT_EQ(e.system, "tests");
  EXPECT_EQ(e.order, 7);
  ASSERT_EQ(e.claims.size(), 1u);
  EXPECT_EQ(e.claims[0].wanted(), ">= 0.9");
  EXPECT_EQ(e.claims[0].preset, Preset::full);
  EXPECT_EQ(e.claims[0].place.line, 16);
  ASSERT_EQ(e.figures.size(), 1u);
  EXPECT_EQ(e.figures[0].kind, "lines");
  EXPECT_EQ(*e.figures[0].settings.at("metric").as<std::string>(), "loss");
  ASSERT_EQ(e.axes(Preset::full).size(), 2u);
  EXPECT_EQ(e.axes(Preset::full)[1].key, "seed");
  EXPECT_EQ(e.axes(Preset::full)[1].values.size(), 4u);
  EXPECT_EQ(e.axes(Preset::quick)[1].values.size(), 2u);
}

TEST(Spec, FillsInEveryDefault) {
  const RunSpec spec = resolve(experiment(), Preset::full, {}, 3);
  EXPECT_EQ(spec.seed, 3u);
  EXPECT_EQ(*spec.setting("task.length")->as<std::int64_t>(), 5);
  EXPECT_EQ(*spec.setting("task.vocab")->as<std::int64_t>(), 12);
  EXPECT_EQ(*spec.setting("train.optimizer")->as<std::string>(), "adam");
  EXPECT_EQ(*spec.setting("probe.watch.scale")->as<double>(), 2.0);
  EXPECT_EQ(*spec.setting("seed")->as<std::int64_t>(), 3);
  EXPECT_FALSE(spec.setting("task.nothing") || spec.setting("nothing") || spec.setting("probe.watch.nothing") ||
               spec.setting("task"));
  EXPECT_EQ(list_text(spec.interventions), "[{ from = 0, hold = \"uniform\", until = 20 }]");
  EXPECT_EQ(*resolve(experiment(), Preset::quick, {}, 0).setting("train.steps")->as<std::int64_t>(), 5);
}

TEST(Spec, TextIsCanonicalAndReadsBack) {
  const RunSpec spec = resolve(experiment(), Preset::full, {}, 3);
  EXPECT_NE(spec.text().find("task.vocab = 12\n"), std::string::npos) << spec.text();
  const RunSpec back = run_spec_from_table(parse_table(spec.text(), "stored"));
  EXPECT_EQ(back.text(), spec.text());
  EXPECT_EQ(back.hash(), spec.hash());
  refused([] { run_spec_from_table({}); }, "", "has no 'task'", "not a spec");
}

TEST(Spec, HashIsOfWhatCanChangeANumber) {
  const auto hash = [](const std::string& toml) {
    return resolve(parse_experiment(toml, "x.toml"), Preset::full, {}, 3).hash();
  };
  RunSpec fixed;
  fixed.task = {{"name", {std::string("copy"), {}}}, {"vocab", {std::int64_t{40}, {}}}};
  fixed.train = {{"rate", {0.001, {}}}};
  EXPECT_EQ(fixed.hash(), "d5575423661ddcfc3ecc0b1f7c4680c3");
  const std::string same = hash(minimal("train = { steps = 3, rate = 0.5 }"));
  EXPECT_EQ(same.size(), 32u);
  EXPECT_EQ(hash("model.name = \"tiny\"\ntrain = { rate = 0.5, steps = 3 }\n[task]\nlength = 5\nname = \"mark\""),
            same);
  EXPECT_EQ(hash(minimal("title = \"other\"\ntrain = { steps = 3, rate = 0.5, threads = 7 }")), same);
  EXPECT_EQ(hash(minimal("train = { steps = 3, rate = 0.5, keep_weights = \"never\" }")), same);
  EXPECT_NE(hash(minimal("train = { steps = 4, rate = 0.5 }")), same);
  EXPECT_NE(hash(minimal("train = { steps = 3, rate = 0.5 }\nprobe = { every = 3 }")), same);
  EXPECT_NE(resolve(experiment(), Preset::full, {}, 0).hash(), resolve(experiment(), Preset::full, {}, 1).hash());
}

TEST(Spec, AStartSeedIsPartOfARunOnlyWhereItIsNotTheRunsOwn) {
  const auto start = [](const std::string& value, std::uint64_t seed) {
    return resolve(experiment(), Preset::full, {parse_override("train.start=" + value)}, seed);
  };
  const RunSpec own = resolve(experiment(), Preset::full, {}, 3);
  EXPECT_EQ(own.start(), 3u);
  EXPECT_FALSE(own.train.contains("start"));
  EXPECT_EQ(start("3", 3).hash(), own.hash());
  EXPECT_EQ(start("3", 3).text(), own.text());
  const RunSpec other = start("0", 3);
  EXPECT_EQ(other.start(), 0u);
  EXPECT_NE(other.hash(), own.hash());
  EXPECT_NE(other.hash(), resolve(experiment(), Preset::full, {}, 0).hash());
  EXPECT_EQ(run_spec_from_table(parse_table(other.text(), "stored")).start(), 0u);
  for (const RunSpec& spec : {own, other})
    EXPECT_EQ(*spec.setting("train.start")->as<std::int64_t>(), static_cast<std::int64_t>(spec.start()));
  refused([&] { start("-1", 3); }, "train.start=-1", "start of train must be 0 or more, not -1",
          "seed of the initial weights");
  refused([&] { start("1.5", 3); }, "train.start=1.5", "must be an integer", "seed of the initial weights");
  refused([] { resolve(experiment(), Preset::full, {parse_override("start=1")}, 0); }, "start=1",
          "there is no setting 'start'", "did you mean 'train.start'?");
}

TEST(Spec, OverridesAreSetOverTheFile) {
  const RunSpec spec = resolve(
      experiment(), Preset::quick,
      {parse_override("task.vocab=33"), parse_override("train.optimizer = sgd"), parse_override("train.steps=9"),
       parse_override("probe.watch.scale=0.5"), parse_override("intervene=[]")},
      1);
  EXPECT_EQ(*spec.setting("task.vocab")->as<std::int64_t>(), 33);
  EXPECT_EQ(*spec.setting("train.optimizer")->as<std::string>(), "sgd");
  EXPECT_EQ(*spec.setting("train.steps")->as<std::int64_t>(), 9);
  EXPECT_EQ(*spec.setting("probe.watch.scale")->as<double>(), 0.5);
  EXPECT_TRUE(spec.interventions.empty());
  EXPECT_EQ(resolve(experiment(), Preset::full, {parse_override("seed=8")}, 1).seed, 8u);
  EXPECT_EQ(*parse_override("a=1\nb=2").value.as<std::string>(), "1\nb=2");
}

TEST(Spec, AxesAreListsAndRanges) {
  EXPECT_EQ(parse_axis("seed=0..19").values.size(), 20u);
  const Axis mixed = parse_axis("task.vocab=40, 50..52 ,60");
  EXPECT_EQ(list_text(mixed.values), "[40, 50, 51, 52, 60]");
  EXPECT_EQ(list_text(parse_axis("model.attention=learned,uniform").values), "[\"learned\", \"uniform\"]");
  EXPECT_EQ(list_text(parse_axis("probe.at=[1,2],[3]").values), "[[1, 2], [3]]");
  EXPECT_EQ(list_text(parse_axis("train.rate=1e-3").values), "[0.001]");
  refused([] { parse_axis("seed"); }, "seed", "sets nothing", "key=value");
  refused([] { parse_axis("seed=1,,2"); }, "seed=1,,2", "a value missing", "a,b,c");
  refused([] { parse_axis("seed=5..2"); }, "seed=5..2", "runs backwards", "2..5");
  refused([] { parse_axis("seed=0..9223372036854775807"); }, "seed=0..9223372036854775807", "too long", "1000000");
}

TEST(Spec, ASweepIsTheProductOfItsAxes) {
  const auto specs = resolve_sweep(experiment(), Preset::full, {});
  ASSERT_EQ(specs.size(), 8u);
  EXPECT_EQ(specs[1].seed, 1u);
  EXPECT_EQ(*specs[4].setting("task.vocab")->as<std::int64_t>(), 20);
  EXPECT_EQ(resolve_sweep(experiment(), Preset::quick, {}).size(), 4u);
  EXPECT_EQ(resolve_sweep(experiment(), Preset::full, {parse_override("task.vocab=30")}).size(), 4u);
  EXPECT_EQ(
      resolve_sweep(experiment(), Preset::full, {}, {parse_axis("seed=5"), parse_axis("task.length=4,5,6")}).size(),
      6u);
  EXPECT_EQ(resolve_sweep(parse_experiment(minimal(""), "x.toml"), Preset::full, {}).size(), 1u);
  refused(
      [] {
        resolve_sweep(experiment(), Preset::full, {}, {parse_axis("seed=0..99999"), parse_axis("task.length=1..100")});
      },
      "mark.toml", "20000000 runs (task.vocab 2 × task.length 100 × seed 100000)", "shorter");
  refused([] { resolve_sweep(experiment(), Preset::full, {}, {parse_axis("task.vocab=20,1")}); }, "task.vocab=20,1",
          "must be 2 to 1000, not 1", "tokens");
}

TEST(Spec, FilesThatAreWrongAreRefusedWithTheirPlace) {
  const struct {
    std::string toml, place, problem, remedy;
  } cases[] = {
      {"title = \"x", "x.toml:1:11", "not TOML", "quotes"},
      {"task = { name = \"mark\" }\ntask = 3", "x.toml:2:8", "not TOML", "quotes"},
      {minimal("titel = \"x\""), "x.toml:3:1", "an experiment has no key 'titel'", "did you mean 'title'?"},
      {minimal("title = 3"), "x.toml:3:1", "'title' must be a text, not an integer (3)", "make it a text"},
      {minimal("order = \"first\""), "x.toml:3:1", "'order' must be an integer", "make it"},
      {"model = { name = \"tiny\" }", "x.toml", "the experiment has no task", "add task"},
      {"task = 3\nmodel = { name = \"tiny\" }", "x.toml:1:1", "'task' must be a table", "make it a table"},
      {"task = { vocab = 3 }\nmodel = { name = \"tiny\" }", "x.toml:1:10", "the task has no name", "the list of tasks"},
      {minimal("train = 2024-01-01"), "x.toml:3:1", "dates and times", "in quotes"},
      {minimal("sweep = { seed = 3 }"), "x.toml:3:11", "the axis 'seed' must be a list or a range, not an integer (3)",
       "0..19"},
      {minimal("sweep = { seed = \"many\" }"), "x.toml:3:11", "'many' is not a range", "0..19"},
      {minimal("sweep = { seed = [] }"), "x.toml:3:11", "has no values", "drop it"},
      {minimal("quick = { \"sweep.seed\" = 4 }"), "x.toml:3:11", "must be a list or a range", "0..19"},
      {minimal("quick = { \"train.steps\" = 4, train = { steps = 3 } }"), "x.toml:3:11", "'train.steps' is set twice",
       "keep one"},
      {minimal("intervene = { hold = \"uniform\" }"), "x.toml:3:1", "must be a list of tables", "make it"},
      {minimal("[[claim]]\nsays = \"x\"\nmetric = \"share(accuracy >)\"\nat_least = 1"), "x.toml:5:1",
       "column 17: ')' is not expected", "write a metric"},
      {minimal("[[claim]]\nsays = \"x\"\nmetric = \"seed\"\nwhere = \"share(a > 1)\"\nat_least = 1"), "x.toml:6:1",
       "over many runs", "drop share"},
      {minimal("[[claim]]\nsays = \"x\"\nmetric = \"seed\""), "x.toml:3:1", "a claim has no bound", "at_least"},
      {minimal("[[claim]]\nmetric = \"seed\"\nat_most = 3"), "x.toml:3:1", "does not say", "says"},
      {minimal("[[claim]]\nsays = \"x\"\nat_most = 3"), "x.toml:3:1", "has no metric", "metric"},
      {minimal("[[claim]]\nsays = \"x\"\nmetric = \"seed\"\nat_least = 3\nat_most = 1"), "x.toml:3:1",
       "at least 3 and at most 1", "swap"},
      {minimal("[[claim]]\nsays = \"x\"\nmetric = \"seed\"\natleast = 3"), "x.toml:6:1", "a claim has no key 'atleast'",
       "did you mean 'at_least'?"},
      {minimal("[[claim]]\nsays = \"x\"\nmetric = \"seed\"\nat_least = 3\nform = \"slow\""), "x.toml:7:1",
       "cannot be 'slow'", "quick or full"},
      {minimal("claim = { says = \"x\" }"), "x.toml:3:1", "[[claim]]", "[[claim]]"},
      {minimal("[[figure]]\nmetric = \"x\""), "x.toml:3:1", "a figure has no kind", "kind"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.toml);
    refused([&] { parse_experiment(c.toml, "x.toml"); }, c.place, c.problem, c.remedy);
  }
}

TEST(Spec, SettingsThatAreWrongAreRefusedWithTheirPlace) {
  const struct {
    std::string toml, place, problem, remedy;
  } cases[] = {
      {"task = { name = \"marc\" }\nmodel = { name = \"tiny\" }", "x.toml:1:10", "there is no task 'marc'",
       "did you mean 'mark'?"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tinny\" }", "x.toml:2:11", "there is no model 'tinny'",
       "did you mean 'tiny'?"},
      {"task = { name = \"mark\", vocabb = 3 }\nmodel = { name = \"tiny\" }", "x.toml:1:25",
       "task 'mark' has no setting 'vocabb'", "did you mean 'vocab'?"},
      {"task = { name = \"mark\", vocab = \"x\" }\nmodel = { name = \"tiny\" }", "x.toml:1:25",
       "must be an integer, not a text", "2 to 1000"},
      {"task = { name = \"mark\", length = 700 }\nmodel = { name = \"tiny\" }", "x.toml:1:10", "rows longer than 500",
       "smaller"},
      {minimal("train = { stepz = 3 }"), "x.toml:3:11", "train has no setting 'stepz'", "did you mean 'steps'?"},
      {minimal("train = { steps = -3 }"), "x.toml:3:11", "not -3", "updates"},
      {minimal("train = { rate = nan }"), "x.toml:3:11", "not nan", "learning rate"},
      {minimal("train = { optimizer = \"adm\" }"), "x.toml:3:11", "cannot be 'adm' (did you mean 'adam'?)", "one of"},
      {minimal("train = { stop_when = \"loss\" , steps = 1.5 }"), "x.toml:3:32", "must be an integer", "updates"},
      {minimal("train = { stop_when = \"share(loss > 1)\" }"), "x.toml:3:11", "over many runs", "drop share"},
      {minimal("train = { stop_when = \"loss + 1\" }"), "x.toml:3:11", "is not a condition", "compare"},
      {minimal("probe = { names = [\"wach\"] }"), "x.toml:3:11", "there is no probe 'wach'", "did you mean 'watch'?"},
      {minimal("probe = { names = [\"watch\", \"watch\"] }"), "x.toml:3:11", "named twice", "once"},
      {minimal("probe = { watch = { scale = 2 } }"), "x.toml:3:11", "not among the probe's names", "add \"watch\""},
      {minimal("probe = { wach = { scale = 2 } }"), "x.toml:3:11", "probe has no setting 'wach'", "known are"},
      {minimal("probe = { names = [\"watch\"], watch = { scal = 2 } }"), "x.toml:3:40",
       "probe 'watch' has no setting 'scal'", "did you mean 'scale'?"},
      {minimal("intervene = [ { hold = \"unifrom\" } ]"), "x.toml:3:17", "did you mean 'uniform'?", "one of"},
      {minimal("intervene = [ { freeze = \"head\" } ]"), "x.toml:3:15", "no parameters 'head' to freeze",
       "known are: attention, body, w, a"},
      {minimal("intervene = [ { hold = \"uniform\", until = -1 } ]"), "x.toml:3:35", "not -1", "no longer in force"},
      {minimal("intervene = [ { hold = \"uniform\", from = 5, until = 5 } ]"), "x.toml:3:45", "over before it begins",
       "larger"},
      {minimal("intervene = [ { hold = \"uniform\" }, { hold = \"truth\", from = 7 } ]"), "x.toml:3:37",
       "two interventions hold attention at step 7", "do not meet"},
      {minimal("intervene = [ { rate = 1.0, of = \"body\" }, { rate = 2, of = \"body\" } ]"), "x.toml:3:44",
       "two interventions set the rate", "do not meet"},
      {minimal("intervene = [ { hodl = \"uniform\" } ]"), "x.toml:3:15", "does nothing that is known",
       "did you mean 'hold'?"},
      {minimal("intervene = [ { rate = 1.0, off = \"body\" } ]"), "x.toml:3:29", "has no setting 'off'",
       "did you mean 'of'?"},
      {minimal("intervene = [ { clamp = \"w\" } ]"), "x.toml:3:15", "does not say at which value", "at = 0.5"},
      {minimal("intervene = [ { clamp = \"b\", at = 0.5 } ]"), "x.toml:3:15", "has no parameter 'b'",
       "did you mean 'w'?"},
      {minimal("intervene = [ { clamp = \"w\", at = 1, until = 9 }, { clamp = \"w\", at = 2, from = 8 } ]"),
       "x.toml:3:51", "two interventions clamp one parameter at step 8", "do not meet"},
      {"task = { name = \"mark\", knows = false }\nmodel = { name = \"tiny\" }\nintervene = [ { hold = \"truth\" } ]",
       "x.toml:3:15", "does not know where it belongs", "uniform"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", attends = false }\nintervene = [ { hold = \"uniform\" } "
       "]",
       "x.toml:3:15", "model 'tiny' has none here", "drop"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", attends = false }\nintervene = [ { freeze = "
       "\"attention\" } ]",
       "x.toml:3:15", "has no attention parameters", "drop"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", even = true }\nintervene = [ { hold = \"truth\" } ]",
       "x.toml:3:15", "that of model 'tiny' is even here", "drop"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", even = true }\nintervene = [ { freeze = "
       "\"attention\" } ]",
       "x.toml:3:15", "attention parameters do nothing here", "let attention be learned"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", even = true }\nintervene = [ { rate = 1, of = "
       "\"attention\" } ]",
       "x.toml:3:15", "attention parameters do nothing here", "let attention be learned"},
      {minimal("train = { steps = 20 }\nintervene = [ { hold = \"uniform\", from = 21 } ]"), "x.toml:4:15",
       "begins at step 21, and training ends at step 20", "set train.steps to 21 or more"},
      {minimal("train = { steps = 20 }\nintervene = [ { clamp = \"w\", at = 1, from = 30 } ]"), "x.toml:4:15",
       "begins at step 30", "sooner"},
      {minimal("train = { steps = 20 }\nintervene = [ { transplant = 1, at = 21 } ]"), "x.toml:4:15",
       "begins at step 21", "sooner"},
      {minimal("intervene = [ { transplant = 1, of = \"\" } ]"), "x.toml:3:15", "'transplant' does not say what",
       "drop of"},
      {minimal("intervene = [ { embeddings = \"\" } ]"), "x.toml:3:15", "'embeddings' names no file", "name one"},
      {minimal("probe = { names = [\"beta_top1\"] }"), "x.toml:3:11",
       "probe 'beta_top1' reads β, and model 'tiny' has none here", "probe.where_able"},
      {"task = { name = \"mark\", knows = false }\nmodel = { name = \"tiny\" }\nprobe = { names = "
       "[\"attention_on_truth\"] }",
       "x.toml:3:11", "asks where attention belongs, and task 'mark' does not know", "probe.where_able"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", least_batch = 2 }\ntrain = { batch = 1 }", "x.toml:3:11",
       "model 'tiny' cannot be trained on one example at a time", "set train.batch to 2 or more"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", least_batch = 2 }\n"
       "train = { batch = 12, data_parallel = true, shards = 12 }",
       "x.toml:3:11", "cannot be trained on one example at a time", "set train.batch to 24 or more"},
      {minimal("train = { momentum = 0.9 }"), "x.toml:3:11",
       "train.momentum changes nothing here: it is of optimizer \"sgd\"", "drop it (or set train.momentum to 0)"},
      {"task = { name = \"keyword\" }\nmodel = { name = \"gated-classifier\", score_hidden = 8 }", "x.toml:2:38",
       "model.score_hidden changes nothing here: it is of score \"mlp\"", "drop it (or set model.score_hidden to 64)"},
      {"task = { name = \"curve\" }\nmodel = { name = \"pooling\", formula = \"d2\" }", "x.toml:2:29",
       "model.formula changes nothing here: it is of similarity \"user\"", "drop it"},
      {"task = { name = \"curve\" }\nmodel = { name = \"pooling\", similarity = \"dot\", w = 2 }", "x.toml:2:49",
       "model.w changes nothing here: it is of similarities \"gaussian\" and \"gaussian-learned\"",
       "drop it (or set model.w to 1)"},
      {"task = { name = \"curve\" }\nmodel = { name = \"pooling\", width = 2 }", "x.toml:2:29",
       "model.width changes nothing here: it is of similarities \"boxcar\" and \"epanechnikov\"",
       "set model.width to 1"},
      {"task = { name = \"curve\" }\nmodel = { name = \"pooling\", hidden = 8 }", "x.toml:2:29",
       "model.hidden changes nothing here: it is of similarity \"additive\"", "set model.hidden to 32"},
      {"task = { name = \"feature-mean\" }\nmodel = { name = \"feature-attention\", gate_hidden = 8 }", "x.toml:2:39",
       "model.gate_hidden changes nothing here: it is of gate \"input\"", "drop it"},
      {"task = { name = \"copy\" }\nmodel = { name = \"seq2seq\", encoder = \"embedding\", bidirectional = true }",
       "x.toml:2:52", "model.bidirectional changes nothing here: it is of encoder \"recurrent\"", "drop it"},
      {"task = { name = \"copy\" }\nmodel = { name = \"seq2seq\", attention = \"uniform\", score = \"additive\" }",
       "x.toml:2:52", "model.score changes nothing here: it is of attention \"learned\"",
       "set model.score to \"general\""},
      {minimal("train = { optimizer = \"sgd\", beta2 = 0.99 }"), "x.toml:3:30",
       "train.beta2 changes nothing here: it is of optimizers \"adam\" and \"adamw\"", "drop it"},
      {minimal("train = { schedule = \"step\", floor = 0.5 }"), "x.toml:3:30", "train.floor changes nothing here",
       "drop it"},
      {minimal("train = { schedule = \"cosine\", factor = 0.5 }"), "x.toml:3:32", "train.factor changes nothing here",
       "drop it"},
      {"task = { name = \"mark\" }\nmodel = { name = \"tiny\", attends = false }\nprobe = { names = [\"watch\"] }",
       "x.toml:3:11", "needs a model that attends", "choose another"},
      {minimal("quick = { \"train.steps\" = 3 }\nsweep = { \"task.vocabb\" = [1] }"), "x.toml:4:28",
       "has no setting 'vocabb'", "vocab"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.toml);
    refused([&] { resolve_sweep(parse_experiment(c.toml, "x.toml"), Preset::full, {}); }, c.place, c.problem, c.remedy);
  }
  const auto set = [](const std::string& words) {
    return [words] { resolve(experiment(), Preset::full, {parse_override(words)}, 0); };
  };
  refused(set("task.vocabb=3"), "task.vocabb=3", "task 'mark' has no setting 'vocabb'", "did you mean 'vocab'?");
  refused(set("vocab=3"), "vocab=3", "there is no setting 'vocab'", "did you mean 'task.vocab'?");
  refused(set("tsak.vocab=3"), "tsak.vocab=3", "there is no setting 'tsak.vocab'", "did you mean 'task.vocab'?");
  refused(set("train.steps=abc"), "train.steps=abc", "must be an integer, not a text (\"abc\")", "0 to 1099511627776");
  refused(set("seed=-1"), "seed=-1", "seed must be an integer, 0 or more", "seed=3");
  refused(set("train.steps.more=1"), "train.steps.more=1", "must be an integer, not a table", "updates");
  refused([] { parse_override("nothing"); }, "nothing", "sets nothing", "key=value");
}

TEST(Spec, FilesThatCanNotBeReadAreRefused) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "spec_test";
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "big.toml").string();
  write_whole(file, std::string(2 << 20, '#'));
  refused([&] { find_experiment(file); }, file, "larger than the 1048576 bytes", "right file");
  refused([&] { find_experiment((folder / "none.toml").string()); }, (folder / "none.toml").string(), "no such file",
          "path");
  refused([&] { find_experiment(folder.string() + "/"); }, folder.string() + "/", "is a folder", "name a file");
  write_whole(file, whole);
  EXPECT_EQ(find_experiment(file).name, "big");
  std::filesystem::remove_all(folder);
}

TEST(Spec, AFileNamedLikeAShippedExperimentIsAnExperimentOfItsOwn) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "spec_names_test";
  std::filesystem::create_directories(folder);
  const std::string shipped =
      read_file(std::filesystem::path(FOVEA_SOURCE_DIR) / "experiments" / "toy-uniform.toml", 1 << 20);
  write_whole(folder / "toy-uniform.toml", shipped);  // a copy is the shipped one
  EXPECT_EQ(read_experiment(folder / "toy-uniform.toml").name, "toy-uniform");
  EXPECT_EQ(read_experiment(folder / "toy-uniform.toml").source, "");
  write_whole(folder / "toy-uniform.toml", shipped + "# changed\n");
  const Experiment changed = read_experiment(folder / "toy-uniform.toml");
  EXPECT_EQ(changed.name, "toy-uniform.toml");
  EXPECT_EQ(changed.source, std::filesystem::canonical(folder / "toy-uniform.toml").string());
  write_whole(folder / "mine.toml", shipped);
  EXPECT_EQ(read_experiment(folder / "mine.toml").name, "mine");
  EXPECT_EQ(read_experiment(folder / "mine.toml").source, std::filesystem::canonical(folder / "mine.toml").string());
  EXPECT_EQ(find_experiment("toy-uniform").source, "");
  std::filesystem::remove_all(folder);
}

TEST(Spec, DeepNestingDoesNotExhaustTheStack) {
  std::string dots = "a";
  for (int i = 0; i < 200000; ++i) dots += ".a";
  refused([&] { parse_experiment("x = 1\n" + dots + " = 1", "x.toml"); }, "x.toml:2", "a key of more than 100 parts",
          "fewer dots");
  refused([&] { parse_experiment("[" + dots + "]", "x.toml"); }, "x.toml:1", "a key of more than 100 parts",
          "fewer dots");
  EXPECT_THROW(parse_experiment("x = " + std::string(100000, '['), "x.toml"), Error);
  EXPECT_THROW(parse_experiment(std::string("x = \xff\xfe"), "x.toml"), Error);
  const std::string prose = minimal("idea = \"\"\"" + std::string(500, '.') + "\"\"\" # " + std::string(500, '.') +
                                    "\ntitle = '" + std::string(500, '.') + "'");
  EXPECT_EQ(parse_experiment(prose, "x.toml").title.size(), 500u);
}

}  // namespace
}  // namespace fovea
