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

struct BadWords {
  const char* words;
  int code;
  std::vector<const char*> said;
};

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

TEST_F(ProgramTest, EveryMistakeIsNamedAndLeavesNoRun) {
  write("key.toml", "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\" }\ntrain = { stepz = 10 }\n");
  write("type.toml", "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\", p = \"half\" }\n");
  write("negative.toml",
        "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\" }\ntrain = { steps = -5 }\n");
  write("nan.toml", "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\", p = nan }\n");
  write("broken.toml", "task = { name = \"two-sequences\"\nmodel = 3\n");
  const std::string toy = "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\" }\n";
  write("figure.toml", toy + "\n[[figure]]\nkind = \"lins\"\n");
  write("bound.toml", toy + "\n[[claim]]\nsays = \"x\"\nmetric = \"mean(loss)\"\nat_least = nan\n");
  write("empty.tsv", "");
  write("top.toml", "taks = { name = \"two-sequences\" }\n");
  fs::create_directory(folder_ / "folder.toml");
  {
    std::ofstream large(folder_ / "large.toml");
    const std::string line(1 << 20, '#');
    for (int i = 0; i < 100; ++i) large << line << '\n';
  }
  const std::vector<BadWords> table{
      {"run toy-unifrom", 2, {"toy-unifrom", "Did you mean 'toy-uniform'?"}},
      {"run key.toml", 2, {"key.toml:3:", "stepz", "'steps'"}},
      {"run type.toml", 2, {"type.toml:2:", "model.p must be a number"}},
      {"run negative.toml", 2, {"negative.toml:3:", "steps", "-5"}},
      {"run glimpse-plain --set model.patch=1000", 2, {"--set model.patch=1000: patches", "Set model.patch to 28"}},
      {"run nan.toml", 2, {"nan.toml:2:", "nan"}},
      {"run broken.toml", 2, {"broken.toml:1:"}},
      {"run top.toml", 2, {"top.toml:1:", "taks", "'task'"}},
      {"run missing.toml", 2, {"missing.toml", "no such file"}},
      {"run folder.toml", 2, {"folder.toml", "folder"}},
      {"run large.toml", 2, {"large.toml", "larger"}},
      {"run toy-uniform --set model.pp=1", 2, {"pp"}},
      {"run toy-uniform --set model.p=nan", 2, {"nan"}},
      {"run toy-uniform --set nonsense", 2, {"nonsense"}},
      {"run toy-uniform --set train.rate=0,01",
       2,
       {"'01' is not a number. Write a decimal number with a point: 0.01."}},
      {"sweep toy-uniform --set train.rate=0,01", 2, {"Write a decimal number with a point: 0.01."}},
      {"run toy-uniform --set 'train.rate=log(1e-3..1)'", 2, {"gives a distribution, and a run needs one value"}},
      {"run toy-uniform train.steps=10", 2, {"Write --set train.steps=10."}},
      {"run toy-uniform --set train.steps = 10", 2, {"Write --set train.steps=10 without spaces."}},
      {"run toy-uniform --set train.steps 10", 2, {"Write --set train.steps=10 without spaces."}},
      {"run toy-uniform --set data=x", 2, {"there is no setting 'data'. See: fovea list settings."}},
      {"run toy-uniform --set model.name=toy-gaet", 2, {"Did you mean 'toy-gate'?"}},
      {"run toy-uniform --engine tensorflow", 2, {"--engine cannot be 'tensorflow'. Known are: torch."}},
      {"reproduce toy-uniform --set sweep.seeds=0..4",
       2,
       {"there is no setting 'sweep.seeds'. Did you mean 'sweep.seed'?"}},
      {"reproduce toy-uniform --set seed=0..4", 2, {"--set sweep.seed=…"}},
      {"reproduce toy-uniform --set sweep.seed=0-4", 2, {"Write sweep.seed=0..4, or sweep.seed=1,2,5."}},
      {"--quick run toy-uniform",
       2,
       {"'--quick' is in front of the command. Write it after the command: fovea run … "}},
      {"help run", 2, {"there is no command 'help'. Write: fovea run --help"}},
      {"data", 2, {"fovea data needs a command: list, show, add, get, rm. See: fovea data --help"}},
      {"show 1 --step 3 --spec", 2, {"--step cannot be used with --spec"}},
      {"data get --as x", 2, {"--as needs the name of a corpus"}},
      {"runs --sort -", 2, {"--sort: nothing is named to sort by"}},
      {"runs --where 'seed = \"0\"'", 2, {"'seed' is a number, and \"0\" is a text. Write a number without quotes."}},
      {"tag --remove nope 1", 2, {"no run is tagged 'nope'. There are no tags yet."}},
      {"plot 1 p", 2, {"fovea plot needs --output FILE (the file of the figure"}},
      {"check-attention made-phrases", 2, {"the corpus 'made-phrases' has pairs of texts"}},
      {"check-attention made-reviews --label 1", 2, {"--label is an option for files, and 'made-reviews' is a corpus"}},
      {"check-attention made-reveiws", 2, {"Did you mean 'made-reviews'?"}},
      {"predict made-reveiws", 2, {"there is no task, experiment, corpus or file 'made-reveiws'", "'made-reviews'"}},
      {"data add x --train empty.tsv", 2, {"empty.tsv: is empty"}},
      {"data add x --train empty.tsv --source 1", 2, {"--target is missing"}},
      {"run toy-uniform --set train.steps=1,2", 2, {"several values", "fovea sweep"}},
      {"run toy-uniform --seed -1", 2, {"seed"}},
      {"run toy-uniform --set seed=3 --seed 5", 2, {"--set seed=3", "--seed 5", "contradict"}},
      {"sweep toy-uniform --set seed=3 --seeds 0..2", 2, {"--set seed=3", "--seeds 0..2", "contradict"}},
      {"sweep toy-uniform --set seed=0..3 --seeds 0..2", 2, {"--set seed=0..3", "--seeds 0..2", "contradict"}},
      {"run toy-uniform --set train.start=-1", 2, {"train.start must be 0 or more, not -1"}},
      {"run toy-uniform --jsn", 2, {"--jsn", "'--json'"}},
      {"rnu toy-uniform", 2, {"no command 'rnu'", "Did you mean 'run'?"}},
      {"rnu --help", 2, {"no command 'rnu'", "Did you mean 'run'?"}},
      {"--help rnu", 2, {"no command 'rnu'", "Did you mean 'run'?"}},
      {"nosuchthing --help", 2, {"no command 'nosuchthing'", "fovea --help"}},
      {"data ad --help", 2, {"no command 'data ad'", "Did you mean 'data add'?"}},
      {"reproduce", 2, {"--all"}},
      {"reproduce toy-uniform --set train.steps=10,20", 2, {"train.steps", "--set sweep.train.steps=…"}},
      {"reproduce figure.toml", 2, {"figure.toml:4:", "lins", "'lines'"}},
      {"reproduce bound.toml", 2, {"bound.toml:", "not a number"}},
      {"run toy-uniform --seed 99999999999999999999", 2, {"seed"}},
      {"reproduce toy-uniform --quick --full", 2, {"--quick cannot be used with --full"}},
      {"reproduce toy-uniform -o a.pdf", 2, {"a.pdf: the name of the report must end with .html. Name it a.html."}},
      {"reproduce nothing-like-it", 2, {"See: fovea list experiments."}},
      {"reproduce toy-uniform --claim integrated-tim", 2, {"'integrated-tim'", "Did you mean 'integrated-time'?"}},
      {"reproduce toy-uniform --claim nothing",
       2,
       {"toy-uniform has no claim 'nothing' in the quick form", "fovea reproduce toy-uniform --explain"}},
      {"show 99", 2, {"no run 99"}},
      {"run toy-uniform --series", 2, {"--series needs --json"}},
      {"run toy-uniform --seed", 2, {"--seed needs a value"}},
      {"show", 2, {"fovea show needs RUN (the id of a run). See: fovea show --help"}},
      {"show x", 2, {"'x' is not the id of a run. An id is a number. See the ids: fovea runs."}},
      {"show 999999999999999999999", 2, {"there is no run 999999999999999999999. See: fovea runs."}},
      {"compare 1", 2, {"fovea compare needs B (the run or the group"}},
      {"runs toy-uniform extra", 2, {"'extra' is one argument too many for fovea runs"}},
      {"run toy-uniform --sed 3", 2, {"Did you mean '--set' or '--seed'?"}},
      {"run toy-uniform --resume 1", 2, {"--resume takes no experiment"}},
      {"run --resume 1 --quick", 2, {"--quick", "--resume"}},
      {"run .", 2, {"there is no experiment '.'. The name of a spec file must end in .toml."}},
      {"run toy-uniform --set task.name=copy", 2, {"--set task.name=copy: model 'toy-gate' needs"}},
      {"run toy-uniform --set 'intervene=[{hold=\"uniform\", until=50]'", 2, {"a } is missing in the value"}},
      {"run toy-uniform --set 'intervene=[{hold=\"uniform\", til=5}]'", 2, {"til=5}]: the intervention 'hold' has no"}},
      {"sweep toy-uniform --set 'train.rate=normal(0..1)' --draws 2",
       2,
       {"'normal' is not a distribution", "uniform("}},
      {"reproduce toy-lowloss --set sweep.seed=5..1", 2, {"--set sweep.seed=5..1: the range '5..1' runs backwards"}},
      {"reproduce toy-uniform -o missing/r.html", 2, {"missing/r.html: there is no folder 'missing'. Make it"}},
      {"plot 1 p -o missing/a.svg", 2, {"there is no folder 'missing'"}},
      {"compare 1 2 -o missing/a.svg", 2, {"there is no folder 'missing'"}},
      {"export --all --format csv -o .", 2, {"is a folder. Name a file."}},
      {"report --format png -o a.html", 2, {"--format needs --figures"}},
      {"tag --remove", 2, {"no tag is named. Write: fovea tag --remove good 3 7."}},
      {"data add x --train a.tsv --label 1 --dev b.tsv --dev-share 0.2",
       2,
       {"--dev-share splits texts off", "--dev names"}},
      {"predict copy --label 1", 2, {"--label is an option for files, and 'copy' is not a file"}},
      {"list experiments toy", 2, {"Names that begin so: toy-uniform, "}},
      {"reproduce --all toy-uniform", 2, {"--all", "'toy-uniform'", "one of the two"}},
      {"sweep toy-uniform --seeds 5..2", 2, {"--seeds 5..2: ", "2..5"}},
      {"sweep toy-uniform --seeds x", 2, {"--seeds x: ", "is not a seed", "0..19"}},
      {"serve --for 0", 2, {"--for", "0.001", "not '0'"}},
      {"serve --address 192.0.2.1 --port 0 --for 1", 2, {"192.0.2.1 is not an address of this machine"}},
      {"data add x --train a.tsv --label 1 --dev-share 2", 2, {"--dev-share", "0 to 1"}},
      {"plot abc p -o a.svg", 2, {"'abc'", "as a metric"}},
      {"plot 99 p -o a.svg", 2, {"no run 99"}},
      {"plot 1 p -o a.bmp", 2, {".bmp"}},
      {"runs --where 'accuracy >'", 2, {"--where"}},
      {"runs --limit -2", 2, {"--limit", "-1 or more, not '-2'"}},
      {"export --all -o a.xls", 2, {"a.xls"}},
      {"export --all -o a --format cvs", 2, {"--format cannot be 'cvs'. Did you mean 'csv'?"}},
      {"export 1 --all -o a.csv", 2, {"--all", "one of the two"}},
      {"export --all --where 'seed = 1' -o a.csv", 2, {"--where", "--all"}},
      {"export -o a.csv", 2, {"no run is named"}},
      {"show 1 --spec --json", 2, {"--spec", "--json"}},
      {"list task", 2, {"'tasks'"}},
      {"list seq2seq", 2, {"Write: fovea list models seq2seq"}},
      {"run copy-subset --set task.vocab=5", 2, {"--set task.vocab=5: task 'copy' cannot draw"}},
      {"report", 2, {"no experiment with claims has been reproduced"}},
      {"report -o a.pdf", 2, {"a.pdf: the name of the report must end with .html. Name it a.html."}},
      {"report -o a.html --data", 2, {"with --data the name of the file must end with .json. Name it a.json."}},
      {"report --figures . -o a.html", 2, {"--figures", "-o"}},
      {"bench --system copyng", 2, {"copyng", "Did you mean 'copying'?"}},
      {"bench --system missing.toml", 2, {"missing.toml", "no such file"}},
      {"bench --system toy-gate --set model.pp=1", 2, {"pp"}},
      {"bench --threads 0", 2, {"--threads", "1 to 1024"}},
  };
  for (const BadWords& bad : table) {
    const Outcome outcome = fovea(bad.words);
    EXPECT_EQ(outcome.code, bad.code) << bad.words << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << bad.words;
    for (const char* said : bad.said) {
      EXPECT_NE(outcome.err.find(said), std::string::npos) << bad.words << "\nsays: " << outcome.err;
    }
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << bad.words << "\nsays: " << outcome.err;
  }
  EXPECT_EQ(json("runs --json")["runs"].size(), 0u);
}

