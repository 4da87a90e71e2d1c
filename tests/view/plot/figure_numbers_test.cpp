#include "fovea/view/plot/figure_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "fovea/base/statistics.h"
#include "fovea/view/plot/figure_kind.h"
#include "tests/view/sample_runs.h"

namespace fovea {
namespace {

Value word(const std::string& words) { return {words, {}}; }

Json numbers_of(const std::string& kind, ValueTable settings, const std::vector<RunRecord>& runs) {
  return figure_numbers(make_figure({kind, std::move(settings), {}}, runs, {}));
}

std::map<std::string, Json> by_line(const Json& parts) {
  std::map<std::string, Json> found;
  for (const Json& part : parts) found[part["line"]] = part["columns"];
  EXPECT_EQ(found.size(), parts.size());
  return found;
}

TEST(FigureNumbers, OfLinesAreTheRunsOwnAndTheirMedian) {
  const std::vector<RunRecord> runs{sample::copy_run(0, 40), sample::copy_run(1, 40), sample::copy_run(2, 40)};
  const auto lines = by_line(numbers_of("lines", {{"y", word("accuracy")}}, runs));
  ASSERT_EQ(lines.size(), 4u);
  const Json& median = lines.at("accuracy, median");
  for (const RunRecord& run : runs) {
    const Json& line = lines.at("accuracy, run " + std::to_string(run.id) + ", seed " + std::to_string(run.spec.seed));
    const Series& series = run.series.at("accuracy");
    ASSERT_EQ(line["step"].size(), series.steps.size());
    for (std::size_t i = 0; i < series.steps.size(); ++i) {
      EXPECT_EQ(line["step"][i], series.steps[i]);
      EXPECT_NEAR(line["accuracy"][i].get<double>(), series.values[i], 1e-6 * std::abs(series.values[i]));
    }
  }
  std::vector<double> last;
  for (const RunRecord& run : runs) last.push_back(run.series.at("accuracy").values.back());
  EXPECT_NEAR(median["accuracy"].back().get<double>(), median_of(last), 1e-6);
}

TEST(FigureNumbers, OfBarsNameTheirGroup) {
  const auto lines = by_line(numbers_of("bars", {{"y", word("accuracy")}}, {sample::copy_run(0, 40)}));
  EXPECT_EQ(lines.at("accuracy")["group"], Json::array({"copy-permutation"}));
}

TEST(FigureNumbers, OfEveryKindAreTold) {
  std::vector<RunRecord> runs = sample::copy_runs(3);
  EXPECT_EQ(by_line(numbers_of("curve", {{"x", word("task.vocab")}, {"y", word("accuracy")}}, runs))
                .at("accuracy, median")["vocab"],
            Json::array({40, 60}));
  EXPECT_EQ(
      by_line(numbers_of("scatter", {{"x", word("accuracy")}, {"y", word("loss")}}, runs)).at("loss")["loss"].size(),
      6u);
  runs = {sample::gate_run(0, 0.5)};
  EXPECT_EQ(numbers_of("phase", {}, runs)[0]["columns"]["D"][0], 0);
}

TEST(FigureNumbers, AMapHasItsRowsAndWhatIsNotFiniteIsNull) {
  Figure figure;
  Panel& panel = figure.panels.emplace_back();
  panel.title = "step 3";
  panel.marks.emplace_back(CellsMark{2, 3, {1, 0, 0.5, NAN, HUGE_VAL, 1.0 / 3}, 0, 1, {}, "attention"});
  panel.marks.emplace_back(CurveMark{{{0, 0}}, Color::ink(), 1, {}});  // no name: for the eye
  panel.marks.emplace_back(BandMark{{5}, {-1}, {2}, Color::ink(), "range"});
  Panel& silent = figure.panels.emplace_back();
  silent.message = "nothing yet";
  silent.marks.emplace_back(BandMark{{5}, {-1}, {2}, Color::ink(), "range"});
  Panel& bag = figure.panels.emplace_back();
  bag.strips.push_back({"label 7", {{{}, 0.25}, {{}, 0.75}}});
  EXPECT_EQ(figure_numbers(figure), Json::parse(R"([
    {"panel": "step 3", "line": "attention", "columns": {"value": [1, 0, 0.5, null, null, 0.3333333]}, "rows": 2},
    {"panel": "step 3", "line": "range", "columns": {"x": [5], "low": [-1], "high": [2]}},
    {"panel": "", "line": "label 7", "columns": {"item": [1, 2], "weight": [0.25, 0.75]}}
  ])"));
}

}  // namespace
}  // namespace fovea
