#include "fovea/view/terminal/terminal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tests/view/terminal/shown_lines.h"

namespace fovea {
namespace {

TEST(Shortened, KeepsWithinItsColumns) {
  EXPECT_EQ(shortened("attention", 9), "attention");
  EXPECT_EQ(shortened("attention", 8), "attenti…");
  EXPECT_EQ(shortened("β over 漢字", 9), "β over …");  // half a character is none
  EXPECT_EQ(shortened("attention", 1), "…");
  EXPECT_EQ(shortened("attention", 0), "");
}

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("beta"), 4);
  EXPECT_EQ(display_width("β₀"), 2);
  EXPECT_EQ(display_width("日本"), 4);
  EXPECT_EQ(display_width("e\xcc\x81"), 1);
}

TEST(TextTable, LinesUp) {
  TextTable table({{"name"}, {"value", TextTable::Align::right}});
  table.row({"β₀", "0.5"});
  table.row({"日本語", "12.25"});
  const auto lines = lines_of(table.text({}));
  ASSERT_EQ(lines.size(), 3u);
  for (const std::string& line : lines) EXPECT_EQ(display_width(line), 6 + 2 + 5) << line;
}

TEST(TextTable, FitsTheTerminal) {
  TextTable table({{"a"}, {"claim", TextTable::Align::left, true}, {"v", TextTable::Align::right}});
  table.row({"copy-permutation", "attention agrees with what the model knew before it attended, in nine of ten seeds",
             "0.9"});
  table.row({"x", std::string(200, 'w'), "1"});
  for (const int width : {50, 80, 200})
    for (const std::string& line : lines_of(table.text({width, false}))) EXPECT_LE(display_width(line), width) << line;
  EXPECT_EQ(lines_of(table.text({})).size(), 3u);  // no terminal: nothing is broken
}

TEST(TextTable, FoldsHeadsAtTheirJointsAndStandsThemOnTheirRow) {
  TextTable table({{"run"}, {"attention_points_right", TextTable::Align::right}, {"task.vocab"}});
  table.row({"1", "0.5", "40"});
  EXPECT_EQ(table.text({80, false}), "run  attention_points_right  task.vocab\n1                       0.5  40\n");
  EXPECT_EQ(table.text({24, false}),
            "       attention_  task.\n"
            "run  points_right  vocab\n"
            "1             0.5  40\n");
}

TEST(TextTable, LeavesOutByRank) {
  TextTable table({{"a"}, {"second", TextTable::Align::left, false, 2}, {"first", TextTable::Align::left, false, 1}});
  table.row({"x", "y", "z"});
  std::vector<std::string> left_out;
  EXPECT_EQ(table.text({12, false}, &left_out), "a  first\nx  z\n");
  EXPECT_EQ(left_out, std::vector<std::string>{"second"});
  left_out.clear();
  EXPECT_EQ(table.text({4, false}, &left_out), "a\nx\n");
  EXPECT_EQ(left_out, (std::vector<std::string>{"second", "first"}));
}

TEST(TextTable, HasColourOnlyWhereAsked) {
  TextTable table({{"v"}});
  table.row({{"held", Tone::good}});
  EXPECT_EQ(table.text({}).find('\x1b'), std::string::npos);
  EXPECT_NE(table.text({80, true}).find("\x1b[32mheld\x1b[0m"), std::string::npos);
}

TEST(TextTable, LetsNoEscapeCodeThrough) {
  TextTable table({{"v"}});
  table.row({"\x1b[31mred\nnext"});
  EXPECT_EQ(table.text({}).find('\x1b'), std::string::npos);
  EXPECT_EQ(lines_of(table.text({})).size(), 2u);
}

TEST(Sparkline, RisesWithItsValues) {
  const double rise[] = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(sparkline(rise, 8), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(display_width(sparkline(rise, 4)), 4);
  const double gap[] = {0, NAN, 1};
  EXPECT_EQ(sparkline(gap, 8), "▁ █");
  EXPECT_EQ(sparkline({}, 8), "");
}

TEST(BlockMap, ShadesCells) {
  const double cells[] = {0, 1, 0.5, NAN};
  EXPECT_EQ(block_map(2, 2, cells, 0, 1, {}), "  ██\n▒▒··\n");
}

}  // namespace
}  // namespace fovea