TEST_F(ProgramTest, NamesThatNoRunHasAreMistakesOnceThereAreRuns) {
  ASSERT_EQ(fovea("run toy-uniform --quiet").code, 0);
  const std::vector<BadWords> table{
      {"runs toy-unifrom", 2, {"toy-unifrom", "'toy-uniform'"}},
      {"runs --sort tau_p_reach_1", 2, {"--sort", "'tau_p_reaches_1'"}},
      {"runs --where 'state = done'", 2, {"'done' is a text without quotes. Write: state = \"done\"."}},
      {"runs --where 'experiment = toy-uniform'", 2, {"Write: experiment = \"toy-uniform\"."}},
      {"runs --where 'experiment = 3'",
       2,
       {"'experiment' is a text, and 3 is a number. Put the text in quotes: \"3\"."}},
      {"runs --where 'probe.names = \"loss\"'", 2, {"'probe.names' is a list, and a condition reads no list"}},
      {"compare toy-uniform 1", 2, {"A: 'toy-uniform' is the name of an experiment", "'experiment = \"toy-uniform\"'"}},
      {"compare 1,2 3", 2, {"A: '1,2' is not the id of one run", "'id = 1 or id = 2'"}},
      {"plot 1 accuracy -o a.svg", 2, {"none of these runs has the metric 'accuracy'"}},
      {"measure 1", 2, {"run 1 is of model 'toy-gate'", "seq2seq"}},
      {"runs --where 'train.stps > 3'", 2, {"--where", "'train.steps'"}},
      {"runs --show loss descent_ordre", 2, {"--show", "'descent_order'"}},
      {"export --where 'lsos < 1' -o a.csv", 2, {"'loss'"}},
      {"export --where 'loss > 1e9' -o a.csv", 2, {"no run meets the condition"}},
      {"plot --where 'lsos < 1' loss -o a.svg", 2, {"'loss'"}},
      {"export 1 7 -o a.csv", 2, {"no run 7"}},
      {"runs --where \"experiment = 'a'; DROP TABLE runs\"", 2, {"--where"}},
  };
  for (const BadWords& bad : table) {
    const Outcome outcome = fovea(bad.words);
    EXPECT_EQ(outcome.code, bad.code) << bad.words << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << bad.words;
    for (const char* said : bad.said)
      EXPECT_NE(outcome.err.find(said), std::string::npos) << bad.words << "\nsays: " << outcome.err;
  }
  EXPECT_FALSE(fs::exists(folder_ / "a.csv"));
  EXPECT_EQ(fovea("runs toy-mistaken").out, "No run of toy-mistaken yet. Begin with: fovea run toy-mistaken\n");
  EXPECT_EQ(fovea("export 1 --where 'seed = 0' -o a.jsonl").code, 0);
  const std::string lines = read(folder_ / "a.jsonl");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1);  // named in two ways, written once
}

