#include <cmath>

#include "fovea/base/error/error.h"
#include "fovea/theory/toy_gate.h"
#include "fovea/theory/unigram_gate.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

// A unigram gate of a task at a point, as the probe sees it.
class GateLook {
 public:
  GateLook(const std::string& task, const ValueTable& settings, std::vector<float> beta, std::vector<float> logits)
      : task_(Registry<Task>::instance().make(task, "task")), beta_(std::move(beta)), logits_(std::move(logits)) {
    Fields fields;
    task_->settings(fields);
    fields.read(settings, task);
    task_->prepare(1);
    const auto words = static_cast<Index>(beta_.size());
    parameters_ = {{"beta", {words}, Group::body, beta_}, {"a", {words}, Group::attention, logits_}};
  }
  std::unique_ptr<Probe> prepared(const ValueTable& settings) const {
    std::unique_ptr<Probe> probe = Registry<Probe>::instance().make("unigram-flow", "probe");
    Fields fields;
    probe->settings(fields);
    fields.read(settings, "probe");
    probe->prepare(task_->shape(), true, 1);
    return probe;
  }
  std::map<std::string, double> ask(Probe& probe, std::int64_t step, double time) const {
    const Batch batch;
    const Outcome<float> outcome;
    testing::Said said;
    probe.measure({.step = step,
                   .first = step == 0,
                   .last = false,
                   .train_loss = 0,
                   .time = time,
                   .task = *task_,
                   .batch = batch,
                   .outcome = outcome,
                   .beta = {},
                   .parameters = parameters_},
                  said);
    return said.numbers;
  }
  const Task& task() const { return *task_; }

 private:
  std::unique_ptr<Task> task_;
  std::vector<float> beta_, logits_;
  std::vector<ParameterView> parameters_;
};

const ValueTable half_rate{{"attention_rate", {0.5, {}}}};

TEST(UnigramFlowProbe, OnTheTwoSequencesIsNextToTheToyGate) {
  const GateLook look("two-sequences", {}, {0.5f, -0.25f}, {0.125f, 0.375f});
  const auto probe = look.prepared(half_rate);
  const auto first = look.ask(*probe, 0, 0);
  EXPECT_EQ(first.at("flow_distance"), 0);
  EXPECT_NEAR(first.at("descent_order"), 1, 0.1);
  EXPECT_NEAR(first.at("attention_on_truth_flow"), 1 / (1 + std::exp(-0.25)), 1e-12);
  EXPECT_NEAR(first.at("p_toy_gate"), first.at("attention_on_truth_flow"), 1e-12);
  EXPECT_NEAR(first.at("knowledge_flow"), 1 / (1 + std::exp(0.25)), 1e-12) << "symbol 1 decides, at -0.25";
  constexpr ToyVariant variant{ToyVariant::Gate::bounded, ToyVariant::Loss::logistic};
  const ToyPoint start{0.5, -0.25, 0.25};
  const double times[] = {15};
  const ToyPoint truth = toy_flow(variant, start, times).front();
  const auto later = look.ask(*probe, 10, 30);
  EXPECT_NEAR(later.at("p_toy_gate"), toy_attention(variant, truth), 1e-10);
  EXPECT_NEAR(later.at("attention_on_truth_flow"), toy_attention(variant, truth), 1e-8);
  EXPECT_LT(later.at("toy_gate_distance"), 1e-8);
  EXPECT_LT(later.at("invariant_sum_drift"), 1e-12);
  EXPECT_NEAR(later.at("loss_flow"), toy_loss(variant, truth) / 2, 1e-8);
  // The parameters stayed where they were, so this is how far the flow went.
  EXPECT_NEAR(later.at("flow_distance"),
              std::max({std::abs(truth.beta0 - 0.5), std::abs(truth.beta1 + 0.25), std::abs(truth.gate - 0.25) / 2}),
              1e-7);
  EXPECT_FALSE(later.contains("descent_order")) << "theory is said once";
  EXPECT_FALSE(look.ask(*look.prepared({}), 0, 0).contains("p_toy_gate")) << "at full rate it is another pace";
}

TEST(UnigramFlowProbe, EqualClassWeightsPullOnNoLogit) {
  const GateLook look("two-sequences", {}, {0.5f, 0.5f}, {1, -1});
  const auto said = look.ask(*look.prepared({}), 0, 0);
  EXPECT_NEAR(said.at("attention_slope_start"), 0, 1e-16);
  EXPECT_GT(said.at("beta_slope_start"), 0.01);
}

TEST(UnigramFlowProbe, SamplesATaskWithoutEnd) {
  const ValueTable small{{"vocab", {std::int64_t{6}, {}}}, {"length", {std::int64_t{5}, {}}}};
  const GateLook look("keyword", small, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0});
  const ValueTable settings{{"sequences", {std::int64_t{40}, {}}}};
  const auto probe = look.prepared(settings);
  EXPECT_NEAR(look.ask(*probe, 0, 0).at("attention_on_truth_flow"), 0.2, 1e-12);
  Batch batch;
  look.task().batch(Split::test, 0, 40, batch);
  LabelledBags bags(6);
  for (int row = 0; row < 40; ++row)
    bags.add(std::span(batch.source.ids).subspan(static_cast<std::size_t>(row) * 5, 5),
             batch.labels[static_cast<std::size_t>(row)]);
  const double times[] = {20};
  const auto later = look.ask(*probe, 1, 20);
  EXPECT_NEAR(later.at("loss_flow"), unigram_loss(bags, unigram_flow(bags, FlowState(12), times).front()), 1e-9);
  EXPECT_GT(later.at("attention_on_truth_flow"), 0.25);
  EXPECT_FALSE(later.contains("p_toy_gate"));

  // Another probe goes on from what this one remembers.
  const auto other = look.prepared(settings);
  ASSERT_TRUE(other->remember(probe->memory()));
  EXPECT_EQ(look.ask(*other, 2, 25), look.ask(*probe, 2, 25));
  EXPECT_FALSE(other->remember(std::vector<double>(3)));
}

TEST(UnigramFlowProbe, RefusesOtherModelsAndOddTimes) {
  const GateLook look("two-sequences", {}, {0, 0, 0}, {0, 0, 0});
  EXPECT_THROW(look.ask(*look.prepared({}), 0, 0), Error);
  EXPECT_THROW(look.prepared({{"tau", {0.3, {}}}}), Error);
  testing::HandMade pairs;
  pairs.kind = Kind::token_pairs;
  EXPECT_THROW(pairs.prepared("unigram-flow"), Error);
}

}  // namespace
}  // namespace fovea
