// Attention as maps with names, from the model through the probe to who shows it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fovea/lab/analysis/evidence.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/train/trainer.h"
#include "tests/lab/train/mark.h"

namespace fovea {
namespace {

std::string refusal(const std::vector<std::string>& changes) {
  try {
    (void)train(testing_parts::mark_spec(changes, 1));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

FetchArrays arrays_of(const RunRecord& run) {
  return [&run](std::int64_t, const std::string& name) {
    std::vector<ArrayRecord> found;
    for (const ArrayRecord& array : run.arrays)
      if (name.empty() || array.name == name) found.push_back(array);
    return found;
  };
}

TEST(AttentionMaps, ARowMeansWhatTheModelSays) {
  const std::string said = refusal({"model.two_rows=true"});
  EXPECT_NE(said.find("attention 'attention' has 2 rows for each example"), std::string::npos) << said;
  EXPECT_NE(said.find("a map of its own"), std::string::npos) << said;
  EXPECT_EQ(refusal({"model.two_maps=true"}), "");
}

TEST(AttentionMaps, TheAuditWantsBeta) {
  const std::string said = refusal({"probe.names=[\"audit\"]"});
  EXPECT_NE(said.find("probe 'audit' reads β"), std::string::npos) << said;
}

TEST(AttentionMaps, EvidenceIsOfEachByItsName) {
  const RunRecord run = train(
      testing_parts::mark_spec({"model.two_maps=true", "probe.names=[\"evidence\"]", "probe.evidence.examples=3"}, 1));
  ASSERT_EQ(run.state, RunState::done) << run.error;
  const EvidenceOf evidence(run, arrays_of(run));
  EXPECT_EQ(evidence.maps(), (std::vector<std::string>{"attention", "evenly"}));
  const std::vector<Evidence> first = evidence.all("alpha"), further = evidence.all("alpha.evenly");
  ASSERT_EQ(first.size(), further.size());
  EXPECT_NE(first.back().values, further.back().values);
  for (const double weight : further.back().values) EXPECT_FLOAT_EQ(static_cast<float>(weight), 0.2f);

  const RunRecord one = train(testing_parts::mark_spec({"probe.names=[\"evidence\"]", "probe.evidence.examples=3"}, 1));
  EXPECT_EQ(EvidenceOf(one, arrays_of(one)).maps(), std::vector<std::string>{"attention"});
}

TEST(AttentionMaps, AreThoseOfTheModelOfTheSpec) {
  RunSpec spec;
  const auto of = [&](const char* model) {
    spec.model["name"].data = std::string(model);
    return attention_meaning(spec);
  };
  EXPECT_EQ(of("tiny"), (AttentionMeaning{AttentionRows::example, AttentionColumns::source_word}));
  EXPECT_EQ(of("seq2seq"), (AttentionMeaning{AttentionRows::target_word, AttentionColumns::source_word}));
  EXPECT_EQ(of("bag-attention"), (AttentionMeaning{AttentionRows::example, AttentionColumns::item}));
  EXPECT_EQ(of("feature-attention"), (AttentionMeaning{AttentionRows::example, AttentionColumns::feature}));
  EXPECT_EQ(of("pooling"), (AttentionMeaning{AttentionRows::query, AttentionColumns::key}));
  EXPECT_EQ(of("somebody-elses"), std::nullopt);
}

}  // namespace
}  // namespace fovea
