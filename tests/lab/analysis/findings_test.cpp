// The findings and the failures of full forms, against the experiments that they name.
#include "fovea/lab/analysis/findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "fovea/io/shipped.h"
#include "fovea/io/toml_reader.h"
#include "fovea/lab/analysis/kept_results.h"

namespace fovea {
namespace {

std::size_t words_in(const std::string& text) {
  std::istringstream in(text);
  std::size_t count = 0;
  for (std::string word; in >> word;) ++count;
  return count;
}

TEST(Findings, AreTwelveClaimsThatExist) {
  ASSERT_EQ(findings().size(), 12u);
  std::set<std::string> headings;
  for (const Finding& finding : findings()) {
    const std::vector<Claim> stated = find_experiment(finding.experiment).claims;
    EXPECT_EQ(std::ranges::count_if(stated, [&](const Claim& claim) { return finding.is_of(claim); }), 1)
        << finding.experiment << ": " << finding.claim;
    EXPECT_LE(words_in(finding.heading), 10u) << finding.heading;
    EXPECT_LE(words_in(finding.why), 25u) << finding.why;
    EXPECT_FALSE(finding.measures.empty()) << finding.heading;
    EXPECT_TRUE(finding.why.ends_with('.') && finding.why.find(". ") == std::string::npos) << finding.why;
    headings.insert(finding.heading);
  }
  EXPECT_EQ(headings.size(), 12u);
}

TEST(Findings, ThreeHaveTheirKeptResultsAndTwoOfTheseFailed) {
  const std::vector<FindingResult> results = results_of_findings(std::span<const ClaimResult>());
  std::size_t kept = 0, failed = 0;
  for (const FindingResult& found : results) {
    EXPECT_EQ(found.kept, found.result.has_value()) << found.finding.heading;
    if (!found.kept) continue;
    ++kept;
    failed += !found.result->held;
    EXPECT_EQ(found.result->preset, "full");
  }
  EXPECT_EQ(kept, 3u);
  EXPECT_EQ(failed, 2u);
  EXPECT_EQ(experiments_of_findings(Preset::quick).size(), 9u);
  EXPECT_EQ(experiments_of_findings(Preset::full).size(), 11u) << "all but that of copy-heads, of the quick form alone";
}

TEST(Findings, AResultOfOnesOwnGoesBeforeAKeptOne) {
  const Finding& finding = findings().back();
  const Experiment experiment = find_experiment(finding.experiment);
  const auto stated = std::ranges::find_if(experiment.claims, [&](const Claim& claim) { return finding.is_of(claim); });
  ASSERT_NE(stated, experiment.claims.end());
  ClaimResult own{experiment.name, stated->says, stated->metric, 7, stated->wanted(), true, "full", ""};
  own.text = stated->text;
  const FindingResult found = results_of_findings(std::span(&own, 1)).back();
  ASSERT_TRUE(found.result);
  EXPECT_FALSE(found.kept);
  EXPECT_EQ(found.result->value, 7);
  own.source = "somewhere/" + experiment.name + ".toml";
  EXPECT_TRUE(results_of_findings(std::span(&own, 1)).back().kept) << "a file of the user's is another experiment";
}

TEST(KeptFailures, EachHasAParagraphAndEachParagraphAFailure) {
  std::set<std::string> failed, told;
  for (const KeptFailure& failure : kept_failures()) {
    const std::string name = failure.experiment + (failure.corpus.empty() ? "" : "-" + failure.corpus);
    failed.insert(name);
    EXPECT_FALSE(failure.says.empty()) << name << ": write its paragraph in docs/results/failures.toml";
    ASSERT_FALSE(failure.claims.empty());
    for (const ClaimResult& claim : failure.claims) EXPECT_FALSE(claim.held) << claim.claim;
  }
  EXPECT_GE(failed.size(), 10u);
  for (const ShippedExperiment& file : shipped_results())
    if (file.name == "failures")
      for (const auto& [name, value] : parse_table(std::string(file.toml), "failures.toml")) told.insert(name);
  EXPECT_EQ(told, failed);
}

TEST(KeptFailures, HaveTheNumbersThatWereKept) {
  const std::vector<ClaimResult> claims = kept_claims("digits-even");
  const auto found =
      std::ranges::find_if(claims, [](const ClaimResult& claim) { return claim.text.name == "learned-beats-uniform"; });
  ASSERT_NE(found, claims.end());
  EXPECT_LT(found->value, 0);
  EXPECT_EQ(found->wanted, ">= 0.02");
  EXPECT_FALSE(found->text.title.empty());
  EXPECT_TRUE(kept_claims("nothing-like-it").empty());
}

}  // namespace
}  // namespace fovea
