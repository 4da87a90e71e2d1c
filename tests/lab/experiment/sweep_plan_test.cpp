#include "fovea/lab/experiment/sweep_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "fovea/lab/experiment/unresolved_spec.h"
#include "tests/lab/train/mark.h"

namespace fovea {
namespace {

Experiment planned(const std::string& more = {}) {
  return parse_experiment(R"(
task = { name = "mark" }
model = { name = "tiny" }
train = { steps = 60, batch = 16, rate = 0.1 }
probe = { every = 20, names = ["watch"] }
)" + more,
                          "plan.toml");
}

SweepPlan plan_of(const std::vector<std::string>& axes, std::int64_t draws = 0, std::int64_t seed = 0) {
  std::vector<Axis> parsed;
  for (const std::string& words : axes) parsed.push_back(parse_axis(words));
  Experiment drawing = planned();
  drawing.set_draws(draws);
  drawing.draw_seed = seed;
  return {drawing, Preset::full, {}, parsed};
}

template <class T>
std::vector<T> values(const SweepPlan& plan, const std::string& key) {
  std::vector<T> all;
  for (std::size_t i = 0; i < plan.size(); ++i) all.push_back(*plan.at(i).spec().setting(key)->as<T>());
  return all;
}

std::string plan_refusal(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    return error.what();
  }
  return "not refused";
}

testing::AssertionResult says(const std::string& message, const std::string& part) {
  if (message.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << message << "' lacks '" << part << "'";
}

TEST(SweepPlan, IsTheProductOfItsAxesWithTheSeedFastest) {
  const SweepPlan plan = plan_of({"seed=0..2", "task.vocab=20,30", "task.length=4,5"});
  ASSERT_EQ(plan.size(), 12u);
  EXPECT_EQ(plan.shape(), "2 values of task.vocab × 2 values of task.length × 3 seeds");
  EXPECT_EQ(plan.at(4).spec().seed, 1u);
  EXPECT_EQ(plan.label(4), "task.vocab 20, task.length 5, seed 1");
  EXPECT_EQ(
      plan.at(4).spec().text(),
      resolve(planned(), Preset::full, {parse_override("task.vocab=20"), parse_override("task.length=5")}, 1).text());
  EXPECT_EQ(plan_of({}).size(), 1u);
  EXPECT_EQ(plan_of({}).label(0), "seed 0");
  std::set<std::string> hashes;
  for (std::size_t i = 0; i < plan.size(); ++i) hashes.insert(plan.at(i).spec().hash());
  EXPECT_EQ(hashes.size(), 12u);
}

TEST(SweepPlan, ACaseSetsSeveralSettingsTogether) {
  const std::string cases =
      "sweep = { cases = [{ \"task.vocab\" = 20, train.rate = 0.1 }, { \"task.vocab\" = 30, train.rate = 0.2 }, "
      "{ \"task.vocab\" = 30, train.rate = 0.1 }], seed = [3, 4] }\n";
  const SweepPlan plan(planned(cases), Preset::full, {}, {});
  ASSERT_EQ(plan.size(), 6u);
  EXPECT_EQ(values<std::int64_t>(plan, "task.vocab"), (std::vector<std::int64_t>{20, 20, 30, 30, 30, 30}));
  EXPECT_EQ(values<double>(plan, "train.rate"), (std::vector<double>{0.1, 0.1, 0.2, 0.2, 0.1, 0.1}));
  EXPECT_EQ(plan.label(2), "task.vocab 30, train.rate 0.2, seed 3");
  const SweepPlan narrowed(planned(cases), Preset::full, {parse_override("task.vocab=25")}, {});
  EXPECT_EQ(values<std::int64_t>(narrowed, "task.vocab"), std::vector<std::int64_t>(4, 25));
  EXPECT_EQ(values<double>(narrowed, "train.rate"), (std::vector<double>{0.1, 0.1, 0.2, 0.2}));
  const std::vector<Override> first = first_values(planned(cases), Preset::full, {parse_override("train.rate=0.5")});
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first.front().key, "task.vocab");
  EXPECT_TRUE(says(plan_refusal([] { planned("sweep = { cases = [3] }\n"); }), "a case is a table of settings"));
  EXPECT_TRUE(says(plan_refusal([] {
                     SweepPlan(planned("sweep = { cases = [{ task.vocap = 3 }] }\n"), Preset::full, {}, {}).all();
                   }),
                   "vocap"));
}

