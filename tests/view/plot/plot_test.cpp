#include "fovea/view/plot/plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "tests/view/sample_runs.h"

namespace fovea {
namespace {

TEST(Plot, NamesTheNearestMetric) {
  const auto runs = sample::copy_runs(1);
  try {
    plot_metrics(runs, {"acuracy"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 2);
    EXPECT_EQ(error.remedy().text(), "did you mean 'accuracy'?");
  }
  EXPECT_THROW(plot_metrics(runs, {}), Error);
  EXPECT_THROW(plot_metrics({}, {"accuracy"}), Error);
}

TEST(Plot, TellsRunsApartByWhatDiffers) {
  const auto runs = sample::copy_runs(3);
  const Figure both = plot_metrics(runs, {"accuracy", "attention_points_right"});
  EXPECT_EQ(both.panels.size(), 1u);  // shares live on one axis
  EXPECT_EQ(both.legend.size(), 4u);
  EXPECT_EQ(plot_metrics(runs, {"accuracy", "loss"}).panels.size(), 2u);
  EXPECT_EQ(plot_metrics(std::span(runs).first(3), {"accuracy"}).legend.size(), 0u);  // seeds alone differ
}

TEST(Plot, TellsInterventionsApartByWhatIsHeldOrByAllThatIsDone) {
  std::vector<RunRecord> runs(4, sample::copy_run(0, 40));
  const auto hold = [](const char* pattern) { return Value{ValueTable{{"hold", {std::string(pattern), {}}}}, {}}; };
  runs[1].spec.interventions = {hold("uniform")};
  runs[2].spec.interventions = {hold("previous")};
  const auto names = [&](std::size_t count) {
    std::vector<std::string> texts;
    for (const LegendEntry& entry : plot_metrics(std::span(runs).first(count), {"loss"}).legend)
      texts.push_back(entry.label);
    return texts;
  };
  EXPECT_EQ(names(3), (std::vector<std::string>{"none", "uniform", "previous"}));
  runs[3].spec.interventions = {hold("uniform"),
                                Value{ValueTable{{"ablate", {std::string("layer.1.head.1"), {}}}}, {}}};
  const std::vector<std::string> all{"none", "hold uniform", "hold previous", "hold uniform; ablate layer.1.head.1"};
  EXPECT_EQ(names(4), all) << "two are held alike";
  for (RunRecord& run : runs) run.spec.interventions.clear();
  runs[1].spec.probe["examples"] = {std::int64_t{7}, {}};
  EXPECT_TRUE(names(2).empty()) << "what is measured changes nothing of a training";
}

TEST(Plot, RungsAreLevelsOfOtherMetrics) {
  std::vector<RunRecord> runs{sample::copy_run(0, 40)};
  runs[0].series["rung_bag"] = {{0, 200}, {0.7, 0.7}};
  const Figure figure = plot_metrics(runs, {"loss", "rung_bag"});
  ASSERT_EQ(figure.panels.size(), 1u);
  const auto is_rule = [](const Mark& mark) { return std::holds_alternative<RuleMark>(mark); };
  EXPECT_EQ(std::ranges::count_if(figure.panels[0].marks, is_rule), 1);
  EXPECT_EQ(std::ranges::count_if(plot_metrics(runs, {"rung_bag"}).panels[0].marks, is_rule), 0)
      << "alone it is a line";
}

std::vector<RuleMark> rules_of(const Panel& panel) {
  std::vector<RuleMark> rules;
  for (const Mark& mark : panel.marks)
    if (const auto* rule = std::get_if<RuleMark>(&mark)) rules.push_back(*rule);
  return rules;
}

TEST(Plot, RungsAreOfTheirTaskOfAllLooksAndOfLosses) {
  std::vector<RunRecord> runs = sample::copy_runs(2);
  for (RunRecord& run : runs) {
    run.series["rung_bag"] = {{0, 200}, {0.5, 0.9}};
    if (run.id >= 6000) run.series["rung_bag"].values = {1.5, 1.9};
  }
  const Figure figure = plot_metrics(runs, {"loss", "accuracy", "rung_bag"});
  ASSERT_EQ(figure.panels.size(), 2u);
  const std::vector<RuleMark> levels = rules_of(figure.panels[0]);
  ASSERT_EQ(levels.size(), 2u) << "one for each vocabulary";
  EXPECT_DOUBLE_EQ(levels[0].at, 0.7);
  EXPECT_DOUBLE_EQ(levels[1].at, 1.7);
  EXPECT_NE(levels[0].color.red, levels[1].color.red) << "each in the colour of its curve";
  EXPECT_TRUE(rules_of(figure.panels[1]).empty()) << "accuracy is no loss";
}

TEST(Plot, FunctionsOfACourseAreWhatTheySay) {
  const std::vector<RunRecord> runs{sample::copy_run(0, 40)};
  const Series most = Quantity("max_over(loss)", {}).over_steps(runs[0]);
  const Series fallen = Quantity("loss - first(loss)", {}).over_steps(runs[0]);
  const std::vector<double>& loss = runs[0].series.at("loss").values;
  EXPECT_EQ(most.values, std::vector<double>(loss.size(), *std::ranges::max_element(loss)));
  EXPECT_EQ(fallen.values.back(), loss.back() - loss.front());
  EXPECT_EQ(Quantity("steps_to_90", {}).over_steps(runs[0]).values.front(),
            Expression::parse("steps_to_90").number(runs[0]));
  EXPECT_EQ(Quantity("mean_over(rung_bag)", {}).label(), "rung bag, mean");
  EXPECT_EQ(Quantity("mean_over(loss) - mean_over(accuracy)", {}).label(), "mean over(loss) - mean over(accuracy)");
}

}  // namespace
}  // namespace fovea
