#include "fovea/model/toy_gate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/model/model.h"
#include "fovea/theory/toy_gate.h"
#include "tests/nn/gradient_check.h"

namespace fovea {
namespace {

Batch batch_of(const std::vector<std::vector<int>>& sequences, const std::vector<int>& labels) {
  std::size_t longest = 0;
  for (const auto& s : sequences) longest = std::max(longest, s.size());
  Batch batch;
  batch.size = static_cast<int>(sequences.size());
  batch.source.resize(batch.size, static_cast<int>(longest));
  batch.labels = labels;
  for (int b = 0; b < batch.size; ++b) {
    const auto& ids = sequences[static_cast<std::size_t>(b)];
    batch.source.lengths[static_cast<std::size_t>(b)] = static_cast<int>(ids.size());
    for (std::size_t l = 0; l < longest; ++l) {
      if (l < ids.size()) batch.source.at(b, static_cast<int>(l)) = ids[l];
      batch.marked.push_back(l < ids.size() && ids[l] == 1);
    }
  }
  return batch;
}

TaskShape two_symbols() {
  TaskShape shape;
  shape.vocab = 2;
  shape.classes = 2;
  return shape;
}

struct Built {
  std::unique_ptr<Model<double>> model;
  ParameterSet<double> parameters;
  testing::Bench bench;

  explicit Built(const ValueTable& settings, const TaskShape& shape = two_symbols()) {
    model = Registry<Model<double>>::instance().make("toy-gate", "model");
    Fields fields;
    model->settings(fields);
    fields.read(settings, "model 'toy-gate'");
    model->build(shape, parameters);
    parameters.finish();
    parameters.initialise(1);
  }
  Outcome<double> forward(const Batch& batch, Attend attend = Attend::learned) {
    bench.arena.reset();
    return model->forward(bench.compute, batch, {.training = true, .attend = attend});
  }
};

ValueTable settings_of(const std::string& gate, const std::string& loss) {
  return {{"beta0", {0.3, {}}}, {"beta1", {-0.2, {}}}, {"p", {0.7, {}}}, {"gate", {gate, {}}}, {"loss", {loss, {}}}};
}

const Batch the_two = batch_of({{0, 0}, {0, 1}}, {0, 1});

TEST(ToyGateModel, StartsAsItsSettingsSay) {
  Built built(settings_of("linear", "linear"));
  EXPECT_EQ(*built.parameters.find("beta0")->value, 0.3);
  EXPECT_EQ(*built.parameters.find("beta1")->value, -0.2);
  EXPECT_EQ(*built.parameters.find("p")->value, 0.7);
  EXPECT_EQ(built.parameters.find("p")->group, Group::attention);
  const auto outcome = built.forward(the_two);
  EXPECT_DOUBLE_EQ(outcome.scores(0, 0), 0.3);
  EXPECT_DOUBLE_EQ(outcome.scores(1, 0), 0.3 * 0.3 + 0.7 * -0.2);
  EXPECT_DOUBLE_EQ(outcome.attention(0, 0, 0), 0.5);
  EXPECT_DOUBLE_EQ(outcome.attention(1, 0, 0), 0.3);
  EXPECT_DOUBLE_EQ(outcome.attention(1, 0, 1), 0.7);
  const auto beta = built.model->beta(built.bench.compute);
  EXPECT_EQ(beta(0, 0, 1), -0.3);
  EXPECT_EQ(beta(1, 0, 1), -0.2);
}

TEST(ToyGateModel, LossAndGradientAreThoseOfTheory) {
  for (const auto& [gate, g] :
       {std::pair{"linear", ToyVariant::Gate::linear}, {"bounded", ToyVariant::Gate::bounded}}) {
    for (const auto& [loss, l] :
         {std::pair{"linear", ToyVariant::Loss::linear}, {"logistic", ToyVariant::Loss::logistic}}) {
      Built built(settings_of(gate, loss));
      const Param<double>& attention = *built.parameters.find(g == ToyVariant::Gate::linear ? "p" : "a");
      const ToyPoint point{0.3, -0.2, *attention.value};
      EXPECT_NEAR(toy_attention({g, l}, point), 0.7, 1e-15);
      EXPECT_NEAR(built.forward(the_two).loss, toy_loss({g, l}, point), 1e-14);
      built.model->backward(built.bench.compute);
      const ToyPoint slope = toy_slope({g, l}, point);
      EXPECT_NEAR(*built.parameters.find("beta0")->gradient, -slope.beta0, 1e-14);
      EXPECT_NEAR(*built.parameters.find("beta1")->gradient, -slope.beta1, 1e-14);
      EXPECT_NEAR(*attention.gradient, -slope.gate, 1e-14);
    }
  }
}

TEST(ToyGateModel, GradientsAgreeWithCentralDifferences) {
  const Batch batch = batch_of({{0, 0}, {0, 1}, {1}, {1, 0, 1}, {0, 0, 1, 0}}, {0, 1, 1, 0, 1});
  for (const std::string gate : {"linear", "bounded"}) {
    for (const std::string loss : {"linear", "logistic"}) {
      for (const Attend attend : {Attend::learned, Attend::uniform, Attend::truth}) {
        Built built(settings_of(gate, loss));
        built.forward(batch, attend);
        built.model->backward(built.bench.compute);
        testing::expect_parameter_gradients(built.parameters, [&] { return built.forward(batch, attend).loss; });
      }
    }
  }
}

TEST(ToyGateModel, AttentionIsSharedOutAndHeldWhereAsked) {
  const Batch batch = batch_of({{0, 1, 1}, {1, 1, 1}, {0, 0}}, {1, 1, 0});
  Built built(settings_of("linear", "linear"));
  const auto learned = built.forward(batch);
  EXPECT_DOUBLE_EQ(learned.attention(0, 0, 1), 0.35);
  EXPECT_DOUBLE_EQ(learned.attention(1, 0, 1), 1.0 / 3);
  EXPECT_EQ(learned.attention(2, 0, 2), 0);
  const auto uniform = built.forward(batch, Attend::uniform);
  EXPECT_DOUBLE_EQ(uniform.attention(0, 0, 0), 1.0 / 3);
  const auto truth = built.forward(batch, Attend::truth);
  EXPECT_DOUBLE_EQ(truth.attention(0, 0, 0), 0);
  EXPECT_DOUBLE_EQ(truth.attention(0, 0, 2), 0.5);
  EXPECT_DOUBLE_EQ(truth.attention(2, 0, 0), 0.5);
}

TEST(ToyGateModel, RefusesWhatItCanNotDo) {
  EXPECT_THROW(Built({{"gate", {std::string("bounded"), {}}}, {"p", {1.0, {}}}}), Error);
  TaskShape three = two_symbols();
  three.vocab = 3;
  EXPECT_THROW(Built({}, three), Error);
}

}  // namespace
}  // namespace fovea
