// Measures across runs of which everything is known.
#include "fovea/lab/analysis/measurement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "fovea/lab/analysis/evidence.h"

namespace fovea {
namespace {

using Rows = std::vector<std::vector<float>>;

// Runs made by hand, and what their probes kept.
class Kept {
 public:
  RunRecord run(const std::string& experiment, std::vector<Override> settings, std::uint64_t seed) {
    settings.push_back({"model.hidden", {std::int64_t{4}, {}}});
    RunRecord record;
    record.id = ++last_;
    record.state = RunState::done;
    record.spec = resolve(find_experiment(experiment), Preset::quick, settings, seed);
    record.hash = record.spec.hash();
    return record;
  }
  RunRecord words(std::int64_t embedding) {
    RunRecord record = run("text-classify", {}, 0);
    record.spec.model = {{"name", {std::string("word-mean"), {}}}, {"embedding", {embedding, {}}}};
    return record;
  }

  // Three examples of four, two and one positions.
  void examples(const RunRecord& run, float label = 1) {
    add(run, "lengths", 0, {{4, 2, 1}});
    add(run, "rows", 0, {{1, 1, 1}});
    add(run, "source", 0, {{1, 2, 3, 4, 5, 6, 7}});
    add(run, "labels", 0, {{1, 0, label}});
  }
  void add(const RunRecord& run, const std::string& name, std::int64_t step, const Rows& rows) {
    ArrayRecord array{"evidence." + name, step, {}, {}};
    for (const auto& row : rows) array.values.insert(array.values.end(), row.begin(), row.end());
    arrays_[{run.id, array.name}].push_back(array);
  }
  FetchArrays fetch() const {
    return [this](std::int64_t run, const std::string& name) {
      const auto found = arrays_.find({run, name});
      return found == arrays_.end() ? std::vector<ArrayRecord>() : found->second;
    };
  }

