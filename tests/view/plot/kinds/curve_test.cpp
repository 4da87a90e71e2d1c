#include "tests/view/plot/kinds/figure_help.h"

namespace fovea {
namespace {

TEST(Curve, RunsThroughTheMediansAndLeavesOutNever) {
  const auto runs = sample::copy_runs(5);
  FigureSpec spec{"curve", {{"x", text("task.vocab")}, {"y", text("step_of(accuracy >= 0.9999)")}}, {}};
  const Figure figure = make_figure(spec, runs, {});
  expect_drawn(figure);
  const Figure share =
      make_figure({"curve", {{"x", text("task.vocab")}, {"y", text("share(accuracy >= 0.9)")}}, {}}, runs, {});
  const auto& line = std::get<CurveMark>(share.panels[0].marks.back());
  ASSERT_EQ(line.points.size(), 2u);
  EXPECT_EQ(line.points[1].y, 1.0);
  expect_drawn(share);
}

}  // namespace
}  // namespace fovea
