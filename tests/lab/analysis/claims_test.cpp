#include <gtest/gtest.h>

#include <cmath>

#include "fovea/lab/analysis/reproduce.h"
#include "tests/lab/train/mark.h"

namespace fovea {
namespace {

Experiment experiment_with(const std::string& claims) {
  return parse_experiment("task = { name = \"mark\" }\nmodel = { name = \"tiny\" }\n" + claims, "x.toml");
}

std::vector<RunRecord> runs() {
  std::vector<RunRecord> all(4);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].state = RunState::done;
    all[i].spec.seed = i;
    all[i].spec.task = {{"vocab", {std::int64_t{i < 2 ? 40 : 60}, {}}}};
    all[i].series["accuracy"] = {{0, 10}, {0.1, 0.9 + 0.02 * static_cast<double>(i)}};
  }
  return all;
}

ClaimResult one(const std::string& claim, const std::vector<RunRecord>& records) {
  const auto results = check_claims(experiment_with("[[claim]]\nsays = \"it holds\"\n" + claim), Preset::full, records);
  EXPECT_EQ(results.size(), 1u);
  return results.front();
}

TEST(Claims, HoldOrNotByTheirNumber) {
  const struct {
    const char* text;
    bool held;
  } cases[] = {
      {"metric = \"median(accuracy)\"\nat_least = 0.929", true},
      {"metric = \"median(accuracy)\"\nat_least = 0.931", false},
      {"metric = \"median(accuracy)\"\nat_most = 0.931", true},
      {"metric = \"median(accuracy)\"\nat_most = 0.929", false},
      {"metric = \"share(accuracy >= 0.93)\"\nat_least = 0.5", true},
      {"metric = \"share(accuracy >= 0.93)\"\nat_least = 0.51", false},
      {"metric = \"share(accuracy >= 0.93)\"\nwhere = \"task.vocab = 60\"\nat_least = 1", true},
      {"metric = \"share(accuracy >= 0.93)\"\nwhere = \"task.vocab = 40\"\nat_least = 1", false},
      {"metric = \"accuracy\"\nwhere = \"seed = 3\"\nat_least = 0.95\nat_most = 0.97", true},
      {"metric = \"accuracy\"\nwhere = \"seed = 3\"\nat_least = 0.97\nat_most = 0.98", false},
      {"metric = \"most(step_of(accuracy > 2))\"\nat_most = 1e300", false},
      {"metric = \"0 * median(accuracy) + 0.35 - 0.15\"\nat_least = 0.2", true},  // 0.19999999999999998
      {"metric = \"0 * median(accuracy) + 0.1 + 0.2\"\nat_most = 0.3", true},     // 0.30000000000000004
      {"metric = \"0 * median(accuracy) + 0.35 - 0.15\"\nat_least = 0.200000001", false},
  };
  for (const auto& c : cases) EXPECT_EQ(one(c.text, runs()).held, c.held) << c.text;
  const ClaimResult result = one("metric = \"median(accuracy)\"\nat_least = 0.5\nat_most = 1", runs());
  EXPECT_EQ(result.claim, "it holds");
  EXPECT_EQ(result.experiment, "x");
  EXPECT_NEAR(result.value, 0.93, 1e-12);
  EXPECT_EQ(result.wanted, "0.5 to 1");
  EXPECT_EQ(result.preset, "full");
  EXPECT_EQ(result.note, "");
}

TEST(Claims, SayWhyThereIsNoNumber) {
  const auto refused = [](const std::string& claim, const std::vector<RunRecord>& records, const std::string& note) {
    const ClaimResult result = one(claim, records);
    EXPECT_FALSE(result.held) << claim;
    EXPECT_TRUE(std::isnan(result.value)) << claim;
    EXPECT_NE(result.note.find(note), std::string::npos) << result.note;
  };
  refused("metric = \"median(loss)\"\nat_least = 0", runs(), "loss (missing in 4 of 4 runs)");
  refused("metric = \"accuracy\"\nat_least = 0", runs(),
          "there are 4 runs: use a function over runs, as in median(accuracy)");
  refused("metric = \"median(accuracy)\"\nwhere = \"seed = 9\"\nat_least = 0", runs(), "no run has seed = 9");
  refused("metric = \"median(accuracy | seed = 9)\"\nat_least = 0", runs(), "no run has seed = 9");
  refused("metric = \"median(accuracy | seed = 9) / median(loss | seed > 2)\"\nat_least = 0", runs(),
          "no run has seed = 9, loss (missing in 1 of 1 runs)");
  refused("metric = \"median(accuracy)\"\nat_least = 0", {}, "there are no runs");
  refused("metric = \"median(step_of(accuracy > 2)) / most(step_of(accuracy > 3))\"\nat_least = 0", runs(),
          "the result is ∞ / ∞, which is not a number (a step never reached is ∞)");
  refused("metric = \"count(step_of(accuracy > 2) / step_of(accuracy > 3) > 1) / count(accuracy > 2)\"\nat_least = 0",
          runs(), "the result is 0 / 0, which is not a number");
  refused("metric = \"median(log(accuracy - 2) | seed = 3)\"\nat_least = 0", runs(), "the result is log of −1.04");
  refused("metric = \"rank_correlation(seed, max(accuracy, 2))\"\nat_least = 0", runs(),
          "the result is rank_correlation of too few runs, or of runs that are all equal, which is not a number");
  refused("metric = \"deviation(accuracy | seed = 3) + 1\"\nat_least = 0", runs(),
          "the result is deviation of too few runs");
  std::vector<RunRecord> failed = runs();
  failed[2].state = RunState::failed;
  refused("metric = \"median(accuracy)\"\nat_least = 0", failed, "1 of 4 runs are not done");
  std::vector<RunRecord> held = runs();
  held[3].series["loss_held"] = {{10}, {0.5}};
  EXPECT_EQ(one("metric = \"median(loss_held | seed = 3) / median(accuracy)\"\nat_least = 0", held).note, "")
      << "the others are not asked for it";
  const ClaimResult shared = one("metric = \"share(loss > 1)\"\nat_most = 1", runs());
  EXPECT_TRUE(shared.held);
  EXPECT_NE(shared.note.find("loss (missing"), std::string::npos);
}

