#include "tests/view/plot/kinds/figure_help.h"

namespace fovea {
namespace {

TEST(Glimpses, DrawTheWayOverTheImageAtSteps) {
  RunRecord run = sample::copy_run(0, 40);
  ArrayRecord image{"attention_items", 0, {1, 1, 9}, std::vector<float>(9, 0.5f)};
  run.arrays.push_back(image);
  const auto looks_at = [](std::int64_t step, std::vector<std::size_t> pixels) {
    ArrayRecord map{"attention", step, {1, static_cast<Index>(pixels.size()), 9}, {}};
    map.values.resize(pixels.size() * 9);
    for (std::size_t t = 0; t < pixels.size(); ++t) map.values[t * 9 + pixels[t]] = 1;
    return map;
  };
  for (const std::int64_t step : {0, 10, 20, 30}) run.arrays.push_back(looks_at(step, {4, 5, 6}));
  run.arrays.push_back(looks_at(40, {0, 2, 7}));
  const std::vector<RunRecord> runs = {run};
  const Figure figure = make_figure({"glimpses", {{"looks", {std::int64_t{3}, {}}}}, {}}, runs, {});
  ASSERT_EQ(figure.panels.size(), 3u);  // of example 0 alone: the run has no other
  EXPECT_EQ(figure.panels[0].title, "step 0");
  EXPECT_EQ(figure.panels[1].title, "step 20");
  EXPECT_EQ(figure.panels[2].title, "step 40");
  const auto& way = std::get<CurveMark>(figure.panels[2].marks.at(1)).points;
  ASSERT_EQ(way.size(), 3u);
  EXPECT_EQ(way[1].x, 2.0);  // the third column of the first row
  EXPECT_EQ(way[1].y, 0.0);
  EXPECT_EQ(way[2].x, 1.0);
  EXPECT_EQ(way[2].y, 2.0);
  expect_drawn(figure);

  const std::vector<RunRecord> without = {sample::copy_run(0, 40)};
  EXPECT_NE(make_figure({"glimpses", {}, {}}, without, {}).panels[0].message.find("no glimpses"), std::string::npos);
}

}  // namespace
}  // namespace fovea