TEST_F(ProgramTest, MetricsOfOtherRunsAreSaidToBeTheirs) {
  ASSERT_EQ(fovea("run toy-uniform --quiet").code, 0);
  ASSERT_EQ(fovea("run toy-uniform --quiet --set 'probe.names=[\"toy-flow\", \"loss\", \"evidence\"]'").code, 0);
  ASSERT_EQ(fovea("run toy-uniform --quiet --seed 7").code, 0);
  const std::vector<BadWords> table{
      {"plot 1 evidence_accuracy -o a.svg",
       2,
       {"none of the named runs has the metric 'evidence_accuracy'. Name runs of the store that have it: 2."}},
      {"compare 1 3 --metric accuracy", 2, {"--metric: run 1 has no metric or setting 'accuracy'. See the metrics"}},
      {"compare 1 2 --metric evidence_accuracy", 2, {"run 1 has no metric or setting 'evidence_accuracy'"}},
      {"compare 'seed = 7' 2 --metric tau_p_reach_1", 2, {"Did you mean 'tau_p_reaches_1'?"}},
      {"runs --where 'model.attention = 1'", 2, {"no run has a metric or setting 'model.attention'. See the names"}},
  };
  for (const BadWords& bad : table) {
    const Outcome outcome = fovea(bad.words);
    EXPECT_EQ(outcome.code, bad.code) << bad.words << "\n" << outcome.err;
    for (const char* said : bad.said)
      EXPECT_NE(outcome.err.find(said), std::string::npos) << bad.words << "\nsays: " << outcome.err;
  }
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
