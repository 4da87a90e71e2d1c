#include "fovea/view/terminal/compare_text.h"

#include <gtest/gtest.h>

#include <cmath>

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

std::string text_of(const ComparedGroup& a, const ComparedGroup& b) {
  const std::vector<Expression> metrics{Expression::parse("accuracy")};
  return comparison_text(a, b, compare(a.runs, b.runs, metrics), {});
}

TEST(CompareText, SaysWhoWhatAndHowSure) {
  const ComparedGroup a = group("task.vocab = 40", 40, 0.9, 5), b = group("task.vocab = 60", 60, 0.5, 6);
  const std::string text = text_of(a, b);
  for (const char* part :
       {"A  task.vocab = 40  5 runs of copying", "B  task.vocab = 60  6 runs of copying", "task.vocab  40",
        "5 pairs of runs are compared", "1 run of B has no partner in A and is left out.", "accuracy", "-0.4", "0.0625",
        "sign-flip", "exact (with 5 pairs it is 0.0625 or more)", "bootstrap"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  const std::string chart = comparison_chart(a, b, "accuracy", Terminal{60, false});
  EXPECT_NE(chart.find("accuracy, median: A •  B +"), std::string::npos) << chart;
  EXPECT_EQ(comparison_chart(a, b, "unheard_of", {}), "");
}

TEST(CompareText, OfTwoRunsNoTestIsSaid) {
  const std::string text = text_of(group("run 4000", 40, 0.9, 1), group("run 6000", 60, 0.5, 1));
  EXPECT_NE(text.find("run 4000  copying, seed 0"), std::string::npos) << text;
  EXPECT_EQ(text.find("sign-flip"), std::string::npos) << text;
  EXPECT_NE(text.find("-0.4"), std::string::npos) << text;
}

TEST(CompareText, TheFigureNamesBothGroups) {
  const Figure figure =
      comparison_figure(group("run 4000", 40, 0.9, 1), group("task.vocab < 70", 60, 0.5, 3), {"accuracy"});
  const std::string svg = figure_svg(figure);
  for (const char* part : {"A: run 4000", "B: task.vocab &lt; 70"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace fovea
