#include "fovea/lab/train/step_watcher.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <numeric>
#include <optional>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/train/trainer.h"

namespace fovea {
namespace {

Value intervention(const std::string& kind, const std::string& what) { return {ValueTable{{kind, {what, {}}}}, {}}; }

RunSpec small_spec(const std::string& more = {}) {
  const Experiment experiment = parse_experiment(
      "task = { name = \"copy\", vocab = 9, length = 5 }\n"
      "model = { name = \"seq2seq\", hidden = 8, embedding = 8 }\n"
      "train = { steps = 12, batch = 4" +
          more +
          " }\n"
          "probe = { every = 4, names = [\"accuracy\"] }\n",
      "watched.toml");
  return resolve(experiment, Preset::full, {}, 3);
}

double sum(const StepArray& array) {
  const std::size_t count = std::accumulate(array.shape.begin(), array.shape.end(), std::size_t{1},
                                            [](std::size_t n, Index s) { return n * static_cast<std::size_t>(s); });
  const auto total = [&](auto* values) { return std::accumulate(values, values + count, 0.0); };
  return array.float64 ? total(static_cast<const double*>(array.data)) : total(static_cast<const float*>(array.data));
}

RunRecord watched(const RunSpec& spec, Watcher& watcher) {
  TrainHooks hooks;
  hooks.watcher = &watcher;
  return train(spec, hooks);
}

class Everything : public Watcher {
 public:
  void watch(StepView& view) override {
    steps.push_back(view.step());
    losses.push_back(view.loss());
    EXPECT_EQ(view.of(), 12);
    const StepArray attention = view.attention(), beta = view.beta();
    EXPECT_EQ(attention.shape, (std::vector<Index>{4, 6, 6}));
    EXPECT_EQ(beta.shape, attention.shape);
    EXPECT_NEAR(sum(attention), 4 * 6, 1e-3);  // every row sums to 1
    EXPECT_EQ(view.batch()->size, 4);
    double moved = 0;
    for (std::size_t i = 0; i < view.parameters(); ++i) {
      EXPECT_FALSE(view.parameter_name(i).empty());
      moved += std::abs(sum(view.gradient(i)));
    }
    EXPECT_GT(moved, 0);
    if (!kept) {
      kept = attention;
      sum_then = sum(attention);
      first.assign(static_cast<const char*>(attention.data), 4 * 6 * 6 * (attention.float64 ? 8 : 4));
    }
  }
  std::vector<std::int64_t> steps;
  std::vector<double> losses;
  std::optional<StepArray> kept;
  double sum_then = 0;
  std::string first;
};

TEST(Watch, WatchingShowsEveryUpdateAndChangesNone) {
  for (const char* precision : {"", ", precision = \"double\""}) {
    const RunSpec spec = small_spec(precision);
    Everything watcher;
    const RunRecord seen = watched(spec, watcher), unseen = train(spec);
    EXPECT_EQ(seen.series, unseen.series) << precision;
    std::vector<std::int64_t> all(12);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(watcher.steps, all);
    EXPECT_EQ(watcher.losses.back(), seen.metrics().at("train_loss"));
  }
}

TEST(Watch, WhatIsKeptOfAStepStaysAsItWas) {
  Everything watcher;
  watched(small_spec(), watcher);
  ASSERT_TRUE(watcher.kept);
  EXPECT_EQ(std::memcmp(watcher.kept->data, watcher.first.data(), watcher.first.size()), 0);
}

TEST(Watch, ChangingAPlanIsTheInterventionThatASpecWouldDeclare) {
  class HoldAndFreeze : public Watcher {
   public:
    std::vector<std::int64_t> asked;

   private:
    ValueList interventions(std::int64_t step) override {
      asked.push_back(step);
      ValueList list;
      if (step < 6) list.push_back(intervention("hold", "uniform"));
      if (step >= 3) list.push_back(intervention("freeze", "attention"));
      return list;
    }
  } watcher;
  const Experiment declared = parse_experiment(
      "task = { name = \"copy\", vocab = 9, length = 5 }\n"
      "model = { name = \"seq2seq\", hidden = 8, embedding = 8 }\n"
      "train = { steps = 12, batch = 4 }\n"
      "intervene = [{ hold = \"uniform\", until = 6 }, { freeze = \"attention\", from = 3 }]\n"
      "probe = { every = 4, names = [\"accuracy\"] }\n",
      "declared.toml");
  const RunRecord by_spec = train(resolve(declared, Preset::full, {}, 3));
  EXPECT_EQ(watched(small_spec(), watcher).series, by_spec.series);  // those under the hold included
  EXPECT_EQ(by_spec.series.at("accuracy_held").steps, (std::vector<std::int64_t>{0, 4}));
  std::vector<std::int64_t> each(12);
  std::iota(each.begin(), each.end(), 0);
  EXPECT_EQ(watcher.asked, each);
  EXPECT_NE(train(small_spec()).series.at("train_loss"), by_spec.series.at("train_loss"));
}

class AttendsAs : public Watcher {
 public:
  explicit AttendsAs(std::string pattern) : pattern_(std::move(pattern)) {}

