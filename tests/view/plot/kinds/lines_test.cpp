#include <algorithm>

#include "tests/view/plot/kinds/figure_help.h"

namespace fovea {
namespace {

TEST(Lines, DrawsEverySeedAndTheMedian) {
  const auto runs = sample::copy_runs(5);
  FigureSpec spec{"lines", {{"y", texts({"accuracy", "attention_points_right"})}, {"panels", text("experiment")}}, {}};
  spec.settings["marks"] = texts({"50", "median(step_of(accuracy >= 0.9))"});
  spec.settings["levels"] = numbers({0.9});
  const Figure figure = make_figure(spec, runs, {});
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(figure.panels[0].title, "copy-permutation");
  EXPECT_EQ(curves_in(figure.panels[0]), 2 * (5u + 1u));
  EXPECT_EQ(figure.legend.size(), 2u);
  expect_drawn(figure);
}

TEST(Lines, TakesExpressionsOverSteps) {
  const auto runs = sample::copy_runs(1);
  FigureSpec spec{"lines", {{"y", text("accuracy - attention_points_right")}, {"where", text("task.vocab = 60")}}, {}};
  const Figure figure = make_figure(spec, runs, {});
  ASSERT_EQ(figure.panels.size(), 1u);
  ASSERT_EQ(curves_in(figure.panels[0]), 1u);
  const auto& curve = std::get<CurveMark>(figure.panels[0].marks[0]);
  const RunRecord& run = runs[1];
  ASSERT_EQ(curve.points.size(), 21u);
  for (std::size_t i = 0; i < 21; ++i)
    EXPECT_DOUBLE_EQ(curve.points[i].y,
                     run.series.at("accuracy").values[i] - run.series.at("attention_points_right").values[i]);
  expect_drawn(figure);
}

TEST(Lines, SaysWhatIsMissingInsteadOfThrowing) {
  const auto runs = sample::copy_runs(2);
  const Figure unknown = make_figure({"lines", {{"y", text("acuracy")}}, {}}, runs, {});
  EXPECT_NE(unknown.panels[0].message.find("did you mean 'accuracy'"), std::string::npos) << unknown.panels[0].message;
  const Figure empty = make_figure({"lines", {{"y", text("accuracy")}}, {}}, {}, {});
  EXPECT_EQ(empty.panels[0].message, "no runs yet");
  EXPECT_NE(figure_svg(empty).find("no runs yet"), std::string::npos);
}

TEST(Lines, PassesOverWhatIsNotFinite) {
  auto runs = sample::copy_runs(2);
  for (RunRecord& run : runs) {
    run.series["accuracy"].values[3] = NAN;
    run.series["accuracy"].values[5] = HUGE_VAL;
    run.series["accuracy"].values[7] = -1;
  }
  FigureSpec spec{"lines", {{"y", text("accuracy")}, {"y_log", {true, {}}}, {"x_log", {true, {}}}}, {}};
  expect_drawn(make_figure(spec, runs, {}));
}

TEST(Lines, ALogarithmicAxisSaysSo) {
  const auto runs = sample::copy_runs(2);
  FigureSpec spec{"lines", {{"y", text("loss")}, {"y_label", text("loss of the runs")}}, {}};
  EXPECT_EQ(figure_svg(make_figure(spec, runs, {})).find("(log)"), std::string::npos);
  spec.settings["y_log"] = {true, {}};
  const std::string marked = figure_svg(make_figure(spec, runs, {}));
  EXPECT_NE(marked.find("loss of the runs (log)"), std::string::npos);
  EXPECT_EQ(marked.find("step (log)"), std::string::npos);
}

TEST(Lines, BandsRunFromQuartileToQuartile) {
  const auto runs = sample::copy_runs(5);
  const Figure figure =
      make_figure({"lines", {{"spread", text("quartiles")}, {"panels", text("experiment")}}, {}}, runs, {});
  EXPECT_TRUE(std::holds_alternative<BandMark>(figure.panels[0].marks[0]));
  expect_drawn(figure);
}

TEST(Lines, AreDashedAsTheirLegendIs) {
  const auto runs = sample::copy_runs(2);
  const FigureSpec base{
      "lines", {{"y", texts({"accuracy", "attention_points_right"})}, {"by", texts({"task.vocab"})}}, {}};
  FigureSpec each = base, followed = base;
  each.settings["median"] = {false, {}};
  followed.settings["x"] = text("loss");
  for (const FigureSpec& spec : {base, each, followed}) {
    const Figure figure = make_figure(spec, runs, {});
    ASSERT_EQ(figure.legend.size(), 4u);
    ASSERT_EQ(figure.panels.size(), 1u);
    for (const LegendEntry& entry : figure.legend) {
      std::set<std::vector<double>> boldest;  // dashes of the widest lines of that colour
      double widest = 0;
      for (const Mark& mark : figure.panels[0].marks) {
        const auto* const curve = std::get_if<CurveMark>(&mark);
        if (!curve || curve->color.red != entry.color.red || curve->color.green != entry.color.green) continue;
        if (curve->width > widest) boldest.clear();
        widest = std::max(widest, curve->width);
        if (curve->width == widest) boldest.insert(curve->dash);
      }
      EXPECT_EQ(boldest, std::set{entry.dash}) << entry.label;
    }
  }
}

TEST(Lines, LabelsOfCloseLevelsStandApart) {
  Figure figure;
  figure.panels.emplace_back();
  for (const double at : {0.0, 0.01, 0.5, 0.5, 0.995, 1.0})
    figure.panels[0].marks.emplace_back(RuleMark{false, at, "a level", Color::muted()});
  CurveMark line;
  line.points = {{0, 0}, {1, 1}};
  figure.panels[0].marks.emplace_back(std::move(line));
  const std::string svg = figure_svg(figure);
  std::vector<double> heights;
  for (std::size_t at = 0; (at = svg.find(">a level<", at)) != std::string::npos; ++at)
    heights.push_back(std::stod(svg.substr(svg.find(" y=\"", svg.rfind("<text", at)) + 4)));
  ASSERT_EQ(heights.size(), 6u);
  std::ranges::sort(heights);
  for (std::size_t i = 1; i < heights.size(); ++i) EXPECT_GE(heights[i] - heights[i - 1], 10.9);
}

}  // namespace
}  // namespace fovea
