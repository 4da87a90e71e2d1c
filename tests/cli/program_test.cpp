#include "tests/cli/program.h"

#include <cmath>
#include <numbers>

#include "tests/sanitized.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;
namespace fs = std::filesystem;

TEST_F(ProgramTest, ToyUniformReachesOneWhenTheEquationsSay) {
  const auto run = json("run toy-uniform --json --quiet");
  for (const char* key : {"experiment", "run", "seed", "steps", "seconds", "metrics"})
    EXPECT_TRUE(run.contains(key)) << key;
  EXPECT_FALSE(run.contains("series"));
  const double exact = std::acosh(2.0) / std::numbers::sqrt2;
  EXPECT_NEAR(run["metrics"]["tau_p_reaches_1"].get<double>(), exact, 1e-6);
  EXPECT_NEAR(run["metrics"]["tau_p_reaches_1_ode"].get<double>(), exact, 1e-5);
  EXPECT_GE(run["metrics"]["descent_order"].get<double>(), 0.9);
  EXPECT_LE(run["metrics"]["descent_order"].get<double>(), 1.1);
}

TEST_F(ProgramTest, TheSameSpecGivesTheSameBits) {
  const auto series = [&](const std::string& words) {
    return json("run toy-uniform --json --quiet --series " + words)["series"];
  };
  const auto once = series("");
  EXPECT_GT(once.size(), 3u);
  EXPECT_EQ(once, series(""));
  EXPECT_EQ(once, series("--set train.threads=2"));
}

TEST_F(ProgramTest, ReproduceSaysWhatHeld) {
  const auto result = json("reproduce toy-uniform toy-mistaken toy-lowloss toy-phase --json --quiet");
  ASSERT_GE(result["claims"].size(), 8u);
  for (const auto& claim : result["claims"]) {
    for (const char* key : {"experiment", "claim", "value", "wanted", "held"}) EXPECT_TRUE(claim.contains(key)) << key;
    EXPECT_TRUE(claim["held"].get<bool>()) << claim.dump();
    EXPECT_EQ(claim["verdict"], "supported");
    EXPECT_EQ(claim["threshold"], claim["wanted"]);
    for (const char* key : {"name", "title", "formula", "define", "null", "rivals", "expect"})
      EXPECT_TRUE(claim.contains(key)) << key;
  }
}

TEST_F(ProgramTest, ReproduceShowsOneClaimAndExplainsIt) {
  const Outcome one = fovea("reproduce toy-uniform toy-mistaken --claim integrated-time --quiet");
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_NE(one.out.find("1 of 1 claim is supported."), std::string::npos) << one.out;
  const Outcome explained = fovea("reproduce toy-uniform --claim integrated-time --explain --quiet");
  for (const char* part : {"integrated-time", "tau_p_reaches_1_ode", "<= 1e-05", "\nnull ", "\nmetric ", "0.607: "})
    EXPECT_NE(explained.out.find(part), std::string::npos) << part << "\n" << explained.out;
  const auto found = json("reproduce toy-uniform --claim integrated-time --json --quiet");
  ASSERT_EQ(found["claims"].size(), 1u);
  EXPECT_EQ(found["claims"][0]["null"]["value"], 0.607);
  EXPECT_FALSE(found["claims"][0]["null"].contains("infinite"));
  const auto endless = json("reproduce toy-uniform --claim trained-time --json --quiet")["claims"][0]["null"];
  EXPECT_TRUE(endless["value"].is_null());
  EXPECT_EQ(endless["infinite"], "∞") << "JSON has no infinity";
  const std::string told = fovea("report --data -o story.json").code == 0 ? read(folder_ / "story.json") : "";
  EXPECT_NE(told.find("integrated-time"), std::string::npos) << "texts come with results from the store";
}

