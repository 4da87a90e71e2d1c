#include "fovea/view/terminal/runs_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "fovea/view/terminal/default_metrics.h"
#include "tests/view/sample_runs.h"
#include "tests/view/terminal/shown_lines.h"

namespace fovea {
namespace {

// The table itself; the line that names what is left out flows on.
void expect_within(int width, const std::string& text) {
  for (const std::string& line : lines_of(text))
    if (line.rfind("No room", 0) != 0) {
      EXPECT_LE(display_width(line), width) << line;
    }
}

class RunsTable : public ::testing::Test {
 protected:
  void SetUp() override {
    for (RunRecord& run : all) {
      run.series["train_loss"] = run.series["loss"];
      run.series["attention_points_one_before"] = run.series["accuracy"];
      run.series["entropy"] = run.series["loss"];
      run.spec.train["rate"] = Value{run.spec.seed == 0 ? 1e-3 : 2e-3, {}};
      runs.push_back(&run);
    }
  }
  std::string table(int width, const std::vector<std::string>& wanted = {}) const {
    return runs_table(runs, wanted, {width, false});
  }
  std::vector<RunRecord> all = sample::copy_runs(2);
  Runs runs;
};

TEST_F(RunsTable, MetricsOfFiguresAndClaimsComeFirstAndTrainLossLast) {
  const std::vector<std::string> metrics = default_metrics(runs);
  ASSERT_EQ(metrics.size(), 6u);
  EXPECT_EQ(metrics[0], "accuracy");
  EXPECT_EQ(metrics[1], "attention_points_right");
  EXPECT_EQ(metrics[2], "attention_points_one_before");  // a claim of copy-subset reads it
  EXPECT_EQ(metrics[5], "train_loss");
}

TEST_F(RunsTable, OfMetricsThatNothingClaimsThoseOfSingleMapsAndOfChanceComeLast) {
  RunRecord run;
  run.experiment = "mine";
  for (const char* name : {"agreement", "agreement_chance", "agreement_l1_h2", "audit_entropy", "entropy",
                           "gradient_l12", "loss", "steps_l", "train_loss"})
    run.series[name] = {{0}, {1}};
  EXPECT_EQ(default_metrics({&run}),
            (std::vector<std::string>{"loss", "agreement", "entropy", "steps_l", "agreement_chance", "agreement_l1_h2",
                                      "audit_entropy", "gradient_l12", "train_loss"}));
}

TEST_F(RunsTable, WhatIsMeasuredUnderAHoldIsThereWhereAnExperimentShowsIt) {
  for (RunRecord& run : all) run.series["accuracy_held"] = run.series["accuracy"];
  std::vector<std::string> metrics = default_metrics(runs);
  EXPECT_EQ(std::ranges::count(metrics, "accuracy_held"), 0);
  EXPECT_EQ(metrics.size(), 6u);
  all[0].experiment = "intervene-oracle";
  metrics = default_metrics(runs);
  EXPECT_EQ(std::ranges::count(metrics, "accuracy_held"), 1);
}

TEST_F(RunsTable, SettingsThatDifferWithinAnExperimentAreFound) {
  EXPECT_EQ(differing_settings(runs), (std::vector<std::string>{"train.rate"}));  // task.vocab goes by experiment
  all[0].experiment = all[3].experiment;
  all[0].spec.task["vocab"] = {std::int64_t{41}, {}};
  all[1].spec.model["cell"] = {std::string("gru"), {}};
  EXPECT_EQ(differing_settings(runs), (std::vector<std::string>{"task.vocab", "train.rate"}));
  all[1].experiment = all[3].experiment;
  EXPECT_EQ(differing_settings(runs), (std::vector<std::string>{"model.cell", "task.vocab", "train.rate"}));
  const ValueTable held{{"hold", {std::string("uniform"), {}}}};
  all[0].spec.interventions = {{held, {}}};
  EXPECT_EQ(differing_settings(runs), (std::vector<std::string>{"hold", "model.cell", "task.vocab", "train.rate"}));
  all[0].spec.interventions = {{ValueTable{{"ablate", {std::string("layer.1"), {}}}}, {}}};
  EXPECT_EQ(differing_settings(runs),
            (std::vector<std::string>{"intervene", "model.cell", "task.vocab", "train.rate"}));
}

TEST_F(RunsTable, FitsWithWholeWords) {
  for (const int width : {50, 80, 100, 140, 0}) {
    const std::string text = table(width);
    if (width > 0) expect_within(width, text);
    for (const char* word : {"copy-permutation", "copy-subset", "accuracy", "done", "seed"})
      EXPECT_NE(text.find(word), std::string::npos) << width << ": " << word << "\n" << text;
  }
  EXPECT_EQ(table(0).find("No room"), std::string::npos);
  const std::string narrow = table(60);
  EXPECT_NE(narrow.find("No room for"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("train_loss"), std::string::npos) << narrow;  // named among what is left out
}

TEST_F(RunsTable, ShowsWhatIsAskedFor) {
  const std::string text = table(0, {"task.vocab", "steps_to_90", "max_over(loss)", "started"});
  const auto lines = lines_of(text);
  ASSERT_EQ(lines.size(), 5u);
  for (const char* head : {"task.vocab", "steps_to_90", "max_over(loss)", "started"})
    EXPECT_NE(lines[0].find(head), std::string::npos);
  const double first = Expression::parse("steps_to_90").number(all[0]);
  EXPECT_NE(lines[1].find(metric_text("steps_to_90", first)), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find("2026-01-02T03:04:05Z"), std::string::npos);
  EXPECT_EQ(text.find("attention_points_right"), std::string::npos);
}

TEST_F(RunsTable, ShowsTheFunctionOfAProbeWithoutItsDigest) {
  all[0].spec.probe["names"] = {ValueList{{std::string("loss"), {}},
                                          {std::string("python mine.gap 9f86d081884c7d65"), {}},
                                          {std::string("python mine.make.<locals>.f:wide 9f86d081884c7d65"), {}}},
                                {}};
  const auto lines = lines_of(table(0, {"probe.names"}));
  EXPECT_NE(lines[1].find("loss, gap, wide"), std::string::npos) << lines[1];
  EXPECT_EQ(lines[1].find("9f86"), std::string::npos) << lines[1];
}

// A step or a time is never reached; another number has diverged, whether the run failed or not.
TEST_F(RunsTable, OnlyAStepOrATimeIsNever) {
  for (RunRecord& run : all)
    for (const char* metric : {"p", "predicted_time_to_correct_90"}) run.series[metric] = {{0, 1}, {0.1, HUGE_VAL}};
  all[1].state = RunState::failed;
  all[1].error = "training diverged.";
  const std::string text =
      table(0, {"p", "2 * p", "max_over(p)", "-p", "step_of(p < 0)", "predicted_time_to_correct_90"});
  for (std::size_t line = 1; line <= 2; ++line) {
    std::istringstream words(lines_of(text)[line]);
    const std::vector<std::string> cells{std::istream_iterator<std::string>(words), {}};
    const std::vector<std::string> wanted{"infinite", "infinite", "infinite", "-infinite", "never", "never"};
    EXPECT_NE(std::search(cells.begin(), cells.end(), wanted.begin(), wanted.end()), cells.end())
        << lines_of(text)[line];
  }
}

TEST_F(RunsTable, SaysWhyARunFailed) {
  all[1].state = RunState::failed;
  all[1].error = "at step 12 the loss is nan: parameter 'encoder.weight_hh' is no longer finite.";
  const std::string text = table(80);
  EXPECT_NE(text.find("encoder.weight_hh"), std::string::npos) << text;
  expect_within(80, text);
}

}  // namespace
}  // namespace fovea
