#include "fovea/model/toy_gate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/theory/toy_gate.h"
#include "tests/model/model_scene.h"
#include "tests/model/token_batch.h"

namespace fovea {
namespace {

using testing::held_at, testing::Pattern;
using testing::labelled_tokens;

struct Built : testing::ModelScene<double> {
  explicit Built(const ValueTable& settings, int vocab = 2)
      : ModelScene("toy-gate", settings, testing::labelled_tokens_shape(vocab)) {}
};

ValueTable settings_of(const std::string& gate, const std::string& loss) {
  return {{"beta0", {0.3, {}}}, {"beta1", {-0.2, {}}}, {"p", {0.7, {}}}, {"gate", {gate, {}}}, {"loss", {loss, {}}}};
}

const Batch the_two = labelled_tokens({{0, 0}, {0, 1}}, {0, 1}, 1);

TEST(ToyGateModel, StartsAsItsSettingsSay) {
  Built built(settings_of("linear", "linear"));
  EXPECT_EQ(*built.parameters.find("beta0")->value, 0.3);
  EXPECT_EQ(*built.parameters.find("beta1")->value, -0.2);
  EXPECT_EQ(*built.parameters.find("p")->value, 0.7);
  EXPECT_EQ(built.parameters.find("p")->group, Group::attention);
  const auto outcome = built.forward(the_two, {});
  EXPECT_DOUBLE_EQ(outcome.scores(0, 0), 0.3);
  EXPECT_DOUBLE_EQ(outcome.scores(1, 0), 0.3 * 0.3 + 0.7 * -0.2);
  EXPECT_DOUBLE_EQ(outcome.attention(0, 0, 0), 0.5);
  EXPECT_DOUBLE_EQ(outcome.attention(1, 0, 0), 0.3);
  EXPECT_DOUBLE_EQ(outcome.attention(1, 0, 1), 0.7);
  const auto beta = built.model->beta(built.bench.compute, outcome);
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
      EXPECT_NEAR(built.gradient_of(the_two).loss, toy_loss({g, l}, point), 1e-14);
      const ToyPoint slope = toy_slope({g, l}, point);
      EXPECT_NEAR(*built.parameters.find("beta0")->gradient, -slope.beta0, 1e-14);
      EXPECT_NEAR(*built.parameters.find("beta1")->gradient, -slope.beta1, 1e-14);
      EXPECT_NEAR(*attention.gradient, -slope.gate, 1e-14);
    }
  }
}

TEST(ToyGateModel, GradientsAgreeWithCentralDifferences) {
  const Batch batch = labelled_tokens({{0, 0}, {0, 1}, {1}, {1, 0, 1}, {0, 0, 1, 0}}, {0, 1, 1, 0, 1}, 1);
  for (const std::string gate : {"linear", "bounded"}) {
    for (const std::string loss : {"linear", "logistic"}) {
      for (const Pattern pattern : {Pattern::learned, Pattern::uniform, Pattern::truth}) {
        Built built(settings_of(gate, loss));
        built.check_gradients(batch, held_at(pattern));
      }
    }
  }
}

TEST(ToyGateModel, AttentionIsSharedOutAndHeldWhereAsked) {
  const Batch batch = labelled_tokens({{0, 1, 1}, {1, 1, 1}, {0, 0}}, {1, 1, 0}, 1);
  Built built(settings_of("linear", "linear"));
  const auto learned = built.forward(batch, {});
  EXPECT_DOUBLE_EQ(learned.attention(0, 0, 1), 0.35);
  EXPECT_DOUBLE_EQ(learned.attention(1, 0, 1), 1.0 / 3);
  EXPECT_EQ(learned.attention(2, 0, 2), 0);
  const auto uniform = built.forward(batch, held_at(Pattern::uniform));
  EXPECT_DOUBLE_EQ(uniform.attention(0, 0, 0), 1.0 / 3);
  const auto truth = built.forward(batch, held_at(Pattern::truth));
  EXPECT_DOUBLE_EQ(truth.attention(0, 0, 0), 0);
  EXPECT_DOUBLE_EQ(truth.attention(0, 0, 2), 0.5);
  EXPECT_DOUBLE_EQ(truth.attention(2, 0, 0), 0.5);
}

TEST(ToyGateModel, APaddedBatchIsItsExamplesOneByOneInAnyOrder) {
  const std::vector<std::vector<int>> sequences = {{0, 0}, {0, 1}, {1}, {1, 0, 1}, {0, 0, 1, 0}};
  const std::vector<int> labels = {0, 1, 1, 0, 1};
  for (const std::string gate : {"linear", "bounded"})
    for (const std::string loss : {"linear", "logistic"}) {
      Built whole(settings_of(gate, loss)), turned(settings_of(gate, loss)), one(settings_of(gate, loss));
      const Trace<double> all = whole.gradient_of(labelled_tokens(sequences, labels, 1));
      const Trace<double> back = turned.gradient_of(
          labelled_tokens({sequences.rbegin(), sequences.rend()}, {labels.rbegin(), labels.rend()}, 1));
      EXPECT_NEAR(all.loss, back.loss, 1e-14);
      double total = 0;
      std::vector<double> sum(whole.parameters.gradients().size());
      for (std::size_t b = 0; b < sequences.size(); ++b) {
        const auto row = static_cast<Index>(b);
        const Trace<double> alone = one.gradient_of(labelled_tokens({sequences[b]}, {labels[b]}, 1));
        EXPECT_DOUBLE_EQ(alone.scores(0, 0), all.scores(row, 0));
        EXPECT_DOUBLE_EQ(alone.scores(0, 0), back.scores(4 - row, 0));
        double mass = 0;
        for (Index l = 0; l < all.attention.size(2); ++l) {
          const double weight = all.attention(row, 0, l);
          EXPECT_EQ(weight, l < alone.attention.size(2) ? alone.attention(0, 0, l) : 0);
          mass += weight;
        }
        EXPECT_DOUBLE_EQ(mass, 1);
        total += alone.loss / 5;
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += one.parameters.gradients()[i] / 5;
      }
      EXPECT_NEAR(total, all.loss, 1e-14);
      for (std::size_t i = 0; i < sum.size(); ++i) {
        EXPECT_NEAR(sum[i], whole.parameters.gradients()[i], 1e-14);
        EXPECT_NEAR(sum[i], turned.parameters.gradients()[i], 1e-14);
      }
    }
}

TEST(ToyGateModel, RefusesWhatItCanNotDo) {
  EXPECT_THROW(Built({{"gate", {std::string("bounded"), {}}}, {"p", {1.0, {}}}}), Error);
  EXPECT_THROW(Built({}, 3), Error);
}

}  // namespace
}  // namespace fovea
