#include "tests/view/plot/kinds/figure_help.h"

namespace fovea {
namespace {

TEST(Bars, HaveADotARun) {
  const auto runs = sample::copy_runs(5);
  const Figure figure =
      make_figure({"bars", {{"y", texts({"at(accuracy, 60)", "at(attention_points_right, 60)"})}}, {}}, runs, {});
  ASSERT_EQ(figure.panels[0].y.categories.size(), 2u);
  EXPECT_EQ(figure.legend.size(), 2u);
  expect_drawn(figure);
}

}  // namespace
}  // namespace fovea
