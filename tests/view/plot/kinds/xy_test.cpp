#include "tests/view/plot/kinds/figure_help.h"

namespace fovea {
namespace {

TEST(Xy, DrawsPredictionTruthAndData) {
  RunRecord run = sample::copy_run(0, 40);
  sample::add_curves(run);
  const std::vector<RunRecord> runs = {run};
  FigureSpec spec{"xy", {{"truth", text("truth")}, {"points_x", text("train_x")}, {"points_y", text("train_y")}}, {}};
  const Figure figure = make_figure(spec, runs, {});
  EXPECT_EQ(figure.legend.size(), 3u);
  expect_drawn(figure);
}

}  // namespace
}  // namespace fovea