TEST(Claims, AreRefutedByAnIntervalBeyondTheThresholdAndWithAControl) {
  const auto refuted = [](const std::string& bound, std::size_t seeds, const std::string& control) {
    std::vector<RunRecord> records(seeds);
    for (std::size_t i = 0; i < seeds; ++i) {
      records[i].state = RunState::done;
      records[i].spec.seed = i;
      records[i].series["accuracy"] = {{0}, {0.93 + 0.001 * static_cast<double>(i)}};
    }
    const std::string rest = "\nnull = { value = 0, means = \"x\" }\n";
    const std::vector<ClaimResult> results = check_claims(
        experiment_with(
            "[define]\nright = \"accuracy\"\n[[claim]]\nname = \"x\"\ntitle = \"x\"\nsays = \"x\"\nmetric = "
            "\"median(right)\"\nexpect = \"refuted\"\ncontrol = \"c\"\nsource = \"[1]\"\nat_least = " +
            bound + rest +
            "[[claim]]\nname = \"c\"\ntitle = \"c\"\nsays = \"c\"\nmetric = "
            "\"least(accuracy)\"\nat_least = " +
            control + rest),
        Preset::full, records);
    EXPECT_EQ(results.at(0).verdict(), results.at(0).held ? ClaimVerdict::refuted : ClaimVerdict::not_refuted);
    return results.at(0);
  };
  EXPECT_TRUE(refuted("0.95", 8, "0.5").held);
  EXPECT_EQ(refuted("0.95", 8, "0.5").note.find("95 % interval over seeds: 0.93"), 0u)
      << refuted("0.95", 8, "0.5").note;
  EXPECT_FALSE(refuted("0.92", 8, "0.5").held) << "the value is beyond the threshold";
  EXPECT_FALSE(refuted("0.935", 8, "0.5").held) << "the interval is not";
  EXPECT_FALSE(refuted("0.95", 8, "0.99").held);
  EXPECT_NE(refuted("0.95", 8, "0.99").note.find("its control 'c' is not supported"), std::string::npos);
  EXPECT_FALSE(refuted("0.95", 5, "0.5").held);
  EXPECT_NE(refuted("0.95", 5, "0.5").note.find("5 seeds are too few"), std::string::npos);
}

TEST(Claims, FromAStoreGetTheTextsOfClaimsThatHaveNotChanged) {
  const auto titled = [](const std::string& bound) {
    return experiment_with(
        "[[claim]]\nname = \"x\"\ntitle = \"All learn.\"\nsays = \"x\"\nmetric = "
        "\"median(accuracy)\"\nnull = { value = 0, means = \"x\" }\nat_least = " +
        bound);
  };
  std::vector<ClaimResult> results = check_claims(titled("0.5"), Preset::full, runs());
  const ClaimText text = results.at(0).text;
  results[0].text = {};
  add_texts(results, titled("0.6"));
  EXPECT_EQ(results[0].text, ClaimText{});
  add_texts(results, titled("0.5"));
  EXPECT_EQ(results[0].text, text);
  EXPECT_EQ(text.title, "All learn.");
}

TEST(Claims, BelongToAForm) {
  const Experiment experiment = experiment_with(R"toml(
[[claim]]
says = "both"
metric = "count(true)"
at_least = 1
[[claim]]
says = "full alone"
metric = "count(true)"
at_least = 1
form = "full"
)toml");
  EXPECT_EQ(check_claims(experiment, Preset::full, runs()).size(), 2u);
  const auto quick = check_claims(experiment, Preset::quick, runs());
  ASSERT_EQ(quick.size(), 1u);
  EXPECT_EQ(quick[0].claim, "both");
  EXPECT_EQ(quick[0].preset, "quick");
}

}  // namespace
}  // namespace fovea
