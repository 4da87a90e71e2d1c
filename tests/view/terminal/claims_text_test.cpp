#include "fovea/view/terminal/claims_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace fovea {
namespace {

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

ClaimResult titled(const std::string& title, double value, bool held) {
  ClaimResult claim{"copy", "The median seed needs 40 steps.", "median(steps_to_90)", value, "<= 40", held, "quick",
                    ""};
  claim.text.name = "soon";
  claim.text.title = title;
  claim.text.formula = "median(t90)";
  claim.text.define = {{"t90", "steps_to_90"}};
  claim.text.null = HUGE_VAL;
  claim.text.null_means = "never reached";
  claim.text.rivals = {{"a table", 1.5}};
  claim.text.source = "[12], section 4";
  return claim;
}

const char* const long_title = "The median of all seeds needs at most forty steps to reach 90 % accuracy.";

TEST(ClaimsTable, HasALineForEachClaim) {
  const ClaimResult claims[] = {{"copy", "all learn", "share(accuracy)", 1, ">= 1", true, "quick", ""},
                                {"copy", "none does", "share(accuracy)", 0.4, "<= 0.1", false, "quick", ""},
                                {"copy", "late", "nothing", NAN, ">= 1", false, "quick", "no run has 'nothing'"},
                                titled(long_title, 31, true)};
  const auto lines = lines_in(claims_table(claims, {}));
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_NE(lines[0].find("copy"), std::string::npos);
  EXPECT_NE(lines[1].find("✓ supported"), std::string::npos);
  EXPECT_NE(lines[2].find("✗ not supported"), std::string::npos);
  EXPECT_NE(lines[2].find("0.4"), std::string::npos);
  EXPECT_NE(lines[2].find("<= 0.1"), std::string::npos);
  EXPECT_NE(lines[3].find("no value"), std::string::npos);
  EXPECT_TRUE(lines[4].ends_with("31  <= 40         ∞")) << lines[4];
  EXPECT_EQ(lines[5], "late: no run has 'nothing'");
}

TEST(ClaimsTable, WrapsATitleOnANarrowTerminal) {
  const ClaimResult claims[] = {titled(long_title, 31, true)};
  const std::string text = claims_table(claims, {80, false});
  ASSERT_GT(lines_in(text).size(), 2u);
  for (const std::string& line : lines_in(text)) EXPECT_LE(display_width(line), 80) << line;
  EXPECT_EQ(text.find("…"), std::string::npos) << text;
  const std::string title = long_title;
  EXPECT_NE(text.find(title.substr(title.rfind(' ') + 1)), std::string::npos) << text;
}

TEST(ClaimsTable, HasATableForEachExperiment) {
  ClaimResult other = titled("Short.", 1, true);
  other.experiment = "keyword";
  const ClaimResult claims[] = {titled("Long.", 1, true), other};
  const auto lines = lines_in(claims_table(claims, {}));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_NE(lines[0].find("copy"), std::string::npos);
  EXPECT_EQ(lines[2], "");
  EXPECT_NE(lines[3].find("keyword"), std::string::npos);
}

TEST(FindingsTable, SaysWhatEachValueIsAndIsNeverCut) {
  const Finding finding{"copy", "soon", "Half of the likeliest words are right while attention is elsewhere",
                        "median steps on permutations / median steps on subsets", "It matters."};
  ClaimResult other = titled("Late.", -0.5, false);
  other.wanted = "0.2 to 0.5";
  const FindingResult results[] = {
      {finding, titled(long_title, 31, true), false}, {finding, {}, false}, {finding, other, true}};
  const std::string text = findings_table(results, {80, false});
  for (const char* part :
       {"✓ supported", "measured: 31 (median steps on permutations /", "needed: at most 40; null: ∞ (never reached)",
        "not run here", "kept result of the full form", "measured: −0.5", "needed: 0.2 to 0.5", "The quick form has"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("…"), std::string::npos) << text;
  for (const std::string& line : lines_in(text)) EXPECT_LE(display_width(line), 80) << line;
}

TEST(ClaimsExplained, HasAllThatTheFileSays) {
  const ClaimResult claim = titled("Soon.", 31, true);
  const std::string text = claims_explained(std::span(&claim, 1), {});
  for (const char* part : {"supported", "Soon.", "The median seed needs 40 steps.", "soon", "31", "<= 40",
                           "∞: never reached", "1.5: a table", "median(t90)", "t90 = steps_to_90", "[12], section 4"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(ClaimsExplained, OfATextAloneHasItsMetric) {
  const ClaimResult claim{"copy", "all learn", "share(accuracy)", 1, ">= 1", true, "quick", ""};
  const std::string text = claims_explained(std::span(&claim, 1), {});
  EXPECT_NE(text.find("share(accuracy)"), std::string::npos) << text;
  EXPECT_EQ(text.find("null"), std::string::npos) << text;
}

TEST(Verdicts, NameTheSourceThatIsRefuted) {
  ClaimResult claim = titled("Late.", 31, true);
  EXPECT_EQ(verdict_text(claim), "supported");
  claim.text.refutes = true;
  EXPECT_EQ(verdict_text(claim), "refutes [12]");
  const ClaimResult claims[] = {claim, titled("x", 31, true), titled("x", 31, false)};
  EXPECT_EQ(verdict_counts(claims), "1 of 3 claims are supported, 1 refutes a source");
  claim.held = false;
  EXPECT_EQ(verdict_text(claim), "does not refute [12]");
  claim.value = NAN;
  EXPECT_EQ(verdict_text(claim), "no value");
}

}  // namespace
}  // namespace fovea
