#include "fovea/lab/experiment/baselines.h"

#include <gtest/gtest.h>

#include "fovea/base/error/error.h"

namespace fovea {
namespace {

// A shipped experiment, measured against nothing but this.
Experiment with(const std::string& experiment, const std::string& against) {
  Experiment changed = find_experiment(experiment);
  changed.baselines = {read_baseline(parse_table("against = {" + against + "}", "mine.toml").at("against"))};
  return changed;
}

std::string complaint(const std::string& against) {
  try {
    parse_experiment("task = { name = \"keyword\" }\nmodel = { name = \"gated-classifier\" }\n[[against]]\n" + against,
                     "mine.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    return error.what();
  }
  ADD_FAILURE() << "took " << against;
  return {};
}

TEST(Baseline, IsTheSameTaskWithAModelOfItsOwn) {
  const Experiment words = with(
      "text-classify",
      "name = 'words', model = { name = 'word-mean', embedding = 8 }, train = { batch = 100, rate = 0.5 }, epochs = 3, "
      "set = { 'task.alike' = false }, quick = { epochs = 2, 'model.embedding' = 4 }, probe = { names = ['loss'] }");
  EXPECT_FALSE(words.baselines.front().keeps_model());
  const std::vector<Override> overrides{parse_override("model.hidden=7"), parse_override("task.min_count=3"),
                                        parse_override("train.steps=5"), parse_override("probe.split=test"),
                                        parse_override("probe.names=[\"entropy\", \"evidence\"]")};
  const RunSpec full = resolve_baselines(words, Preset::full, overrides).front().spec();
  EXPECT_EQ(full.setting("model.embedding")->text(), "8");
  EXPECT_EQ(full.setting("task.min_count")->text(), "3") << "the task is shared, so what is set of it holds";
  EXPECT_EQ(full.setting("task.alike")->text(), "false");
  EXPECT_EQ(full.setting("train.steps")->text(), "60") << "2000 texts are 20 batches of 100";
  EXPECT_EQ(full.setting("probe.every")->text(), "20");
  EXPECT_EQ(full.setting("train.rate")->text(), "0.5");
  EXPECT_EQ(full.setting("probe.split")->text(), "\"test\"") << "all look at the same examples";
  EXPECT_EQ(full.setting("probe.names")->text(), "[\"loss\"]");
  const RunSpec quick = resolve_baselines(words, Preset::quick, {}).front().spec();
  EXPECT_EQ(quick.setting("model.embedding")->text(), "4");
  EXPECT_EQ(quick.setting("train.steps")->text(), "40");

  const Experiment uniform = with("text-classify", "name = 'uniform', set = { 'model.attention' = 'uniform' }");
  EXPECT_TRUE(uniform.baselines.front().keeps_model());
  const RunSpec held = resolve_baselines(uniform, Preset::quick, overrides).front().spec();
  EXPECT_EQ(held.setting("model.hidden")->text(), "7");
  EXPECT_EQ(held.setting("train.steps")->text(), "5");
  EXPECT_EQ(held.setting("model.attention")->text(), "\"uniform\"");
}

TEST(Baseline, MistakesShowWithTheirPlace) {
  EXPECT_NE(complaint("model = { name = \"word-mean\" }").find("has no name"), std::string::npos);
  EXPECT_NE(complaint("name = \"x\"\nmodle = {}").find("'model'"), std::string::npos);
  EXPECT_NE(complaint("name = \"x\"\nmodel = 3").find("mine.toml:5"), std::string::npos);
  EXPECT_NE(complaint("name = \"x\"\nset = { rate = 3 }").find("is no setting"), std::string::npos);
  EXPECT_NE(complaint("name = \"x\"\nepochs = 2\ntrain = { steps = 3 }").find("Keep one"), std::string::npos);
  EXPECT_NE(complaint("name = \"x\"\nepochs = 0").find("epochs"), std::string::npos);
}

TEST(Baseline, OfAShippedExperimentIsReadWithIt) {
  const Experiment experiment = find_experiment("text-classify");
  ASSERT_EQ(experiment.baselines.size(), 2u);
  EXPECT_EQ(experiment.baselines.front().name, "what words alone say");
  EXPECT_EQ(experiment.baselines.back().epochs, 30);
  EXPECT_EQ(experiment.baselines.back().quick_epochs, 8);
  EXPECT_TRUE(find_experiment("keyword-lstm").baselines.empty());
}

TEST(Baseline, ATaskOfFreshExamplesHasNoEpochs) {
  const Experiment words =
      with("keyword-lstm", "name = 'words', model = { name = 'word-mean' }, epochs = 3, train = { rate = 0.5 }");
  EXPECT_THROW(resolve_baselines(words, Preset::quick, {}), Error);
}

}  // namespace
}  // namespace fovea
