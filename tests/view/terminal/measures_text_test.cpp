#include "fovea/view/terminal/measures_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fovea {
namespace {

std::string verdict_of(const Estimate& tau) {
  Measures measures;
  Measures::Row row{};
  row.a = "α";
  row.b = "β";
  row.tau = tau;
  measures.rows = {row};
  const std::vector<std::string> sentences = measures_verdict(measures);
  return sentences.empty() ? "" : sentences.front();
}

TEST(MeasuresVerdict, SaysHowFarTheOrderOfWordsIsThatOfAttention) {
  const std::pair<Estimate, const char*> told[] = {
      {{-0.27, -0.4, -0.1}, "β, the evidence of each word alone, ranks words in the opposite order of attention: "},
      {{0.1, -0.1, 0.3}, "was not shown to rank words as attention does: τ-b 0.100 [-0.100, 0.300] ("},
      {{0, 0, 0}, "was not shown"},
      {{0.06, 0.02, 0.1}, "ranks words almost independently of attention"},
      {{0.1, 0.05, 0.2}, "ranks words somewhat as attention does"},
      {{0.5, 0.4, 0.6}, "ranks words mostly as attention does"},
  };
  for (const auto& [tau, words] : told) EXPECT_NE(verdict_of(tau).find(words), std::string::npos) << verdict_of(tau);
  EXPECT_EQ(verdict_of({NAN, NAN, NAN}), "");
}

}  // namespace
}  // namespace fovea
