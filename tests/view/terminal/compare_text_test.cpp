#include "fovea/view/terminal/compare_text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/view/plot/run_data.h"
#include "fovea/view/terminal/chart.h"
#include "tests/view/terminal/shown_lines.h"

namespace fovea {
namespace {

TEST(Chart, CurvesLieWhereTheirValuesAre) {
  const std::vector<ChartLine> lines{{"a", {{0, 50, 100}, {0, 0.5, 1}}}, {"b", {{0, 100}, {1, 0}}}};
  const std::vector<std::string> rows = lines_of(line_chart(lines, 5, Terminal{30, false}));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0].substr(0, 3), "  1");
  EXPECT_EQ(rows[2].substr(0, 3), "0.5");
  EXPECT_EQ(rows[0].back(), 'a');
  EXPECT_EQ(rows[4].back(), 'b');
  EXPECT_NE(rows[0].find("│b"), std::string::npos);
  EXPECT_NE(rows[4].find("│a"), std::string::npos);
  EXPECT_NE(rows[2].find("×"), std::string::npos);  // where they meet
  EXPECT_NE(rows[6].find("100 steps"), std::string::npos);
  for (const std::string& row : rows) EXPECT_LE(display_width(row), 30) << row;
}

TEST(Chart, GapsAndNothing) {
  const std::vector<ChartLine> gap{{"a", {{0, 1, 2, 3, 4}, {1, 1, NAN, 1, 1}}}};
  const std::vector<std::string> rows = lines_of(line_chart(gap, 3, Terminal{60, false}));
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_NE(rows[1].find("a    "), std::string::npos);
  EXPECT_EQ(rows[0].find('a'), std::string::npos);
  EXPECT_EQ(line_chart(std::vector<ChartLine>{{"a", {}}, {"b", {{1}, {NAN}}}}, 3, {}), "");
  EXPECT_EQ(lines_of(line_chart(std::vector<ChartLine>{{"a", {{7}, {2}}}}, 3, {})).size(), 5u);
}

ComparedGroup group(const std::string& label, int vocab, double high, std::uint64_t seeds) {
  ComparedGroup made{label, {}};
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    RunRecord run;
    run.id = vocab * 100 + static_cast<std::int64_t>(seed);
    run.experiment = "copying";
    run.spec.task["vocab"] = {std::int64_t{vocab}, {}};
    run.spec.seed = seed;
    run.state = RunState::done;
    run.series["accuracy"] = {{0, 50, 100}, {0.1, high / 2, high + 0.001 * static_cast<double>(seed)}};
    made.runs.push_back(std::move(run));
  }
  return made;
}

Comparison comparison_of(const ComparedGroup& a, const ComparedGroup& b) {
  const std::vector<Expression> metrics{Expression::parse("accuracy")};
  return compare(a.runs, b.runs, metrics);
}

std::string text_of(const ComparedGroup& a, const ComparedGroup& b) {
  return comparison_text(a, b, comparison_of(a, b), {});
}

TEST(CompareText, SaysWhoWhatAndHowSure) {
  const ComparedGroup a = group("task.vocab = 40", 40, 0.9, 5), b = group("task.vocab = 60", 60, 0.5, 6);
  const std::string text = text_of(a, b);
  for (const char* part :
       {"A  task.vocab = 40  5 runs of copying", "B  task.vocab = 60  6 runs of copying", "task.vocab  40",
        "5 pairs of runs are compared", "1 run of B has no partner in A and is left out.", "accuracy", "-0.4", "0.0625",
        "sign-flip", "exact (with 5 pairs it is 0.0625 or more)",
        "Interval: none, because fewer than 6 pairs are too few for one."})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_EQ(text.find("…"), std::string::npos) << text;
  const std::string six = text_of(group("A", 40, 0.9, 6), b);
  for (const char* part : {"percentile bootstrap", "…"})
    EXPECT_NE(six.find(part), std::string::npos) << part << " in\n" << six;
  const std::string chart = comparison_chart(a, b, comparison_of(a, b), "accuracy", Terminal{60, false});
  EXPECT_NE(chart.find("accuracy, median: A •  B +"), std::string::npos) << chart;
  EXPECT_EQ(comparison_chart(a, b, comparison_of(a, b), "unheard_of", {}), "");
}

