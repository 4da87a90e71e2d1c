#include "fovea/lab/experiment/experiment.h"

#include <filesystem>

#include "fovea/base/file.h"
#include "fovea/lab/record/json.h"
#include "tests/lab/experiment/experiment_scene.h"

namespace fovea {
namespace {

using namespace testing_parts;

std::string list_text(const ValueList& list) { return Value{list, {}}.text(); }

TEST(Spec, ReadsAnExperiment) {
  const Experiment e = experiment();
  EXPECT_EQ(e.name, "mark");
  EXPECT_EQ(e.title, "The mark");
  EXPECT_EQ(e.system, "tests");
  EXPECT_EQ(e.order, 7);
  ASSERT_EQ(e.claims.size(), 1u);
  EXPECT_EQ(e.claims[0].wanted(), ">= 0.9");
  EXPECT_EQ(e.claims[0].preset, Preset::full);
  EXPECT_EQ(e.claims[0].location.line, 16);
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
  refused([] { run_spec_from_table({}); }, "", "has no 'task'", "a spec that this program wrote");
}

// The two spell a number, a list and a table in their own ways.
TEST(Spec, ReadsJsonAsItReadsToml) {
  const Location page{"the page's spec", 0, 0, Location::Kind::spec};
  const auto read = [&page](const std::string& json) {
    return resolve(experiment_from_table(table_from_json(Json::parse(json), page), page), Preset::full, {}, 3);
  };
  const std::string parts = R"("task": {"name": "mark", "vocab": 12}, "model": {"name": "tiny"})";
  const RunSpec spec = read("{" + parts +
                            R"(, "train": {"steps": 40, "rate": 1, "beta1": 4e-3},
    "probe": {"every": 10, "names": ["watch"], "watch": {"scale": 2.5}},
    "intervene": [{"hold": "uniform", "until": 20}]})");
  const Experiment toml = parse_experiment(R"(
    task = { name = "mark", vocab = 12 }
    model = { name = "tiny" }
    train = { steps = 40, rate = 1.0, beta1 = 4e-3 }
    probe = { every = 10, names = ["watch"], watch = { scale = 2.5 } }
    intervene = [{ hold = "uniform", until = 20 }]
  )",
                                           "x.toml");
  EXPECT_EQ(spec.text(), resolve(toml, Preset::full, {}, 3).text());
  for (const char* wrong : {"[1]", "null", "7"}) EXPECT_THROW(read(wrong), Error) << wrong;
  refused([&] { read("{" + parts + R"(, "train": {"steps": null}})"); }, page.file, "null", "remove");
  refused([&] { read("{" + parts + R"(, "train": {"steps": 18446744073709551615}})"); }, page.file,
          "1.8446744073709552e+19", "");
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
  refused([&] { start("-1", 3); }, "train.start=-1", "train.start must be 0 or more, not -1",
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
  refused([] { parse_axis("seed=1,,2"); }, "seed=1,,2", "a value is missing", "a,b,c");
  refused([] { parse_axis("seed=5..2"); }, "seed=5..2", "runs backwards", "2..5");
  refused([] { parse_axis("seed=0..9223372036854775807"); }, "seed=0..9223372036854775807", "too long", "1000000");
}

TEST(Spec, ASweepIsTheProductOfItsAxes) {
  const auto runs = resolve_sweep(experiment(), Preset::full, {});
  ASSERT_EQ(runs.size(), 8u);
  EXPECT_EQ(runs[1].spec().seed, 1u);
  EXPECT_EQ(*runs[4].spec().setting("task.vocab")->as<std::int64_t>(), 20);
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
      "mark.toml", "20000000 runs (2 values of task.vocab × 100 values of task.length × 100000 seeds)", "shorten");
  refused([] { resolve_sweep(experiment(), Preset::full, {}, {parse_axis("task.vocab=20,1")}); }, "task.vocab=20,1",
          "must be 2 to 1000, not 1", "tokens");
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

}  // namespace
}  // namespace fovea