TEST(SweepPlan, AMillionPointsTakeNoTimeUntilTheyAreWanted) {
  const SweepPlan plan = plan_of({"seed=0..99999", "task.length=1..100", "train.rate=0.1,0.2"});
  EXPECT_EQ(plan.size(), 20'000'000u);
  EXPECT_EQ(plan.at(19'999'999).spec().seed, 99'999u);
  EXPECT_TRUE(says(plan_refusal([] { plan_of({"seed=0..19999", "task.length=1..20000", "train.steps=1..20000"}); }),
                   "more than 1099511627776 runs"));
}

TEST(SweepPlan, OneRunOfASweepTakesTheFirstValueOfEachAxisThatIsNotGiven) {
  const Experiment sweeping = planned(
      "sweep = { seed = \"3..5\", \"task.vocab\" = [20, 10], \"model.start\" = [1.5, 0.0], \"train.rate\" = "
      "\"log(1e-4..1e-2)\", draws = 2 }\nquick = { \"sweep.task.vocab\" = [7, 8] }\n");
  const auto first = [&](const std::vector<std::string>& given, Preset preset = Preset::full) {
    std::vector<Override> overrides;
    for (const std::string& words : given) overrides.push_back(parse_override(words));
    std::map<std::string, std::string> found;
    for (const Override& one : first_values(sweeping, preset, overrides)) found[one.key] = one.value.text();
    return found;
  };
  using Found = std::map<std::string, std::string>;
  EXPECT_EQ(first({}), (Found{{"task.vocab", "20"}, {"model.start", "1.5"}}));
  EXPECT_EQ(first({}, Preset::quick).at("task.vocab"), "7");
  EXPECT_EQ(first({"task.vocab=10", "train.steps=3"}), (Found{{"model.start", "1.5"}}));
  EXPECT_EQ(first({"model.name=tiny"}), (Found{{"task.vocab", "20"}}));
  EXPECT_TRUE(first_values(planned(), Preset::full, {}).empty());
}

TEST(SweepPlan, AnotherModelLeavesOutWhatItLacks) {
  const Experiment copying = parse_experiment(R"(
task = { name = "copy", vocab = 5, length = 3 }
model = { name = "seq2seq", hidden = 4, embedding = 6 }
train = { steps = 2, batch = 2 }
probe = { every = 1, examples = 2, names = ["loss"] }
sweep = { "model.hidden" = [4, 8], "task.length" = [3, 4], seed = "0..1" }
)",
                                              "copying.toml");
  const std::vector<Override> other{parse_override("model.name=\"word-mean-translator\"")};
  EXPECT_EQ(settings_left_out(copying, Preset::full, other), (std::vector<std::string>{"model.hidden"}));
  const SweepPlan plan(copying, Preset::full, other, {});
  EXPECT_EQ(plan.shape(), "2 values of task.length × 2 seeds");
  EXPECT_EQ(*plan.at(0).spec().setting("model.embedding")->as<std::int64_t>(), 6);
  EXPECT_TRUE(settings_left_out(copying, Preset::full, {parse_override("model.name=\"seq2seq\"")}).empty());
  EXPECT_TRUE(
      says(plan_refusal([&] { resolve(copying, Preset::full, {other.front(), parse_override("model.hidden=8")}, 0); }),
           "hidden"));
}

TEST(SweepPlan, AnAxisIsPutInPlaceOfItsOwn) {
  Experiment sweeping = planned("sweep = { seed = \"3..5\" }\nquick = { \"sweep.seed\" = [7], \"task.vocab\" = 9 }\n");
  set_axis(sweeping, parse_axis("seed=1,2"));
  set_axis(sweeping, parse_axis("task.vocab=20,30"));
  for (const Preset preset : {Preset::full, Preset::quick})
    EXPECT_EQ(SweepPlan(sweeping, preset, {}, {}).shape(), "2 values of task.vocab × 2 seeds");
}