TEST_F(ProgramTest, RunsShowPlotReportAndExportFindWhatRunKept) {
  ASSERT_EQ(fovea("reproduce toy-uniform --quiet -o page.html").code, 0);
  std::ofstream(folder_ / "report.html") << "<title>of another program</title>";
  const Outcome refused = fovea("reproduce toy-uniform --quiet");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("is not a report of experiments"), std::string::npos) << refused.err;
  EXPECT_EQ(read(folder_ / "report.html"), "<title>of another program</title>");
  ASSERT_EQ(fovea("reproduce toy-uniform --quiet -o report.html").code, 0) << "named, it is written over";
  std::ofstream(folder_ / "report.html") << "<title>of another program</title>";
  EXPECT_EQ(fovea("report").code, 2) << "as reproduce does";
  EXPECT_EQ(fovea("report --data -o story.json").code, 0) << "which writes another file";
  ASSERT_EQ(fovea("report --plain -o report.html").code, 0);
  ASSERT_EQ(fovea("reproduce toy-uniform --quiet").code, 0) << "a report, too";
  const auto runs = json("runs --json")["runs"];
  ASSERT_EQ(runs.size(), 1u);
  const auto shown = json("runs --json --show 'step_of(p >= 1)' 'step_of(p >= 9)'")["runs"][0]["shown"];
  EXPECT_EQ(shown["step_of(p >= 1)"], 61);
  EXPECT_TRUE(shown["step_of(p >= 9)"].is_null()) << "never";
  const std::string id = std::to_string(runs[0]["run"].get<int>());
  EXPECT_NE(fovea("runs").out.find("toy-uniform"), std::string::npos);
  EXPECT_NE(fovea("show " + id).out.find("tau_p_reaches_1"), std::string::npos);
  for (const char* name : {"a.svg", "a.pdf", "a.png"}) {
    const Outcome plot = fovea("plot " + id + " p p_flow -o " + name);
    EXPECT_EQ(plot.code, 0) << plot.err;
    EXPECT_GT(fs::file_size(folder_ / name), 1000u) << name;
  }
  EXPECT_EQ(fovea("report -o again.html").code, 0);
  EXPECT_NE(read(folder_ / "again.html").find("toy-uniform"), std::string::npos);
  EXPECT_EQ(fovea("export --all -o all.csv").code, 0);
  EXPECT_EQ(read(folder_ / "all.csv").substr(0, 37), "run,experiment,seed,metric,step,value");
}

TEST_F(ProgramTest, ReportShowsFilesOfOnesOwn) {
  const std::string toy =
      "title = \"mine alone\"\ntask = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\" }\n"
      "train = { steps = 5 }\n[[claim]]\nsays = \"it was trained\"\nmetric = \"mean(train_loss)\"\nat_least = 0\n";
  write("own.toml", toy);
  ASSERT_EQ(fovea("reproduce own.toml --quiet").code, 0);
  const Outcome report = fovea("report -o own.html");
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_NE(read(folder_ / "own.html").find("mine alone"), std::string::npos);
  // Beside a shipped one, and without the file once it is gone.
  ASSERT_EQ(fovea("reproduce toy-uniform --quiet").code, 0);
  ASSERT_EQ(fovea("report --data -o both.json").code, 0);
  const std::string both = read(folder_ / "both.json");
  EXPECT_NE(both.find("toy-uniform"), std::string::npos);
  EXPECT_NE(both.find("mine alone"), std::string::npos);
  fs::remove(folder_ / "own.toml");
  const Outcome less = fovea("report --data -o less.json");
  EXPECT_EQ(less.code, 0) << less.err;
  EXPECT_NE(less.err.find("own.toml"), std::string::npos) << less.err;
  EXPECT_EQ(read(folder_ / "less.json").find("mine alone"), std::string::npos);
}

TEST_F(ProgramTest, BenchTimesASystemAndKeepsNoRun) {
  if (sanitized) GTEST_SKIP() << "it times large products, for minutes; what it calls is tested in the lab, too";
  const auto all = json("bench --quick --quiet --json --system toy-gate --system keyword-lstm --set train.batch=2,4");
  ASSERT_EQ(all["systems"].size(), 4u) << all.dump();
  EXPECT_EQ(all["systems"][3]["system"], "keyword-lstm train.batch=4");
  for (const auto& system : all["systems"]) {
    EXPECT_GT(system["steps_per_second"].get<double>(), 0);
    EXPECT_NEAR(system["share_of_products"].get<double>(),
                system["operations_per_step"].get<double>() * system["steps_per_second"].get<double>() /
                    all["product_operations_per_second"].get<double>(),
                1e-12);
  }
  EXPECT_GT(all["bf16x3"]["product_operations_per_second"].get<double>(), 0);
  EXPECT_FALSE(all["bf16x3"]["unit"].get<std::string>().empty());
  EXPECT_FALSE(all.contains("full_reproduction"));
  EXPECT_NE(fovea("bench --quick --system toy-gate").out.find("toy-gate"), std::string::npos);
  EXPECT_FALSE(fs::exists(home_));
}

TEST_F(ProgramTest, AShownSpecRunsAgainAsTheSameRun) {
  const auto first = json("run toy-uniform --json --quiet --series");
  write("again.toml", fovea("show " + std::to_string(first["run"].get<int>()) + " --spec").out);
  const auto second = json("run again.toml --json --quiet --series");
  EXPECT_EQ(first["series"], second["series"]);
  EXPECT_EQ(first["hash"], second["hash"]);
}