 private:
  ValueList interventions(std::int64_t) override { return {intervention("hold", pattern_)}; }

  std::string pattern_;
};

TEST(Watch, WhatIsHeldToTheEndIsHeldAtTheLastEvaluation) {
  AttendsAs watcher("uniform");
  const Experiment declared = parse_experiment(
      "task = { name = \"copy\", vocab = 9, length = 5 }\n"
      "model = { name = \"seq2seq\", hidden = 8, embedding = 8 }\n"
      "train = { steps = 12, batch = 4 }\n"
      "intervene = [{ hold = \"uniform\" }]\n"
      "probe = { every = 4, names = [\"accuracy\"] }\n",
      "declared.toml");
  const RunRecord by_spec = train(resolve(declared, Preset::full, {}, 3));
  EXPECT_EQ(watched(small_spec(), watcher).series, by_spec.series);
  EXPECT_EQ(by_spec.series.at("accuracy_held").steps, by_spec.series.at("accuracy").steps);
}

RunSpec watched_spec(const std::string& intervene) {
  return resolve(parse_experiment("task = { name = \"induction\", vocab = 12, length = 6 }\nmodel = { name = "
                                  "\"transformer\", heads = 2, width = 8, start = 0.5 }\ntrain = { steps = 8, batch = "
                                  "4 }\nprobe = { every = 4, examples = 8, names = [\"loss\", \"heads\"] }\n"
                                  "intervene = [" +
                                      intervene + "]\n",
                                  "x.toml"),
                 Preset::full, {}, 0);
}

// From a step on, what a spec would declare so.
class Asks : public Watcher {
 public:
  explicit Asks(const std::string& intervene, std::int64_t from = 0) : list_(list_of(intervene)), from_(from) {}

 private:
  static ValueList list_of(const std::string& intervene) {
    return *parse_override("intervene=[" + intervene + "]").value.as<ValueList>();
  }
  ValueList interventions(std::int64_t step) override { return step < from_ ? ValueList() : list_; }

