// { noise = … }: the same numbers each time, on the heads that are named, at the steps that are named.
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/record/held_name.h"
#include "fovea/lab/train/trainer.h"

namespace fovea {
namespace {

RunSpec noisy_spec(const std::string& intervene,
                   const std::string& model = "name = \"transformer\", heads = 2, width = 8",
                   const std::string& task = "name = \"induction\", vocab = 12, length = 6") {
  return resolve(parse_experiment("task = { " + task + " }\nmodel = { " + model +
                                      " }\ntrain = { steps = 8, batch = 4 }\n"
                                      "probe = { every = 4, examples = 8, names = [\"loss\"] }\nintervene = " +
                                      intervene + "\n",
                                  "x.toml"),
                 Preset::full, {}, 0);
}

TEST(Noise, ChangesTheCourseAndIsTheSameAgain) {
  const RunSpec spec = noisy_spec("[{ noise = 2, of = \"layer.1.head.2\", until = 5 }]");
  const RunRecord with = train(spec), again = train(spec), without = train(noisy_spec("[]"));
  EXPECT_EQ(with.series, again.series);
  EXPECT_EQ(with.series.at("loss").values[0], without.series.at("loss").values[0]) << "evaluated without it";
  EXPECT_NE(with.series.at("train_loss"), without.series.at("train_loss"));
  const Series& held = with.series.at(held_name("loss"));
  EXPECT_EQ(held.steps, (std::vector<std::int64_t>{0, 4}));
  EXPECT_NE(held.values[0], with.series.at("loss").values[0]);
}

TEST(Noise, OfEachHeadIsItsOwn) {
  const auto held_loss = [](const std::string& head) {
    return train(noisy_spec("[{ noise = 2, of = \"" + head + "\" }]")).series.at(held_name("loss")).values[0];
  };
  EXPECT_NE(held_loss("layer.1.head.1"), held_loss("layer.1.head.2"));
  EXPECT_NE(held_loss("layer.1.head.1"), held_loss("layer.2.head.1"));
}

TEST(Noise, FollowsSeedAndStepAndHasItsDeviation) {
  const Interventions interventions =
      Interventions::parse(noisy_spec("[{ noise = 0.5, of = \"layer.1.head.2\" }]").interventions);
  const auto draws = [&](std::uint64_t seed, std::int64_t step) {
    StepPlan plan;
    plan.seed = seed;
    plan.step = step;
    interventions.plan(plan);
    EXPECT_EQ(plan.rules.size(), 1u);
    EXPECT_EQ(plan.rules[0].layer, 1);
    EXPECT_EQ(plan.rules[0].head, 2);
    std::vector<double> all;
    for (Index i = 0; i < 100; ++i)
      for (Index j = 0; j < 100; ++j) all.push_back(plan.rules[0].rule.shift->at(1, 2, 0, i, j));
    return all;
  };
  const std::vector<double> one = draws(3, 7);
  EXPECT_EQ(draws(3, 8).size(), one.size());
  EXPECT_NE(draws(3, 8), one) << "another step";
  EXPECT_NE(draws(4, 7), one) << "another seed";
  EXPECT_EQ(draws(3, 7), one);
  double sum = 0, squares = 0;
  for (const double x : one) sum += x, squares += x * x;
  const double n = static_cast<double>(one.size());
  EXPECT_NEAR(sum / n, 0, 0.025) << "five standard errors";
  EXPECT_NEAR(std::sqrt(squares / n), 0.5, 0.018) << "five standard errors";
}

TEST(Noise, IsRefusedWhereItWouldChangeNothing) {
  EXPECT_THROW(noisy_spec("[{ noise = 0, of = \"layer.1\" }]"), Error);
  EXPECT_THROW(noisy_spec("[{ noise = 2, of = \"layer.3\" }]"), Error);
  EXPECT_THROW(noisy_spec("[{ noise = 2 }]", "name = \"toy-gate\"", "name = \"toy\""), Error);
  try {
    noisy_spec("[{ noise = 2 }]", "name = \"seq2seq\"", "name = \"copy\"");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("changes scores of self-attention, and model 'seq2seq' has none"),
              std::string::npos);
  }
  EXPECT_THROW(noisy_spec("[{ noise = 2, of = \"layer.1\" }, { noise = 1, of = \"layer.1.head.1\" }]"), Error);
}

}  // namespace
}  // namespace fovea
