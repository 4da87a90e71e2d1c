#include "fovea/view/plot/figure_kind.h"

#include <cairo/cairo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "tests/view/markup_check.h"
#include "tests/view/sample_runs.h"

namespace fovea {
namespace {

Value text(const std::string& words) { return {words, {"e.toml", 7, 3}}; }
Value texts(const std::vector<std::string>& words) {
  ValueList list;
  for (const std::string& w : words) list.push_back(text(w));
  return {list, {"e.toml", 7, 3}};
}
Value numbers(const std::vector<double>& values) {
  ValueList list;
  for (const double v : values) list.push_back({v, {}});
  return {list, {"e.toml", 7, 3}};
}

// How many colours a PNG shows.
std::size_t colors_in(const std::string& png) {
  struct Reader {
    const std::string& bytes;
    std::size_t at;
  } reader{png, 0};
  const auto read = [](void* closure, unsigned char* to, unsigned length) {
    auto* const from = static_cast<Reader*>(closure);
    if (from->at + length > from->bytes.size()) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(to, from->bytes.data() + from->at, length);
    from->at += length;
    return CAIRO_STATUS_SUCCESS;
  };
  cairo_surface_t* const surface = cairo_image_surface_create_from_png_stream(read, &reader);
  EXPECT_EQ(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
  std::set<std::uint32_t> colors;
  const unsigned char* const data = cairo_image_surface_get_data(surface);
  for (int y = 0; y < cairo_image_surface_get_height(surface); ++y)
    for (int x = 0; x < cairo_image_surface_get_width(surface); ++x) {
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, data + y * cairo_image_surface_get_stride(surface) + 4 * x, 4);
      colors.insert(pixel);
    }
  cairo_surface_destroy(surface);
  return colors.size();
}

void expect_drawn(const Figure& figure) {
  for (const Panel& panel : figure.panels) EXPECT_EQ(panel.message, "");
  for (const double width : {720.0, 350.0}) {
    const FigureLook look{width};
    const std::string svg = figure_svg(figure, look);
    EXPECT_EQ(sample::markup_fault(svg), "");
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_GT(svg.size(), 1500u);
    EXPECT_EQ(figure_pdf(figure, look).substr(0, 5), "%PDF-");
    EXPECT_GT(colors_in(figure_png(figure, 1, look)), 20u);
  }
}

std::size_t curves_in(const Panel& panel) {
  std::size_t count = 0;
  for (const Mark& mark : panel.marks)
    count += std::holds_alternative<CurveMark>(mark) && std::get<CurveMark>(mark).width > 0;
  return count;
}

TEST(Lines, DrawsEverySeedAndTheMedian) {
  const auto runs = sample::copy_runs(5);
  FigureSpec spec{"lines", {{"y", texts({"accuracy", "attention_accuracy"})}, {"panels", text("experiment")}}, {}};
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
  FigureSpec spec{"lines", {{"y", text("accuracy - attention_accuracy")}, {"where", text("task.vocab = 60")}}, {}};
  const Figure figure = make_figure(spec, runs, {});
  ASSERT_EQ(figure.panels.size(), 1u);
  ASSERT_EQ(curves_in(figure.panels[0]), 1u);
  const auto& curve = std::get<CurveMark>(figure.panels[0].marks[0]);
  const RunRecord& run = runs[1];
  ASSERT_EQ(curve.points.size(), 21u);
  for (std::size_t i = 0; i < 21; ++i)
    EXPECT_DOUBLE_EQ(curve.points[i].y,
                     run.series.at("accuracy").values[i] - run.series.at("attention_accuracy").values[i]);
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
  const FigureSpec base{"lines", {{"y", texts({"accuracy", "attention_accuracy"})}, {"by", texts({"task.vocab"})}}, {}};
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

TEST(Scatter, IsAPointARun) {
  const auto runs = sample::copy_runs(5);
  FigureSpec spec{
      "scatter", {{"x", text("step_of(accuracy >= 0.9)")}, {"y", text("step_of(attention_accuracy >= 0.9)")}}, {}};
  spec.settings["by"] = text("experiment");
  spec.settings["identity"] = Value{true, {}};
  const Figure figure = make_figure(spec, runs, {});
  std::size_t points = 0;
  for (const Mark& mark : figure.panels[0].marks)
    if (std::get<CurveMark>(mark).width <= 0) points += std::get<CurveMark>(mark).points.size();
  std::size_t reached = 0;
  for (const RunRecord& run : runs) reached += run.series.at("attention_accuracy").values.back() >= 0.9;
  EXPECT_EQ(points, reached);
  expect_drawn(figure);
}

TEST(Bars, HaveADotARun) {
  const auto runs = sample::copy_runs(5);
  const Figure figure =
      make_figure({"bars", {{"y", texts({"at(accuracy, 60)", "at(attention_accuracy, 60)"})}}, {}}, runs, {});
  ASSERT_EQ(figure.panels[0].y.categories.size(), 2u);
  EXPECT_EQ(figure.legend.size(), 2u);
  expect_drawn(figure);
}

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

TEST(Phase, DrawsFieldCoursesAndSeparatrix) {
  const auto row = [](std::int64_t a, std::int64_t b) { return Value{ValueList{{a, {}}, {b, {}}}, {}}; };
  FigureSpec spec{"phase", {{"separatrix", {-0.70710678, {}}}, {"field", {ValueList{row(0, 2), row(1, 0)}, {}}}}, {}};
  const auto runs = sample::gate_runs();
  const Figure figure = make_figure(spec, runs, {});
  EXPECT_EQ(figure.legend.size(), 3u);
  expect_drawn(figure);
  spec.settings["field"] = numbers({0, 2, 1, 0});
  try {
    make_figure(spec, runs, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.place().text(), "e.toml:7:3");
    EXPECT_EQ(error.exit_code(), 2);
  }
}

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

TEST(Xy, DrawsPredictionTruthAndData) {
  RunRecord run = sample::copy_run(0, 40);
  sample::add_curves(run);
  const std::vector<RunRecord> runs = {run};
  FigureSpec spec{"xy", {{"truth", text("truth")}, {"points_x", text("train_x")}, {"points_y", text("train_y")}}, {}};
  const Figure figure = make_figure(spec, runs, {});
  EXPECT_EQ(figure.legend.size(), 3u);
  expect_drawn(figure);
}

TEST(FigureKinds, EveryKindSurvivesNoRuns) {
  for (const std::string& kind : Registry<FigureKind>::instance().names()) {
    const Figure figure = make_figure({kind, {}, {}}, {}, {});
    ASSERT_FALSE(figure.panels.empty()) << kind;
    EXPECT_NE(figure.panels[0].message, "") << kind;
    EXPECT_EQ(sample::markup_fault(figure_svg(figure)), "") << kind;
  }
}

TEST(FigureKinds, WrongSettingsHaveAPlace) {
  const auto runs = sample::copy_runs(1);
  const auto place_of = [&](const FigureSpec& spec) -> std::string {
    try {
      make_figure(spec, runs, {});
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), 2);
      EXPECT_NE(error.remedy().text(), "");
      return error.place().text();
    }
    return "no error";
  };
  const Place place{"e.toml", 5, 1};
  EXPECT_EQ(place_of({"line", {}, place}), "e.toml:5:1");
  EXPECT_EQ(place_of({"lines", {{"pannels", text("seed")}}, place}), "e.toml:7:3");
  EXPECT_EQ(place_of({"lines", {{"x_log", text("yes")}}, place}), "e.toml:7:3");
  EXPECT_EQ(place_of({"lines", {{"x_range", numbers({1, 0})}}, place}), "e.toml:7:3");
  EXPECT_NE(place_of({"lines", {{"y", text("accuracy >=")}}, place}), "no error");
  const auto levels_at = [&](const char* y) {
    return place_of({"lines", {{"y", text("loss")}, {"rules", text("0.5")}, {"rules_at", text(y)}}, place});
  };
  EXPECT_EQ(levels_at("loss"), "no error");
  EXPECT_EQ(levels_at("accuracy"), "e.toml:7:3");
}

}  // namespace
}  // namespace fovea