TEST(SweepPlan, EveryValueOfEveryAxisIsChecked) {
  EXPECT_NO_THROW(plan_of({"task.length=1..3", "seed=0..100000"}).check());
  EXPECT_TRUE(says(plan_refusal([] { plan_of({"task.vocab=20,30", "task.length=4,5000"}).check(); }), "length"));
  EXPECT_TRUE(says(plan_refusal([] { plan_of({"task.vocab=20,30", "model.attends=true,false"}).check(); }), "watch"));
  EXPECT_TRUE(says(plan_refusal([] { plan_of({"task.vocabb=20,30"}).check(); }), "task.vocab"));
}

TEST(SweepPlan, DrawsAreWithinTheirEndsAndSpreadAsTheySay) {
  const auto rates = values<double>(plan_of({"train.rate=log(1e-4..1e-2)"}, 400), "train.rate");
  ASSERT_EQ(rates.size(), 400u);
  double mean = 0;
  for (const double rate : rates) {
    EXPECT_GE(rate, 1e-4);
    EXPECT_LE(rate, 1e-2);
    char six_digits[40];
    std::snprintf(six_digits, sizeof six_digits, "%.6g", rate);
    EXPECT_EQ(rate, std::strtod(six_digits, nullptr));
    mean += std::log10(rate) / 400;
  }
  EXPECT_NEAR(mean, -3, 4 * (2 / std::sqrt(12.0)) / 20);  // four deviations of the mean
  double even = 0;
  const SweepPlan floors = plan_of({"train.schedule=linear", "train.floor=uniform(0..0.5)"}, 400);
  for (const double share : values<double>(floors, "train.floor")) even += share / 400;
  EXPECT_NEAR(even, 0.25, 4 * (0.5 / std::sqrt(12.0)) / 20);
}

TEST(SweepPlan, WholeSettingsGetWholeNumbersBothEndsIncluded) {
  std::map<std::int64_t, int> count;
  for (const std::int64_t vocab : values<std::int64_t>(plan_of({"task.vocab=uniform(10..13)"}, 400), "task.vocab"))
    ++count[vocab];
  EXPECT_EQ(count.size(), 4u);
  for (std::int64_t vocab = 10; vocab <= 13; ++vocab) EXPECT_NEAR(count[vocab], 100, 4 * std::sqrt(75.0)) << vocab;
  for (const std::int64_t batch : values<std::int64_t>(plan_of({"train.batch=log(1..64)"}, 200), "train.batch")) {
    EXPECT_GE(batch, 1);
    EXPECT_LE(batch, 64);
  }
  EXPECT_TRUE(says(plan_refusal([] { plan_of({"task.vocab=uniform(10.2..10.7)"}, 5); }), "whole numbers"));
}

TEST(SweepPlan, OneOfDrawsAnySetting) {
  std::set<std::string> seen;
  for (const auto& word : values<std::string>(plan_of({"train.optimizer=one_of(sgd, adam)"}, 40), "train.optimizer"))
    seen.insert(word);
  EXPECT_EQ(seen, (std::set<std::string>{"sgd", "adam"}));
}

TEST(SweepPlan, DrawsAreTogetherTheSameForOneSeedAndLongerHoldsShorter) {
  const std::vector<std::string> axes{"train.rate=log(1e-4..1e-2)", "task.vocab=uniform(10..500)", "task.length=4,5",
                                      "seed=0..2"};
  const SweepPlan plan = plan_of(axes, 10);
  EXPECT_EQ(plan.shape(), "2 values of task.length × 10 draws × 3 seeds");
  ASSERT_EQ(plan.size(), 60u);
  std::set<std::pair<double, std::int64_t>> points;
  for (std::size_t i = 0; i < plan.size(); ++i)
    points.insert({*plan.at(i).spec().setting("train.rate")->as<double>(),
                   *plan.at(i).spec().setting("task.vocab")->as<std::int64_t>()});
  EXPECT_EQ(points.size(), 10u);  // each draw meets every length and seed
  const auto hashes = [](const SweepPlan& of) {
    std::set<std::string> all;
    for (std::size_t i = 0; i < of.size(); ++i) all.insert(of.at(i).spec().hash());
    return all;
  };
  EXPECT_EQ(hashes(plan), hashes(plan_of(axes, 10)));
  EXPECT_TRUE(std::ranges::includes(hashes(plan_of(axes, 20)), hashes(plan)));
  EXPECT_NE(hashes(plan), hashes(plan_of(axes, 10, 1)));
  EXPECT_EQ(plan.label(0), "task.length 4, train.rate " + plan.at(0).spec().setting("train.rate")->text() +
                               ", task.vocab " + plan.at(0).spec().setting("task.vocab")->text() + ", seed 0");
}

