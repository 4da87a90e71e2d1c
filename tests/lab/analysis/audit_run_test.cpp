#include "fovea/lab/analysis/audit_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/train/trainer.h"
#include "tests/lab/train/mark.h"

namespace fovea {
namespace {

RunSpec audit_spec(const std::string& toml) {
  return resolve(parse_experiment(toml, "test.toml"), Preset::full, {}, 3);
}

// Each sequence has words of its own, so that a logit of a word is a logit of a place: free by construction. And a
// word's state is its two weights: local by construction.
TEST(Audit, OfFreeLogitsWithoutRecurrenceGivesTheExtremes) {
  const RunRecord run = train(audit_spec(R"(
    task  = { name = "two-sequences", sequences = ["0 1 2", "0 1 2", "3 4 5", "3 4 5"], labels = [1, 1, 0, 0] }
    model = { name = "unigram-gate", beta_spread = 1.0, logit_spread = 0.5 }
    train = { steps = 40, batch = 4, optimizer = "sgd", rate = 0.02, precision = "double" }
    probe = { every = 2, examples = 4, names = ["audit"] })"));
  for (const double cosine : run.series.at("audit_free_logit_cosine").values) EXPECT_NEAR(cosine, 1, 1e-6);
  EXPECT_NEAR(run.series.at("audit_free_logit_cosine_mean").values.back(), 1, 1e-6);
  for (const double share : run.series.at("audit_state_explained_by_word").values) EXPECT_NEAR(share, 1, 1e-6);
}

TEST(Audit, OfUniformAttentionFindsItUniformAndStill) {
  const RunRecord run = train(audit_spec(R"(
    task  = { name = "keyword", vocab = 10, length = 6 }
    model = { name = "gated-classifier", hidden = 8, embedding = 8, attention = "uniform" }
    train = { steps = 20, batch = 16 }
    probe = { every = 10, examples = 40, names = ["audit"] })"));
  for (const double entropy : run.series.at("audit_entropy").values) EXPECT_NEAR(entropy, 1, 1e-6);
  EXPECT_FALSE(run.series.contains("audit_free_logit_cosine"));
  EXPECT_FALSE(run.series.contains("audit_first_step_not_uniform"));
  EXPECT_FALSE(run.series.contains("audit_attention_rise_at_half_knowledge"));
}

TEST(Audit, ChangesNoNumberOfTheRun) {
  const RunSpec spec = audit_spec(R"(
    task  = { name = "copy", vocab = 8, length = 4 }
    model = { name = "seq2seq", hidden = 12, embedding = 12 }
    train = { steps = 30, batch = 8 }
    probe = { every = 10, examples = 20, names = ["accuracy", "entropy"] })");
  const RunRecord plain = train(spec), audited = train(with_audit(spec));
  EXPECT_EQ(first_difference(plain, audited), "");
  EXPECT_TRUE(audited.series.contains("audit_mean_state_explained"));
  EXPECT_TRUE(audited.series.contains("audit_second_neighbour_decoded"));
  RunRecord changed = plain;
  changed.series.at("accuracy").values[1] += 1e-12;
  EXPECT_NE(first_difference(changed, audited), "");
}

TEST(Audit, RefusesRunsWithNothingToMeasure) {
  const RunSpec spec = audit_spec(R"(
    task  = { name = "feature-mean" }
    model = { name = "feature-attention" }
    train = { steps = 1 }
    probe = { names = ["accuracy"] })");
  EXPECT_THROW(with_audit(spec), Error);
}

// A model of texts that attends and says nothing of single positions.
TEST(Audit, RefusesModelsWithoutBeta) {
  const RunSpec spec = testing_parts::mark_spec({}, 3);
  try {
    with_audit(spec);
    FAIL() << "an audit without β";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    EXPECT_NE(error.problem().text().find("probe 'audit' reads β, and model 'tiny' has none here"), std::string::npos)
        << error.problem().text();
  }
}

}  // namespace
}  // namespace fovea
