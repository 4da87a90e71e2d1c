#include "tests/view/plot/kinds/figure_help.h"

namespace fovea {
namespace {

TEST(Bag, ShowsWeightsUnderImages) {
  RunRecord run = sample::copy_run(0, 40);
  sample::add_bags(run);
  const std::vector<RunRecord> runs = {run};
  const Figure figure = make_figure({"bag", {}, {}}, runs, {});
  ASSERT_EQ(figure.panels.size(), 2u);  // four bags, two side by side
  ASSERT_EQ(figure.panels[0].strips.size(), 2u);
  ASSERT_EQ(figure.panels[1].strips.size(), 2u);
  EXPECT_EQ(figure.panels[1].strips[1].items.size(), 2u);  // one is absent
  EXPECT_EQ(figure.panels[0].strips[0].label, "label 7");
  expect_drawn(figure);
}

}  // namespace
}  // namespace fovea
