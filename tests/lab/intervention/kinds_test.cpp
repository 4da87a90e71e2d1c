// Every kind of intervention through its interface; and a kind that is added in this file alone.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "fovea/base/random.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/intervention/on_heads.h"
#include "fovea/lab/record/held_name.h"
#include "fovea/lab/train/trainer.h"

namespace fovea {
namespace {

// Gaussian noise on the scores of heads: { noise-for-test = 0.5, of = "layer.1" }.
class Noise final : public OnHeads, ScoreShift {
 public:
  void settings(Fields& fields) override {
    fields.number("noise-for-test", spread_, 0, HUGE_VAL, "the spread of what is added to each score");
    heads_settings(fields);
  }
  void plan(StepPlan& plan) override {
    seed_ = plan.seed;
    step_ = static_cast<std::uint64_t>(plan.step);
    scoped_.rule.shift = this;
    OnHeads::plan(plan);
  }

 private:
  double at(int layer, int head, Index example, Index row, Index position) const override {
    const auto number =
        static_cast<std::uint64_t>(((layer * 64 + head) * 4096 + example) * 1'000'000 + row * 1000 + position);
    return spread_ * Stream(seed_, "noise", step_, number).normal();
  }

  double spread_ = 0;
  std::uint64_t seed_ = 0, step_ = 0;
};
const Register<Intervention> noise("noise-for-test", "noise on the scores of a head",
                                   [] { return std::make_unique<Noise>(); });

RunSpec spec_of(const std::string& intervene) {
  return resolve(
      parse_experiment("task = { name = \"induction\", vocab = 12, length = 6 }\nmodel = { name = \"transformer\", "
                       "heads = 2, width = 8, start = 0.5 }\ntrain = { steps = 8, batch = 4 }\n"
                       "probe = { every = 4, examples = 8, names = [\"loss\"] }\nintervene = " +
                           intervene + "\n",
                       "x.toml"),
      Preset::full, {}, 0);
}

// The hashes of stored runs depend on this order.
TEST(Interventions, AreWrittenByRankAndThenAsTheyWereListed) {
  const std::map<std::string, int> ranks{{"hold", 0},       {"scale", 1},         {"ablate", 1}, {"copy", 1},
                                         {"freeze", 2},     {"rate", 3},          {"clamp", 4},  {"transplant", 5},
                                         {"embeddings", 6}, {"noise-for-test", 1}};
  for (const auto& [name, entry] : Registry<Intervention>::instance().all()) {
    ASSERT_TRUE(ranks.contains(name)) << name;
    EXPECT_EQ(entry.make()->rank(), ranks.at(name)) << name;
  }
  const RunSpec spec = spec_of(
      "[{ clamp = \"norm.weight\", at = 1 }, { rate = 0.5, of = \"body\" }, { freeze = \"qk.2\" }, { copy = 1, of = "
      "\"layer.2\" }, { ablate = \"layer.1\" }, { hold = \"first\" }, { hold = \"truth\" }]");
  std::string keys;
  for (const Value& value : spec.interventions)
    for (const auto& [name, entry] : Registry<Intervention>::instance().all())
      if (value.as<ValueTable>()->contains(name)) keys += name + " ";
  EXPECT_EQ(keys, "hold copy ablate hold freeze rate clamp ");
  EXPECT_FALSE(spec.interventions.front().as<ValueTable>()->contains("of"));
  EXPECT_TRUE(spec.interventions[3].as<ValueTable>()->contains("of"));
  EXPECT_EQ(Interventions::parse(spec.interventions).write(), spec.interventions) << "read again, it is the same";
}

TEST(Interventions, AKindOfOneFileIsReadCheckedAndApplied) {
  const std::string intervene = "[{ noise-for-test = 2, of = \"layer.1.head.2\", until = 5 }]";
  const RunSpec spec = spec_of(intervene);
  const RunRecord with = train(spec), again = train(spec), without = train(spec_of("[]"));
  EXPECT_EQ(with.series, again.series);
  EXPECT_NE(with.series.at("train_loss"), without.series.at("train_loss"));
  EXPECT_EQ(with.series.at(held_name("loss")).steps, (std::vector<std::int64_t>{0, 4}));
  EXPECT_THROW(spec_of("[{ noise-for-test = 2, of = \"layer.3\" }]"), Error);
}

}  // namespace
}  // namespace fovea
