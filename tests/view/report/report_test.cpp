#include "fovea/view/report/report.h"

#include <gtest/gtest.h>

#include "fovea/lab/analysis/findings.h"
#include "tests/view/markup_check.h"
#include "tests/view/sample_runs.h"

namespace fovea {
namespace {

Reproduction reproduction(const std::string& name, const std::string& system, int order) {
  Reproduction r;
  r.experiment.name = name;
  r.experiment.title = "Title of " + name;
  r.experiment.idea = "What it asks.";
  r.experiment.system = system;
  r.experiment.order = order;
  r.experiment.figures.push_back({"lines", {{"panels", {std::string("experiment"), {}}}}, {}});
  r.preset = Preset::quick;
  r.runs = sample::copy_runs(3);
  r.claims = {{name, "all learn", "share(accuracy >= 0.9)", 1, ">= 1", true, "quick", ""},
              {name, "none does", "share(accuracy)", 0.4, "<= 0.1", false, "quick", ""}};
  r.seconds = 12.5;
  return r;
}

TEST(Report, IsWellFormedAndNeedsNoNetwork) {
  const Reproduction all[] = {reproduction("copy", "copying", 2), reproduction("toy", "toy gate", 1)};
  const std::string html = report_html(all, {}, {"Title", "2026-01-02", "0.1.0", "two cores"});
  EXPECT_EQ(sample::markup_fault(html), "");
  for (const char* outside : {"src=", "@import", "url(http", "<link", "<script", "href=\"http"})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
}

TEST(Report, TellsTheStoryInOrder) {
  const Reproduction all[] = {reproduction("copy", "copying", 2), reproduction("toy", "toy gate", 1),
                              reproduction("copy-2", "copying", 3)};
  const std::string html = report_html(all, {}, {});
  const std::size_t toy = html.find("<h2>Toy gate</h2>"), copy = html.find("<h2>Copying</h2>");
  ASSERT_NE(toy, std::string::npos);
  ASSERT_NE(copy, std::string::npos);
  EXPECT_LT(toy, copy);
  EXPECT_EQ(html.find("<h2>Copying</h2>", copy + 1), std::string::npos);
  EXPECT_NE(html.find("3 of 6 claims are supported"), std::string::npos);
  EXPECT_NE(html.find("✓ supported"), std::string::npos);
  EXPECT_NE(html.find("✗ not supported"), std::string::npos);
  EXPECT_NE(html.find("reproduce copy (quick)"), std::string::npos);
  EXPECT_NE(html.find("seeds 0–2"), std::string::npos);
  EXPECT_NE(html.find("prefers-color-scheme:dark"), std::string::npos);
}

TEST(Report, EscapesAllTextOfTheUser) {
  const std::string evil = "<script>alert('x')</script>\"&";
  Reproduction r = reproduction(evil, evil, 1);
  r.experiment.title = r.experiment.idea = evil;
  r.experiment.figures[0].settings["title"] = Value{evil, {}};
  r.experiment.figures[0].settings["note"] = Value{evil, {}};
  r.experiment.figures.push_back({evil, {}, {evil, 1, 1}});
  for (RunRecord& run : r.runs) {
    run.experiment = run.version = run.machine = run.started = run.error = evil;
    run.state = RunState::failed;
    run.spec.task["name"] = Value{evil, {}};
    run.spec.model[evil] = Value{evil, {}};
  }
  r.claims[0].claim = r.claims[0].metric = r.claims[0].wanted = r.claims[0].note = evil;
  const std::string html = report_html(std::span(&r, 1), {}, {evil, evil, evil, evil});
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(sample::markup_fault(html), "");
}

TEST(Report, AClaimIsShownByItsTitleWithItsNullValueAndRivals) {
  Reproduction r = reproduction("copy", "copying", 1);
  ClaimText& text = r.claims[0].text;
  text.title = "All <learn>.";
  text.null = 0.5;
  text.null_means = "half \"learn\"";
  text.rivals = {{"a table", 0.25}};
  text.refutes = true;
  text.source = "[3], section 2";
  const std::string html = report_html(std::span(&r, 1), {}, {});
  for (const char* part : {"All &lt;learn&gt;.", "all learn", "refutes [3]", "half &quot;learn&quot;", "a table, 0.25",
                           "0 of 2 claims are supported, 1 refutes a source"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  EXPECT_EQ(sample::markup_fault(html), "");
}

TEST(Report, AWrongFigureDoesNotTakeTheRestWithIt) {
  Reproduction r = reproduction("copy", "copying", 1);
  r.experiment.figures[0].kind = "linez";
  const std::string html = report_html(std::span(&r, 1), {}, {});
  EXPECT_NE(html.find("could not be drawn"), std::string::npos);
  EXPECT_NE(html.find("lines"), std::string::npos);
  EXPECT_NE(html.find("✓ supported"), std::string::npos);
}

TEST(Report, BeginsWithTheFindingsAndEndsWithWhatWasNotSupported) {
  const Finding& finding = findings().front();
  Reproduction r = reproduction(finding.experiment, "copying", 1);
  r.claims[0].claim = finding.claim;
  r.claims[0].text.name = finding.claim;
  const std::string html = report_html(std::span(&r, 1), {}, {});
  const std::size_t first = html.find(finding.heading), chapter = html.find("<h2>Copying</h2>"),
                    last = html.find("What was not supported");
  ASSERT_NE(first, std::string::npos);
  EXPECT_LT(first, chapter);
  EXPECT_LT(chapter, last);
  EXPECT_LT(last, html.find("digits-even"));
  EXPECT_NE(html.find("<a href=\"#experiment-1\">" + finding.heading), std::string::npos);
  EXPECT_NE(html.find("Kept result of the full form"), std::string::npos);
  EXPECT_EQ(sample::markup_fault(html), "");
}

TEST(Report, OfNothingStillStands) { EXPECT_EQ(sample::markup_fault(report_html({}, {}, {})), ""); }

}  // namespace
}  // namespace fovea
