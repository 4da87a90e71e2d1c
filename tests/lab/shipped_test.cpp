// Every experiment that the library ships resolves, in both forms.
#include "fovea/lab/shipped.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "fovea/lab/describe.h"
#include "fovea/lab/spec.h"
#include "mark.h"

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
    for (const Form form : {Form::quick, Form::full}) {
      try {
        EXPECT_FALSE(resolve_sweep(experiment, form, {}).empty());
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
}

TEST(Shipped, AnUnknownNameIsRefused) {
  try {
    find_experiment("no-such-experiment");
    ADD_FAILURE() << "was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    EXPECT_EQ(error.problem(), "there is no experiment 'no-such-experiment'");
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
  EXPECT_EQ(find(describe_models(), "tiny").settings.size(), 3u);
  EXPECT_EQ(find(describe_probes(), "watch").settings.size(), 1u);
  EXPECT_EQ(describe_experiments().size(), experiment_names().size());
  const Description hold = find(describe_interventions(), "hold");
  ASSERT_EQ(hold.settings.size(), 3u);
  EXPECT_EQ(hold.settings[0].kind, "one of: uniform, truth");
  EXPECT_EQ(hold.settings[2].otherwise, "the end of training");
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
