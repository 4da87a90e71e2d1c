// { noise = … }: the same numbers each time, on the heads that are named, at the steps that are named.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "fovea/base/random.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/record/held_name.h"
#include "fovea/lab/train/trainer.h"
#include "fovea/probe/probe.h"

namespace fovea {
namespace {

const std::string usual_model = "name = \"transformer\", heads = 2, width = 8",
                  usual_task = "name = \"induction\", vocab = 12, length = 6";

RunSpec noisy_spec(const std::string& intervene, const std::string& model = usual_model,
                   const std::string& task = usual_task, const std::string& train = "steps = 8, batch = 4",
                   const std::string& probes = "\"loss\"") {
  return resolve(parse_experiment("task = { " + task + " }\nmodel = { " + model + " }\ntrain = { " + train +
                                      " }\nprobe = { every = 4, examples = 8, names = [" + probes +
                                      "] }\nintervene = " + intervene + "\n",
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
    interventions.all[0]->plan(plan);
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

TEST(Noise, OfAStreamIsTheSameInABatchAndInItsShards) {
  const auto first_loss = [](const std::string& intervene, int shards) {
    return train(noisy_spec(intervene, usual_model, usual_task,
                            "steps = 1, batch = 16, precision = \"double\", data_parallel = true, shards = " +
                                std::to_string(shards)))
        .metrics()
        .at("train_loss");
  };
  const double whole = first_loss("[{ noise = 5 }]", 1);
  for (const int shards : {2, 8}) EXPECT_NEAR(first_loss("[{ noise = 5 }]", shards), whole, 1e-12) << shards;
  EXPECT_GT(std::abs(first_loss("[]", 1) - whole), 1e-6);
}

// The loss on the first examples of the split, which are those of the first evaluation.
class LossOfSame final : public Probe {
 public:
  Examples examples() const override { return Examples::same; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    readings.number("loss_of_same", evaluation.outcome.loss);
  }
};
const Register<Probe> loss_of_same("loss-of-same", "the loss on the first examples",
                                   [] { return std::make_unique<LossOfSame>(); });

TEST(Noise, OfEachBatchOfAnEvaluationIsItsOwn) {
  const RunRecord run = train(
      noisy_spec("[{ noise = 5 }]", usual_model, usual_task, "steps = 0, batch = 4", "\"loss\", \"loss-of-same\""));
  EXPECT_EQ(run.series.at("loss_of_same").values[0], run.series.at("loss").values[0]) << "the same examples";
  EXPECT_NE(run.series.at(held_name("loss_of_same")).values[0], run.series.at(held_name("loss")).values[0]);
}

TEST(Noise, OfLargeIndicesIsItsOwn) {
  const Interventions interventions = Interventions::parse(noisy_spec("[{ noise = 0.5 }]").interventions);
  StepPlan plan;
  interventions.all[0]->plan(plan);
  const ScoreShift& shift = *plan.rules[0].rule.shift;
  constexpr Index large = 1 << 16;
  std::set<double> draws;
  for (const double draw : {shift.at(1, 2, 0, 0, 0), shift.at(1, 2, 0, 1, 0), shift.at(1, 2, 0, 0, large),
                            shift.at(1, 2, 1, 0, 0), shift.at(1, 2, 0, large, 0), shift.at(1, 3, 0, 0, 0),
                            shift.at(1, 2, large, 0, 0), shift.at(1, 2, large * large, 0, 0), shift.at(2, 2, 0, 0, 0),
                            shift.at(1, 258, 0, 0, 0), shift.at(2, 258, 0, 0, 0), shift.at(2, 2, large, 0, 0)})
    draws.insert(draw);
  EXPECT_EQ(draws.size(), 12u);
  AttentionRules rules{plan.rules, large * large};
  EXPECT_EQ(rules.of(1, 2).shift_at(3, 4, 5), shift.at(1, 2, large * large + 3, 4, 5));
}

// What stored runs drew.
TEST(Noise, KeepsItsDraws) {
  const Interventions interventions = Interventions::parse(noisy_spec("[{ noise = 1 }]").interventions);
  StepPlan plan;
  plan.seed = 3;
  plan.step = 7;
  interventions.all[0]->plan(plan);
  for (const auto& [layer, head, stream, i, j] :
       std::vector<std::array<Index, 5>>{{1, 2, 0, 4, 3}, {2, 1, 5, 0, 0}, {255, 255, 65535, 65535, 65535}}) {
    const auto index = static_cast<std::uint64_t>(layer << 56 | head << 48 | stream << 32 | i << 16 | j);
    EXPECT_EQ(plan.rules[0].rule.shift->at(static_cast<int>(layer), static_cast<int>(head), stream, i, j),
              RandomStream(3, "noise", 7, index).normal());
  }
}

TEST(Noise, IsRefusedWhereItWouldChangeNothing) {
  EXPECT_THROW(noisy_spec("[{ noise = 0, of = \"layer.1\" }]"), Error);
  EXPECT_THROW(noisy_spec("[{ noise = 2, of = \"layer.3\" }]"), Error);
  try {
    noisy_spec("[{ noise = inf }]");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("must be finite, not inf"), std::string::npos) << error.what();
  }
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
