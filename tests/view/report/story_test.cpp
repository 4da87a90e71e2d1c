#include "fovea/view/report/story.h"

#include <gtest/gtest.h>

#include "fovea/view/report/reproduced.h"
#include "tests/view/markup_check.h"
#include "tests/view/sample_runs.h"

namespace fovea {
namespace {

Reproduction short_reproduction(const std::string& name, const std::string& system, int order) {
  Reproduction r;
  r.experiment.name = name;
  r.experiment.system = system;
  r.experiment.order = order;
  r.experiment.figures.push_back({"lines", {}, {}});
  r.preset = Preset::full;
  r.runs = sample::copy_runs(3);
  r.claims = {{name, "all learn", "share(accuracy >= 0.9)", 1, ">= 1", true, "full", ""}};
  return r;
}

TEST(Story, HasItsExperimentsInTheOrderOfTheTour) {
  const Reproduction all[] = {short_reproduction("copy", "copying", 2), short_reproduction("toy", "toy gate", 1),
                              short_reproduction("copy-2", "copying", 3)};
  const Json story = Json::parse(story_text(all, {}, {"Title", "2026-01-02", "0.1.0", "two cores"}));
  EXPECT_EQ(story["facts"]["made"], "2026-01-02");
  ASSERT_EQ(story["experiments"].size(), 3u);
  EXPECT_EQ(story["experiments"][0]["name"], "toy");
  EXPECT_EQ(story["experiments"][2]["name"], "copy-2");
}

TEST(Story, HasFindingsAndWhatWasNotSupported) {
  const Json story = Json::parse(story_text({}, {}, {}));
  ASSERT_EQ(story["findings"].size(), 12u);
  EXPECT_FALSE(story["findings"][0].contains("claim")) << "nothing was reproduced";
  EXPECT_TRUE(story["findings"][11]["kept"]);
  EXPECT_EQ(story["findings"][11]["claim"]["verdict"], "not supported");
  ASSERT_GT(story["not_supported"].size(), 10u);
  EXPECT_FALSE(story["not_supported"][0]["says"].get<std::string>().empty());
}

TEST(Story, AnExperimentIsToldWithAllThatCameOut) {
  const Json told = told_json(short_reproduction("copy", "copying", 1), {});
  EXPECT_EQ(told["form"], "full");
  EXPECT_EQ(told["runs"], 6);
  EXPECT_EQ(told["seeds"], "0–2");
  EXPECT_EQ(told["settings"]["task.vocab"], Json({"40", "60"}));
  EXPECT_EQ(told["claims"][0]["value"], 1);
  ASSERT_EQ(told["figures"].size(), 1u);
  for (const char* layout : {"wide", "narrow"}) {
    const std::string svg = told["figures"][0][layout];
    EXPECT_TRUE(svg.starts_with("<svg")) << svg.substr(0, 40);
    EXPECT_EQ(sample::markup_fault(svg), "");
  }
}

TEST(Story, MeasuresAndExamplesAreTables) {
  Reproduction r = short_reproduction("copy", "copying", 1);
  EXPECT_TRUE(told_json(r, {})["tables"].empty());
  r.measures.emplace().rows.push_back({"α", "β", {0.8, 0.7, 0.9}, {0.1, 0.1, 0.2}, {}, {}, {}, {}, {}});
  ExampleView& seen = r.examples.emplace_back();
  seen.source = {"<good>"};
  seen.quantities = {{"α", false, {{1}}}};
  const Json told = told_json(r, {});
  ASSERT_EQ(told["tables"].size(), 2u);
  EXPECT_NE(told["tables"][0].get<std::string>().find("0.800 [0.700, 0.900]"), std::string::npos);
  for (const std::string html : told["tables"]) EXPECT_EQ(sample::markup_fault(html), "");
}

TEST(Story, WhatCanNotBeDrawnIsSaid) {
  Reproduction r = short_reproduction("copy", "copying", 1);
  r.experiment.figures[0].kind = "linez";
  EXPECT_NE(told_json(r, {})["figures"][0]["problem"].get<std::string>().find("lines"), std::string::npos);
  r.runs.clear();
  EXPECT_TRUE(told_json(r, {})["figures"].empty());  // and where nothing was run, nothing is drawn
}

TEST(Story, OfNamesThatAreMarkupStaysAStory) {
  const std::string evil = "</script><!--\"'&\xff";
  Reproduction r = short_reproduction(evil, evil, 1);
  r.runs[0].state = RunState::failed;
  r.runs[0].error = evil;
  const Json told = Json::parse(story_text(std::span(&r, 1), {}, {evil, evil, evil, evil}))["experiments"][0];
  EXPECT_EQ(told["figures"][0]["wide"].get<std::string>().find("</script"), std::string::npos);
  EXPECT_EQ(told["failed"].size(), 1u);
}

TEST(Story, SettingsWithManyValuesAreCutShort) {
  std::vector<RunRecord> runs;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    runs.push_back(sample::copy_run(seed, 40));
    runs.back().spec.train["rate"] = Value{1e-3 * static_cast<double>(seed + 1), {}};
  }
  const auto rates = settings_of(runs).at("train.rate");
  EXPECT_EQ(rates.size(), 25u);
  EXPECT_EQ(rates.back(), "…");
}

}  // namespace
}  // namespace fovea