TEST(SweepPlan, ASpecDrawsAsACommandDoes) {
  const Experiment drawing = planned(R"toml(
sweep = { seed = "0..1", draws = 5, "train.rate" = "log(1e-4..1e-2)" }
quick = { "sweep.draws" = 2 }
)toml");
  EXPECT_EQ(SweepPlan(drawing, Preset::full, {}).size(), 10u);
  EXPECT_EQ(SweepPlan(drawing, Preset::quick, {}).size(), 4u);
  EXPECT_EQ(
      SweepPlan(planned("sweep = { draws = 3, draw_seed = 1, \"train.rate\" = \"log(1e-4..1e-2)\" }"), Preset::full, {})
          .at(2)
          .spec()
          .hash(),
      plan_of({"train.rate=log(1e-4..1e-2)"}, 3, 1).at(2).spec().hash());
  EXPECT_EQ(SweepPlan(drawing, Preset::full, {parse_override("train.rate=0.1")}).size(), 2u);
  EXPECT_EQ(SweepPlan(drawing, Preset::full, {}).at(3).spec().hash(),
            plan_of({"train.rate=log(1e-4..1e-2)", "seed=0..1"}, 5).at(3).spec().hash());
  EXPECT_TRUE(says(plan_refusal([] { planned("sweep = { draws = 0 }"); }), "plan.toml:6:11"));
  EXPECT_TRUE(says(plan_refusal([] { planned("sweep = { draws = \"many\" }"); }), "an integer"));
}

TEST(SweepPlan, DrawsThatAreWrongAreRefused) {
  EXPECT_TRUE(says(plan_refusal([] { plan_of({"train.rate=log(1e-4..1e-2)"}); }), "draws = 20"));
  EXPECT_TRUE(says(plan_refusal([] { plan_of({"seed=uniform(0..9)"}, 5); }), "0..19"));
  EXPECT_TRUE(says(plan_refusal([] { parse_axis("train.rate=log(0..1)"); }), "no logarithm"));
  EXPECT_TRUE(says(plan_refusal([] { parse_axis("train.rate=log(1..0.1)"); }), "smaller bound first"));
  EXPECT_TRUE(says(plan_refusal([] { parse_axis("train.rate=log(0.1)"); }), "needs two numbers"));
  EXPECT_TRUE(says(plan_refusal([] { parse_axis("train.rate=uniform(a..b)"); }), "needs two numbers"));
  EXPECT_TRUE(says(plan_refusal([] { parse_axis("model.x=one_of(a,,b)"); }), "a choice is missing"));
  EXPECT_TRUE(says(plan_refusal([] { plan_of({"train.ratee=log(0.1..1)"}, 5).check(); }), "train.rate"));
  EXPECT_TRUE(says(plan_refusal([] { plan_of({"train.rate=uniform(-1..0)"}, 5).check(); }), "rate"));
}

TEST(SweepPlan, ShardsAreDisjointAndTogetherTheWhole) {
  for (const std::int64_t of : {1, 3, 7, 20}) {
    std::multiset<std::string> together, whole;
    const auto add = [](const SweepPlan& plan, std::multiset<std::string>& to) {
      for (std::size_t i = 0; i < plan.size(); ++i) to.insert(plan.at(i).spec().hash());
    };
    add(plan_of({"seed=0..12"}), whole);
    for (std::int64_t shard = 1; shard <= of; ++shard) {
      SweepPlan part = plan_of({"seed=0..12"});
      part.keep_shard(shard, of);
      EXPECT_LE(part.size(), static_cast<std::size_t>(13 / of + 1));
      part.check();
      add(part, together);
    }
    EXPECT_EQ(together, whole);
  }
}

}  // namespace
}  // namespace fovea