  ValueList list_;
  std::int64_t from_;
};

TEST(Watch, SpecAndCallbackActAsIfOneSpecDeclaredBoth) {
  const std::string head = "{ hold = \"previous\", of = \"layer.1.head.1\" }", all = "{ hold = \"uniform\" }",
                    scale = "{ scale = 3, of = \"layer.2.head.1\" }";
  const std::vector<std::pair<std::string, std::string>> pairs{{head, all}, {all, head}, {scale, all + ", " + head}};
  for (const auto& [declared, asked] : pairs) {
    Asks watcher(asked);
    EXPECT_EQ(watched(watched_spec(declared), watcher).series, train(watched_spec(declared + ", " + asked)).series)
        << declared << " and " << asked;
  }
}

TEST(Watch, AContradictionOfSpecAndCallbackIsAnErrorThatNamesBoth) {
  const auto refusal = [](const std::string& declared, const std::string& asked) {
    Asks watcher(asked, 3);
    try {
      watched(watched_spec(declared), watcher);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string twice = refusal("{ scale = 3, of = \"layer.1\" }", "{ scale = 2, of = \"layer.1.head.2\" }");
  for (const char* const part : {"two interventions change the same head at step 3", "scale = 3", "of = \"layer.1\"",
                                 "of the spec", "scale = 2", "of = \"layer.1.head.2\"", "of the callback"})
    EXPECT_NE(twice.find(part), std::string::npos) << part << " in " << twice;
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"{ noise = 1 }", "{ noise = 1 }"},
      {"{ hold = \"uniform\" }", "{ hold = \"truth\" }"},
      {"{ rate = 0.5, of = \"body\" }", "{ rate = 0.1, of = \"body\" }"},
      {"{ clamp = \"norm.weight\", at = 1 }", "{ clamp = \"norm.weight\", at = 2 }"}};
  for (const auto& [declared, asked] : pairs) EXPECT_NE(refusal(declared, asked), "") << declared << " and " << asked;
  EXPECT_NE(refusal("{ noise = 1, from = 6 }", "{ noise = 2 }").find("at step 6"), std::string::npos);
  EXPECT_EQ(refusal("{ noise = 1, until = 3 }", "{ noise = 2 }"), "") << "never in force at one step";
}

std::map<std::int64_t, int> checks;  // of the change with this number
int pairs_checked = 0;

class CheckedChange : public Intervention {
 public:
  void settings(Fields& fields) override {
    fields.integer("checked-change", number_, 0, 9, "changes nothing");
    when.settings(fields);
  }
  void check_beside(const Intervention&) const override { ++pairs_checked; }
  void check(const Capabilities&) const override { ++checks[number_]; }

 private:
  int number_ = 0;
};

const Register<Intervention> checked_change("checked-change", "counts how often it is checked",
                                            [] { return std::make_unique<CheckedChange>(); });

TEST(Watch, WhatACallbackAsksIsCheckedOncePerChange) {
  class AsksTwo : public Watcher {
    ValueList interventions(std::int64_t step) override {
      return {{ValueTable{{"checked-change", {std::int64_t{step < 6 ? 1 : 2}, {}}}}, {}}};
    }
  } watcher;
  checks.clear();
  pairs_checked = 0;
  watched(watched_spec("{ checked-change = 0, from = 4 }"), watcher);
  EXPECT_EQ(checks.at(1), 1);
  EXPECT_EQ(checks.at(2), 1);
  EXPECT_EQ(pairs_checked, 2) << "from step 4 on with the first, from step 6 on with the second";
}

TEST(Watch, AttentionThatIsNotThereCannotBeHeld) {
  AttendsAs watcher("uniform");
  const Experiment plain = parse_experiment(
      "task = { name = \"feature-mean\" }\nmodel = { name = \"feature-attention\", gate = \"none\" }\n"
      "train = { steps = 3 }\n",
      "plain.toml");
  EXPECT_THROW(watched(resolve(plain, Preset::full, {}, 0), watcher), Error);
}

TEST(Watch, AttentionCannotBeHeldAtATruthThatNobodyKnows) {
  AttendsAs watcher("truth");
  const Experiment reviews = parse_experiment(
      "task = { name = \"text-classify\", min_count = 1 }\n"
      "model = { name = \"gated-classifier\", embedding = 3, hidden = 4 }\ntrain = { steps = 1, batch = 4 }\n",
      "reviews.toml");
  try {
    watched(resolve(reviews, Preset::full, {}, 0), watcher);
    FAIL() << "it was held";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("has no true positions"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace fovea