TEST_F(ProgramTest, ARunOfASweepIsTheFirstOfItAndSaysSo) {
  const Outcome first = fovea("run toy-bounded --set train.steps=1");
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_NE(
      first.err.find("toy-bounded is a sweep. Its first values are used: model.beta1 = -4. To train all values: fovea "
                     "sweep toy-bounded"),
      std::string::npos)
      << first.err;
  EXPECT_NE(fovea("show 1 --spec").out.find("beta1 = -4"), std::string::npos);
  EXPECT_EQ(fovea("run toy-bounded --set train.steps=1 --quiet").err, "");
  const Outcome other = fovea("run toy-bounded --set train.steps=1 --set model.beta1=8");
  EXPECT_EQ(other.err.find("sweep"), std::string::npos) << other.err;
  const auto given = json("run toy-bounded --set train.steps=1 --set model.beta1=8 --json --quiet");
  EXPECT_NE(fovea("show " + std::to_string(given["run"].get<int>()) + " --spec").out.find("beta1 = 8"),
            std::string::npos);
}

TEST_F(ProgramTest, AllThatIsAskedOfASweepIsOfTheFirstOfItAndSaysSo) {
  const std::string predict = "predict markov-icl --quick --draws 100 ",
                    first = "Its first values are used: task.states = 2. ";
  const Outcome predicted = fovea(predict);
  EXPECT_NE(predicted.err.find("markov-icl is a sweep. " + first), std::string::npos) << predicted.err;
  EXPECT_EQ(predicted.out, fovea(predict + "--set task.states=2 --quiet").out);
  const Outcome other = fovea(predict + "--set task.states=3");
  EXPECT_EQ(other.err.find("sweep"), std::string::npos) << other.err;
  EXPECT_NE(other.out, predicted.out);
  if (sanitized) return;  // what is timed
  const Outcome timed = fovea("bench --quick --system markov-icl --set task.length=4");
  EXPECT_NE(timed.err.find("markov-icl is a sweep. " + first), std::string::npos) << timed.err;
}

TEST_F(ProgramTest, AnotherModelAndOtherSeedsAreSetOverAnExperiment) {
  write("copying.toml", R"toml(
task = { name = "copy", vocab = 5, length = 3 }
model = { name = "seq2seq", hidden = 4 }
train = { steps = 2, batch = 2 }
probe = { every = 1, examples = 2, names = ["loss"] }
sweep = { seed = "0..3" }
[[claim]]
says = "It is trained"
metric = "share(loss < 99)"
at_least = 1
)toml");
  const auto other = fovea("run copying.toml --threads 2 --set model.name=word-mean-translator --json");
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_NE(other.err.find("model.hidden of copying is left out, because the model of --set has no such setting"),
            std::string::npos)
      << other.err;
  EXPECT_EQ(nlohmann::json::parse(other.out)["settings"]["train"]["threads"], 2);
  const auto made = json("reproduce copying.toml --set sweep.seed=5,7 --json --quiet");
  EXPECT_EQ(made["experiments"][0]["runs"].size(), 2u);
  EXPECT_EQ(json("sweep copying.toml --set sweep.seed=5..7 --json --quiet")["runs"].size(), 3u);
  EXPECT_EQ(json("sweep copying.toml --set sweep.seed=[5,7] --json --quiet")["runs"].size(), 2u);  // as a file has it
  EXPECT_NE(fovea("run copying.toml --set sweep.seed=5").err.find("a run has one seed"), std::string::npos);
}

TEST_F(ProgramTest, ASweepOfTwoWholeRatesNamesThem) {
  const std::string sweep = "sweep toy-uniform --seeds 0 --set train.steps=1 --set ";
  const std::string said = "train.rate takes two values: 0 and 1. A decimal number has a point: 0.1";
  EXPECT_TRUE(fovea::testing::says(fovea(sweep + "train.rate=0,1").err, said));
  for (const char* words : {"train.rate=0,1 --quiet", "train.rate=0.0,1", "train.rate=0,1,2", "train.batch=1,2"})
    EXPECT_EQ(fovea(sweep + words).err.find("two values"), std::string::npos) << words;
}

TEST_F(ProgramTest, NamesOfAnySizeAreShortened) {
  const std::string huge(1 << 20, 'k');
  write("huge.toml", "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\", " + huge + " = 1 }\n");
  write("value.toml", "task = { name = \"" + huge + "\" }\nmodel = { name = \"toy-gate\" }\n");
  const double at_once = std::max(5.0, 100 * fovea("show 99").seconds);
  for (const std::string words : {"run huge.toml", "run value.toml"}) {
    const Outcome outcome = fovea(words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_LT(outcome.err.size(), 2000u);
    EXPECT_LT(outcome.seconds, at_once);
  }
  ASSERT_EQ(fovea("run toy-uniform --quiet").code, 0);
  const std::string long_word(100'000, 'w');
  for (const std::string words : {"run ", "runs ", "--", "run toy-uniform --set ", "runs --where "}) {
    const Outcome outcome = fovea(words + long_word);
    EXPECT_NE(outcome.code, 0) << words;
    EXPECT_LT(outcome.err.size(), 2500u) << words;
  }
}

}  // namespace
}  // namespace fovea
