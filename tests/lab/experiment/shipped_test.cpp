// Every experiment that the library ships resolves, in both forms.
#include "fovea/io/shipped.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "fovea/lab/experiment/describe.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/spec/assembly.h"
#include "tests/lab/train/mark.h"
#include "tests/sanitized.h"

namespace fovea {
namespace {

TEST(Shipped, EveryFileIsBuiltInAndResolvesInBothForms) {
  std::size_t files = 0;
  const std::filesystem::path folder = std::filesystem::path(FOVEA_SOURCE_DIR) / "experiments";
  if (std::filesystem::exists(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files += entry.path().extension() == ".toml";
  EXPECT_EQ(experiment_names().size(), files);
  for (const std::string& name : experiment_names()) {
    SCOPED_TRACE(name);
    const Experiment experiment = find_experiment(name);
    EXPECT_FALSE(experiment.idea.empty() || experiment.system.empty());
    EXPECT_NE(experiment.title, name);
    EXPECT_FALSE(experiment.claims.empty());
    for (const Preset preset : {Preset::quick, Preset::full}) {
      if (sanitized && preset == Preset::full) continue;  // the same code at another size
      try {
        EXPECT_FALSE(resolve_sweep(experiment, preset, {}).empty());
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
}

// Of task `sink` one example in three has no trigger, and so no true position.
TEST(Shipped, TruePositionsAreFoundForEverySeed) {
  const Experiment experiment = find_experiment("sink-remedies");
  for (std::uint64_t seed = 10'000; seed < 10'010; ++seed)
    EXPECT_NO_THROW(resolve(experiment, Preset::quick, {}, seed)) << seed;
}

// What a model says of its attention and its β beforehand is what a pass gives.
TEST(Shipped, ModelsGiveWhatTheySayTheyHave) {
  using Attends = Model<float>::Attends;
  const auto attends = [](const std::string& name, const std::vector<std::string>& words) {
    SCOPED_TRACE(name);
    std::vector<Override> overrides;
    for (const std::string& word : words) overrides.push_back(parse_override(word));
    if (!words.empty()) overrides.push_back(parse_override("probe.names=[]"));  // the shipped ones may not fit any more
    const RunSpec spec = resolve(find_experiment(name), Preset::quick, overrides, 1);
    const std::unique_ptr<Task> task = make_task(spec);
    ParameterSet<float> parameters;
    const std::unique_ptr<Model<float>> model = make_model<float>(spec, task->shape(), parameters);
    Batch batch;
    task->batch(Split::validation, 0, 3, batch);
    Arena arena;
    Team team;
    Compute compute{arena, team};
    const Attends said = model->attends(batch);
    const Trace<float> trace = model->forward(compute, batch, {});
    EXPECT_EQ(trace.attention.empty(), said == Attends::no);
    EXPECT_EQ(model->beta(compute, trace).empty(), !model->has_beta());
    return said;
  };
  for (const std::string& name : experiment_names()) attends(name, {});
  EXPECT_EQ(attends("keyword-uniform", {}), Attends::evenly);
  EXPECT_EQ(attends("keyword-lstm", {}), Attends::by_score);
  for (const auto& [word, wanted] :
       {std::pair("learned", Attends::by_score), std::pair("uniform", Attends::evenly), std::pair("none", Attends::no)})
    EXPECT_EQ(attends("copy-subset", {"model.attention=" + std::string(word)}), wanted);
  EXPECT_EQ(attends("feature-free", {"model.gate=none"}), Attends::no);
  EXPECT_EQ(attends("digits-dot", {"model.score=flat"}), Attends::no);
  EXPECT_EQ(attends("pooling-average", {}), Attends::evenly);
  EXPECT_EQ(attends("pooling-gaussian", {}), Attends::by_score);
  EXPECT_EQ(attends("pooling-gaussian", {"task.points=2000"}), Attends::no) << "too much of it to be shown";
}

TEST(Shipped, AnUnknownNameIsRefused) {
  try {
    find_experiment("no-such-experiment");
    ADD_FAILURE() << "was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    EXPECT_EQ(error.problem().text(), "there is no experiment 'no-such-experiment'");
  }
}

TEST(Describe, TellsOfEveryPartAndItsSettings) {
  const auto find = [](const std::vector<Description>& all, const std::string& name) {
    for (const Description& one : all)
      if (one.name == name) return one;
    return Description{};
  };
  const Description mark = find(describe_tasks(), "mark");
  EXPECT_EQ(mark.summary, "is the mark there?");
  ASSERT_EQ(mark.settings.size(), 3u);
  EXPECT_EQ(mark.settings[0].name, "vocab");
  EXPECT_EQ(mark.settings[0].kind, "integer, 2 to 1000");
  EXPECT_EQ(mark.settings[0].fallback->text(), "10");
  EXPECT_EQ(find(describe_models(), "tiny").settings.size(), 7u);
  EXPECT_EQ(find(describe_probes(), "watch").settings.size(), 1u);
  EXPECT_EQ(describe_experiments().size(), experiment_names().size());
  const Description hold = find(describe_interventions(), "hold");
  ASSERT_EQ(hold.settings.size(), 4u);
  EXPECT_EQ(hold.settings[0].kind, "one of: uniform, previous, first, truth");
  EXPECT_EQ(hold.settings[3].otherwise, "the end of training");
  const SettingDescription start = [] {
    const std::vector<Description> described = describe_settings();
    for (const SettingDescription& setting : described[0].settings)
      if (setting.name == "start") return setting;
    return SettingDescription{};
  }();
  EXPECT_FALSE(start.fallback);
  EXPECT_EQ(start.otherwise, "the run's seed");
}

}  // namespace
}  // namespace fovea
