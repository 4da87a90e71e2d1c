// What the audit says of a run's numbers.
#include "fovea/view/terminal/audit_text.h"

#include <gtest/gtest.h>

#include <string>

#include "fovea/lab/record/record.h"

namespace fovea {
namespace {

RunRecord audited(double word_share, double mean_state, double shuffled, double overlap) {
  RunRecord run;
  const auto put = [&run](const std::string& name, double value) { run.series[name] = {{0}, {value}}; };
  put("audit_entropy", 1);
  put("audit_state_explained_by_word", word_share);
  put("audit_mean_state_explained", mean_state);
  put("audit_mean_state_explained_shuffled", shuffled);
  put("audit_attention_rise_at_half_knowledge", overlap);
  return run;
}

std::string sentence(const RunRecord& run, const std::string& name) {
  for (const AuditLine& line : audit_lines(run))
    if (line.name == name) return line.sentence;
  return "";
}

TEST(AuditText, SaysHowMuchIsExplained) {
  const RunRecord run = audited(0.33, 0.4, 0.1, 0.2);
  EXPECT_EQ(sentence(run, "local"), "The state at the end: the word alone explains 33.0 % of its variance.");
  EXPECT_EQ(sentence(run, "mean"),
            "The mean state of new texts at the end: a linear map of the mean embedding explains 40.0 % of its "
            "variance. A map fitted to the states of other texts explains 10.0 % of its variance.");
  EXPECT_EQ(sentence(run, "separate"), "When knowledge had risen by half, 20.0 % of attention's rise had happened.");
}

TEST(AuditText, HasNoNegativeShares) {
  const RunRecord run = audited(-0.02, -0.854, -0.9, -0.05);
  EXPECT_EQ(sentence(run, "local"), "The state at the end: the word alone predicts it worse than the mean does.");
  EXPECT_EQ(sentence(run, "mean"),
            "The mean state of new texts at the end: a linear map of the mean embedding predicts it worse than the "
            "mean does. A map fitted to the states of other texts predicts it worse than the mean does.");
  EXPECT_EQ(sentence(run, "separate"), "When knowledge had risen by half, none of attention's rise had happened.");
  for (const AuditLine& line : audit_lines(run)) EXPECT_EQ(line.sentence.find('-'), std::string::npos) << line.sentence;
  const std::string table = audit_text(run, {});
  EXPECT_EQ(table.find("-0."), std::string::npos) << table;
  EXPECT_NE(table.find("below 0"), std::string::npos) << table;
}

}  // namespace
}  // namespace fovea
