#include "tests/view/plot/kinds/figure_help.h"

namespace fovea {
namespace {

TEST(Scatter, IsAPointARun) {
  const auto runs = sample::copy_runs(5);
  FigureSpec spec{
      "scatter", {{"x", text("step_of(accuracy >= 0.9)")}, {"y", text("step_of(attention_points_right >= 0.9)")}}, {}};
  spec.settings["by"] = text("experiment");
  spec.settings["identity"] = Value{true, {}};
  const Figure figure = make_figure(spec, runs, {});
  std::size_t points = 0;
  for (const Mark& mark : figure.panels[0].marks)
    if (std::get<CurveMark>(mark).width <= 0) points += std::get<CurveMark>(mark).points.size();
  std::size_t reached = 0;
  for (const RunRecord& run : runs) reached += run.series.at("attention_points_right").values.back() >= 0.9;
  EXPECT_EQ(points, reached);
  expect_drawn(figure);
}

}  // namespace
}  // namespace fovea
