#include "tests/view/plot/kinds/figure_help.h"

namespace fovea {
namespace {

TEST(HeatMap, ShowsStepsSideBySide) {
  RunRecord run = sample::copy_run(0, 40);
  for (const std::int64_t step : {0, 50, 100, 200}) run.arrays.push_back(sample::attention_array(step, 12));
  const std::vector<RunRecord> runs = {run};
  const Figure figure = make_figure(
      {"heatmap", {{"steps", {ValueList{{std::int64_t{0}, {}}, {std::int64_t{200}, {}}}, {}}}}, {}}, runs, {});
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(figure.panels[1].title, "step 200");
  ASSERT_TRUE(figure.color_bar.has_value());
  expect_drawn(figure);
}

TEST(HeatMap, FetchesArraysAndSaysWhenThereAreNone) {
  const std::vector<RunRecord> runs = {sample::copy_run(3, 40)};
  std::int64_t asked = 0;
  const FetchArrays fetch = [&](std::int64_t run, const std::string& name) {
    asked = run;
    return name == "attention" ? std::vector<ArrayRecord>{sample::attention_array(200, 8)} : std::vector<ArrayRecord>{};
  };
  expect_drawn(make_figure({"heatmap", {}, {}}, runs, fetch));
  EXPECT_EQ(asked, runs[0].id);
  const Figure none = make_figure({"heatmap", {{"array", text("beta")}}, {}}, runs, fetch);
  EXPECT_NE(none.panels[0].message.find("'beta'"), std::string::npos);
  figure_png(none, 1);
}

}  // namespace
}  // namespace fovea