TEST(CompareText, OfTwoRunsNoTestIsSaid) {
  const std::string text = text_of(group("run 4000", 40, 0.9, 1), group("run 6000", 60, 0.5, 1));
  EXPECT_NE(text.find("run 4000  copying, seed 0"), std::string::npos) << text;
  EXPECT_EQ(text.find("sign-flip"), std::string::npos) << text;
  EXPECT_NE(text.find("-0.4"), std::string::npos) << text;
}

TEST(CompareText, TheFigureNamesBothGroups) {
  const ComparedGroup a = group("run 4000", 40, 0.9, 1), b = group("task.vocab < 70", 60, 0.5, 3);
  const std::string svg = figure_svg(comparison_figure(a, b, comparison_of(a, b), {"accuracy"}));
  for (const char* part : {"A: run 4000", "B: task.vocab &lt; 70"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
}

// Seed 5 of B has no partner: its curve would be far above all others.
TEST(CompareText, ChartAndFigureLeaveOutWhatTheTableLeavesOut) {
  const ComparedGroup a = group("A", 40, 0.9, 2), b = group("B", 60, 0.5, 2);
  ComparedGroup more = b;
  more.runs.push_back(b.runs.front());
  more.runs.back().id = 6005;
  more.runs.back().spec.seed = 5;
  more.runs.back().series["accuracy"].values = {100, 200, 300};
  ComparedGroup unfinished = b;
  unfinished.runs.push_back(more.runs.back());
  unfinished.runs.back().state = RunState::stopped;
  const auto chart = [&a](const ComparedGroup& of) {
    return comparison_chart(a, of, comparison_of(a, of), "accuracy", Terminal{60, false});
  };
  const auto svg = [&a](const ComparedGroup& of) {
    return figure_svg(comparison_figure(a, of, comparison_of(a, of), {"accuracy"}));
  };
  for (const ComparedGroup& of : {more, unfinished}) {
    EXPECT_EQ(chart(of), chart(b));
    EXPECT_EQ(svg(of), svg(b));
  }
  for (RunRecord& run : more.runs) run.spec.seed += 10;
  EXPECT_THROW(svg(more), Error);
}

// A hold that acts at the last step: the model as it trains has half of the accuracy that it has without the hold.
TEST(CompareText, AHeldRunIsComparedAsItTrains) {
  ComparedGroup a = group("A", 40, 0.9, 1), b = group("B", 60, 0.5, 1);
  for (RunRecord& run : a.runs) {
    Series& held = run.series["accuracy_held"] = run.series["accuracy"];
    for (double& value : held.values) value /= 2;
  }
  const std::vector<std::string> names = metrics_to_compare(a, b);
  EXPECT_NE(std::ranges::find(names, "as_trained(accuracy)"), names.end());
  EXPECT_EQ(std::ranges::find(names, "accuracy"), names.end());
  const Quantity quantity("as_trained(accuracy)", {});
  EXPECT_EQ(quantity.label(), "accuracy, as trained");
  EXPECT_EQ(quantity.over_steps(a.runs[0]).values, a.runs[0].series["accuracy_held"].values);
  EXPECT_EQ(quantity.over_steps(b.runs[0]).values, b.runs[0].series["accuracy"].values);
}

TEST(CompareText, TheLossIsAmongTheMetrics) {
  ComparedGroup a = group("A", 40, 0.9, 2), b = group("B", 60, 0.5, 2);
  for (ComparedGroup* const of : {&a, &b}) {
    of->runs.front().series["loss"] = {{0}, {1}};  // the others are in more runs, and come first
    for (RunRecord& run : of->runs)
      for (const char* name : {"m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"}) run.series[name] = {{0}, {1}};
  }
  const std::vector<std::string> names = metrics_to_compare(a, b);
  EXPECT_EQ(names.size(), 8u);
  EXPECT_NE(std::ranges::find(names, "loss"), names.end());
}

}  // namespace
}  // namespace fovea