 private:
  std::int64_t last_ = 0;
  std::map<std::pair<std::int64_t, std::string>, std::vector<ArrayRecord>> arrays_;
};

const Rows first{{0.7f, 0.1f, 0.1f, 0.1f}, {0.9f, 0.1f}, {1}};
const Rows second{{0.1f, 0.7f, 0.1f, 0.1f}, {0.9f, 0.1f}, {1}};
const Rows third{{0.1f, 0.7f, 0.1f, 0.1f}, {0.2f, 0.8f}, {1}};
const Rows even{{0.25f, 0.25f, 0.25f, 0.25f}, {0.5f, 0.5f}, {1}};

void performs(RunRecord& run, std::vector<double> accuracy, std::vector<double> loss) {
  std::vector<std::int64_t> steps;
  for (std::size_t i = 0; i < accuracy.size(); ++i) steps.push_back(static_cast<std::int64_t>(10 * i));
  run.series["evidence_accuracy"] = {steps, std::move(accuracy)};
  run.series["evidence_loss"] = {steps, std::move(loss)};
}

const Measures::Row& row_of(const Measures& measures, const std::string& a, const std::string& b) {
  for (const Measures::Row& row : measures.rows)
    if (row.a == a && row.b == b) return row;
  ADD_FAILURE() << "no row of " << a << " and " << b;
  return measures.rows.front();
}

std::string complaint(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was complained of";
  return {};
}

TEST(Measured, FindsAgreementAndHowLongUntilAttentionKnowsMore) {
  Kept kept;
  RunRecord a = kept.run("text-classify", {}, 0), other = kept.run("text-classify", {}, 1),
            uniform = kept.run("text-classify", {{"model.attention", {std::string("uniform"), {}}}}, 0),
            words = kept.words(8), logistic = kept.words(0);
  for (RunRecord* run : {&a, &other, &uniform, &words, &logistic}) {
    performs(*run, {0.5, 0.75, 1.0}, {0.9, 0.3, 0.5});
    kept.examples(*run);
  }
  kept.add(a, "alpha", 0, third);
  kept.add(a, "alpha", 20, first);
  kept.add(a, "beta", 20, second);
  kept.add(a, "delta", 20, first);
  kept.add(other, "alpha", 0, third);
  kept.add(other, "alpha", 10, second);
  kept.add(other, "alpha", 20, first);
  kept.add(other, "beta", 20, first);
  kept.add(uniform, "alpha", 0, even);
  kept.add(uniform, "beta", 0, first);
  kept.add(uniform, "beta", 20, third);
  kept.add(words, "beta", 0, first);
  kept.add(words, "beta", 10, second);  // the least loss
  kept.add(words, "beta", 20, third);
  kept.add(logistic, "beta", 10, third);

  const auto predict_attention = [](const RunSpec&, const EvidenceRows&) {
    const auto evidence = [](const Rows& rows) {
      Evidence flat;
      for (const auto& row : rows) flat.values.insert(flat.values.end(), row.begin(), row.end());
      return flat;
    };
    return PredictedAttention{
        {evidence(first), evidence(first)}, {evidence(even), evidence(second)}, {evidence(third), evidence(third)}, {}};
  };
  const MeasurementRuns runs = sort_runs({a, other, uniform, words, logistic});
  const Measures measures = measure(runs, kept.fetch(), {predict_attention});
  EXPECT_EQ(measures.examples, 3);
  EXPECT_EQ(measures.words, 3);
  EXPECT_EQ(measures.best, 1.0);
  EXPECT_EQ(measures.best_step, 20);
  const double third_of = 1.0 / 3;
  // α and β part on the first example only; others reach two of three (not more) at step 10, and all at step 20.
  const Measures::Row& beta = row_of(measures, "α", "β");
  EXPECT_NEAR(beta.agreement.mean, 2 * third_of, 1e-12);
  EXPECT_NEAR(beta.chance.mean, (0.25 + 0.5 + 1) / 3, 1e-12);
  EXPECT_NEAR(beta.tau.mean, (-third_of + 1) / 2, 1e-7) << "a row of one position has none";
  ASSERT_TRUE(beta.xi);
  EXPECT_EQ(beta.xi->step, 20);
  EXPECT_EQ(beta.xi->performance, 1.0);
  const Measures::Row& delta = row_of(measures, "α", "Δ");
  EXPECT_EQ(delta.agreement.mean, 1);
  EXPECT_EQ(delta.xi->step, -1) << "nothing agrees better than fully";
  ASSERT_TRUE(delta.untrained);
  EXPECT_NEAR(delta.untrained->mean, third_of, 1e-12) << "of attention at its first look";
  EXPECT_NEAR(row_of(measures, "α", "βᵖˣ").agreement.mean, 2 * third_of, 1e-12) << "that of the least loss";
  const Measures::Row& from_uniform = row_of(measures, "α", "βᵘᶠ");
  EXPECT_NEAR(from_uniform.agreement.mean, third_of, 1e-12) << "that of the last look";
  EXPECT_EQ(from_uniform.xi->step, 10) << "the others agree in two of three there";
  EXPECT_EQ(from_uniform.xi->performance, 0.75);
  ASSERT_TRUE(from_uniform.most);
  EXPECT_EQ(*from_uniform.most, (std::pair{1.0, std::int64_t{0}}));
  EXPECT_NEAR(row_of(measures, "βᵘᶠ", "logistic β").agreement.mean, 1, 1e-12);
  EXPECT_NEAR(row_of(measures, "βᵘᶠ", "logistic β").untrained.value().mean, third_of, 1e-12);
  EXPECT_FALSE(row_of(measures, "α", "α of other seeds").untrained);
  EXPECT_NEAR(row_of(measures, "βᵘᶠ", "βᵖˣ").agreement.mean, 2 * third_of, 1e-12);
  EXPECT_NEAR(row_of(measures, "Δ", "βᵘᶠ").agreement.mean, third_of, 1e-12);
  EXPECT_EQ(row_of(measures, "α", "α of other seeds").agreement.mean, 1);
  EXPECT_EQ(row_of(measures, "α", "predicted").agreement.mean, 1);
  EXPECT_NEAR(row_of(measures, "α", "common").agreement.mean, 2 * third_of, 1e-12);
  EXPECT_TRUE(std::isnan(row_of(measures, "α", "common").tau.mean)) << "it has no order of its own";
  EXPECT_NEAR(row_of(measures, "α", "rare").agreement.mean, third_of, 1e-12);
  // Of the examples of class 1 alone, the first and the third.
  const Measures of_class = measure(runs, kept.fetch(), {predict_attention, 1});
  EXPECT_EQ(of_class.examples, 2);
  EXPECT_EQ(of_class.words, 2);
  EXPECT_NEAR(row_of(of_class, "α", "β").agreement.mean, 0.5, 1e-12);
  EXPECT_NEAR(row_of(of_class, "α", "β").chance.mean, (0.25 + 1) / 2, 1e-12);
  EXPECT_NE(complaint([&] {
              measure(runs, kept.fetch(), {predict_attention, 2});
            }).find("no evaluated example of this class"),
            std::string::npos);
  RunRecord unlike = kept.run("text-classify", {}, 2);
  performs(unlike, {0.5, 0.75, 1.0}, {0.9, 0.3, 0.5});
  kept.examples(unlike);
  kept.add(unlike, "alpha", 0, even);
  kept.add(unlike, "alpha", 10, even);
  kept.add(unlike, "alpha", 20, third);
  const Measures of_two = measure(sort_runs({a, other, unlike}), kept.fetch());
  EXPECT_NEAR(row_of(of_two, "α", "α of other seeds").agreement.mean, (1 + third_of) / 2, 1e-12);
  const std::vector<ClaimResult> claims = claims_of(measures, find_experiment("text-classify"), Preset::full);
  ASSERT_EQ(claims.size(), 5u) << "of α and β, α and βᵘᶠ, βᵘᶠ and βᵖˣ; what predicts best; accuracy";
  EXPECT_EQ(claims_of(measures, find_experiment("text-classify"), Preset::quick).size(), 2u) << "of α and β; accuracy";
  for (const ClaimResult& claim : claims) {
    EXPECT_EQ(claim.preset, "full");
    if (claim.claim.find("logistic") != std::string::npos) {
      EXPECT_NEAR(claim.value, 0.02, 1e-12) << "both are best at 1";
      continue;
    }
    EXPECT_FALSE(claim.held) << "three examples are too few";
    // What is predicted agrees in all three; baseline, rival and untrained attention reach that in a draw of one
    // example thrice.
    const bool full = claim.claim.find("predicted") != std::string::npos;
    EXPECT_TRUE(full ? claim.value == 0 : claim.value < 0) << claim.claim << ": " << claim.value;
  }
  for (const Measures::Row& row : measures.rows) {
    EXPECT_LE(row.agreement.low, row.agreement.mean);
    EXPECT_GE(row.agreement.high, row.agreement.mean);
    EXPECT_FALSE(row.xi && row.a != "α");
  }
}

// The best look of every run that has learned attention counts, and the logistic regression's best; further uniform
// seeds stand beside the first, and only texts of the class that words tell count for what is predicted.
TEST(Measured, ComparesWithTheLogisticRegressionAndInTheClassThatWordsTell) {
  Kept kept;
  RunRecord a = kept.run("text-classify", {}, 0), other = kept.run("text-classify", {}, 1), logistic = kept.words(0);
  performs(a, {0.5, 0.9, 0.8}, {0.9, 0.3, 0.5});
  performs(other, {0.5, 0.7, 0.7}, {0.9, 0.3, 0.5});
  performs(logistic, {0.5, 0.85, 0.6}, {0.9, 0.3, 0.5});
  std::vector<RunRecord> runs{a, other, logistic};
  for (const std::uint64_t seed : {0u, 1u}) {
    runs.push_back(kept.run("text-classify", {{"model.attention", {std::string("uniform"), {}}}}, seed));
    performs(runs.back(), {0.5, 0.8, 0.8}, {0.9, 0.3, 0.5});
    kept.add(runs.back(), "beta", 20, first);
  }
  for (const RunRecord& run : runs) {
    kept.examples(run, 0);
    for (const std::int64_t step : {0, 10, 20})
      if (run.id != logistic.id) kept.add(run, "alpha", step, first);
    if (run.id <= logistic.id) kept.add(run, "beta", 10, first);
  }
  const auto from_data = [](const RunSpec&, const EvidenceRows&) {
    const auto flat = [](const Rows& rows) {
      Evidence evidence;
      for (const auto& row : rows) evidence.values.insert(evidence.values.end(), row.begin(), row.end());
      return evidence;
    };
    PredictedAttention told{
        {flat(second), flat(second)}, {flat(first), flat(first)}, {flat(third), flat(third)}, {true, false}};
    return told;
  };
  const MeasurementRuns sorted = sort_runs(runs);
  EXPECT_EQ(sorted.other_uniform.size(), 1u);
  const Measures measures = measure(sorted, kept.fetch(), {from_data});
  ASSERT_TRUE(measures.over_logistic);
  EXPECT_NEAR(measures.over_logistic->mean, (0.05 - 0.15) / 2, 1e-12);
  EXPECT_NEAR(row_of(measures, "α", "predicted").agreement.mean, 2.0 / 3, 1e-12);
  // Examples 2 and 3 are of class 0; the first, of class 1, is the one in which they part.
  ASSERT_EQ(measures.told.size(), 3u);
  EXPECT_EQ(measures.told[0].agreement.mean, 1);
  EXPECT_EQ(measures.told[2].agreement.mean, 0.5);
  bool found = false;
  for (const ClaimResult& claim : claims_of(measures, find_experiment("text-classify"), Preset::quick)) {
    if (claim.claim.find("logistic") == std::string::npos) continue;
    found = true;
    EXPECT_FALSE(claim.held) << "one seed is 0.15 below";
    EXPECT_NEAR(claim.value, -0.13, 1e-12);
  }
  EXPECT_TRUE(found);
}

TEST(Measured, AgreementIsClaimedAgainstTheBestOfItsRivals) {
  const auto row = [](const char* a, const char* b, double low, double high) {
    Measures::Row row;
    row.a = a, row.b = b;
    row.agreement = {(low + high) / 2, low, high};
    row.chance = {0.1, 0.05, 0.15};
    return row;
  };
  Measures measures;
  measures.words = measures.examples = 500;
  measures.rows = {row("α", "β", 0.5, 0.6), row("α", "predicted", 0.5, 0.6)};
  const auto claimed = [&](const char* experiment) {
    return claims_of(measures, find_experiment(experiment), Preset::quick);
  };
  ASSERT_EQ(claimed("text-classify").size(), 1u) << "what is predicted of classes is set against rivals elsewhere";
  EXPECT_NEAR(claimed("text-classify")[0].value, 0.5 - 0.15, 1e-12) << "shuffled";
  measures.rows[0].untrained = Estimate{0.2, 0.1, 0.3};
  EXPECT_NEAR(claimed("text-classify")[0].value, 0.5 - 0.3, 1e-12) << "untrained";
  measures.rows.push_back(row("α", "rare", 0.3, 0.4));
  EXPECT_NEAR(claimed("text-classify")[0].value, 0.5 - 0.4, 1e-12) << "the rarest words";
  EXPECT_TRUE(claimed("text-classify")[0].held);
  measures.rows.push_back(row("α", "common", 0.5, 0.7));
  EXPECT_NEAR(claimed("text-classify")[0].value, 0.5 - 0.7, 1e-12) << "the commonest";
  EXPECT_FALSE(claimed("text-classify")[0].held);
  measures.words = 4000;  // of translations
  ASSERT_EQ(claimed("text-translate").size(), 2u);
  EXPECT_NEAR(claimed("text-translate")[1].value, 0.5 - 0.7, 1e-12) << "what is predicted meets them, too";
}

TEST(Measured, OfTranslationsRowsAreTargetWords) {
  Kept kept;
  RunRecord a = kept.run("text-translate", {}, 0), other = kept.run("text-translate", {}, 1);
  for (RunRecord* run : {&a, &other}) {
    performs(*run, {0.5}, {0.9});
    kept.add(*run, "lengths", 0, {{2, 2, 2, 1}});
    kept.add(*run, "rows", 0, {{3, 1}});
    kept.add(*run, "alpha", 0, {{0.9f, 0.1f}, {0.2f, 0.8f}, {0.9f, 0.1f}, {1}});
    kept.add(*run, "beta", 0, {{-1, -2}, {-1, -2}, {-3, -1}, {-1}});
    kept.add(*run, "source", 0, {{5, 6, 7}});
    kept.add(*run, "target", 0, {{5, 6, 7, 8}});
  }
  const auto gone = [](const RunSpec&, const EvidenceRows&) -> PredictedAttention {
    throw wrong_input("the corpus is gone", "", {"runs.db", 4, 2});
  };
  const Measures measures = measure(sort_runs({a, other}), kept.fetch(), {gone});
  EXPECT_EQ(measures.unpredicted, "the corpus is gone") << "the rest is measured all the same";
  for (const ClaimResult& claim : claims_of(measures, find_experiment("text-translate"), Preset::quick))
    EXPECT_EQ(claim.claim.find("predicted"), std::string::npos);
  EXPECT_EQ(measures.examples, 2);
  EXPECT_EQ(measures.words, 4);
  EXPECT_EQ(row_of(measures, "α", "β").agreement.mean, 0.5);
}

TEST(Measured, SetsTheUniformRunOfItsOwnSeedBesideIt) {
  Kept kept;
  const std::vector<Override> held{{"model.attention", {std::string("uniform"), {}}}};
  std::vector<RunRecord> runs{kept.run("text-classify", {}, 3)};
  for (const std::uint64_t seed : {1U, 3U, 2U}) runs.push_back(kept.run("text-classify", held, seed));
  const MeasurementRuns sorted = sort_runs(runs);
  ASSERT_TRUE(sorted.uniform);
  EXPECT_EQ(sorted.uniform->spec.seed, 3u);
  EXPECT_EQ(sorted.other_uniform.size(), 2u);
}

TEST(Measured, RefusesWhatCanNotBeMeasured) {
  Kept kept;
  RunRecord a = kept.run("text-classify", {}, 0), b = kept.run("text-classify", {}, 1),
            longer = kept.run("text-classify", {{"train.steps", {std::int64_t{7}, {}}}}, 1);
  for (RunRecord* run : {&a, &b}) performs(*run, {0.5}, {0.9});
  EXPECT_NE(complaint([&] { sort_runs({a, longer}); }).find("cannot be measured against"), std::string::npos);
  RunRecord unseen = b;
  unseen.spec.probe["names"] = {ValueList{{std::string("loss"), {}}}, {}};
  EXPECT_NE(complaint([&] { sort_runs({a, unseen}); }).find("without the probe 'evidence'"), std::string::npos);
  RunRecord elsewhere = kept.words(3);
  elsewhere.spec.probe["split"] = {std::string("test"), {}};
  EXPECT_NE(complaint([&] { sort_runs({a, elsewhere}); }).find("probe.split and"), std::string::npos);
  EXPECT_NE(complaint([&] { sort_runs({a}); }).find("has no run to compare with"), std::string::npos);
  EXPECT_NE(complaint([&] { sort_runs({kept.words(3)}); }).find("has learned attention"), std::string::npos);
  EXPECT_NE(complaint([&] { sort_runs({a, kept.words(3), kept.words(5)}); }).find("same role"), std::string::npos);
  EXPECT_NE(complaint([&] { measure(sort_runs({a, b}), kept.fetch()); }).find("probe 'evidence'"), std::string::npos);
  kept.examples(a);
  kept.examples(b, 0);
  kept.add(a, "alpha", 0, first);
  kept.add(a, "beta", 0, first);
  EXPECT_NE(complaint([&] { measure(sort_runs({a, b}), kept.fetch()); }).find("different examples"), std::string::npos);
  RunRecord torn = kept.run("text-classify", {}, 3);
  kept.add(torn, "lengths", 0, {{2}});
  kept.add(torn, "rows", 0, {{1}});
  kept.add(torn, "labels", 0, {{1}});
  kept.add(torn, "source", 0, {{4}});
  EXPECT_NE(complaint([&] { EvidenceOf(torn, kept.fetch()); }).find("are inconsistent"), std::string::npos);
}

}  // namespace
}  // namespace fovea
