#include "fovea/view/terminal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace fovea {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
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

TEST(ClaimsTable, SaysWhatHeldAndWhatNot) {
  const ClaimResult claims[] = {{"copy", "all learn", "share(accuracy)", 1, ">= 1", true, "quick", ""},
                                {"copy", "none does", "share(accuracy)", 0.4, "<= 0.1", false, "quick", ""},
                                {"copy", "late", "nothing", NAN, ">= 1", false, "quick", "no run has 'nothing'"}};
  const auto lines = lines_of(claims_table(claims, {}));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_NE(lines[1].find("✓ held"), std::string::npos);
  EXPECT_NE(lines[2].find("✗ NOT HELD"), std::string::npos);
  EXPECT_NE(lines[2].find("0.4"), std::string::npos);
  EXPECT_NE(lines[2].find("<= 0.1"), std::string::npos);
  EXPECT_NE(lines[3].find("no value"), std::string::npos);
  EXPECT_NE(lines[4].find("no run has 'nothing'"), std::string::npos);
}

}  // namespace
}  // namespace fovea
