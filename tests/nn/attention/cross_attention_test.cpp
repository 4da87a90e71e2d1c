#include "fovea/nn/attention/cross_attention.h"

#include "tests/nn/gradient_check.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using Rule = AttentionRule;

constexpr Index targets = 4, batch = 3, sources = 5, target_width = 6, source_width = 7;
const std::vector<int> lengths{5, 1, 3};

struct Scene {
  ParameterSet<double> parameters;
  CrossAttention<double> attention =
      CrossAttention<double>::declare(parameters, "attention", target_width, source_width);
  std::vector<double> d = random_values(1, targets* batch* target_width, 0.7);
  std::vector<double> e = random_values(2, sources* batch* source_width, 0.7);
  std::vector<double> weight = random_values(3, targets* batch* source_width);
  Bench bench;

  explicit Scene(int threads = 1) : bench(threads) {
    parameters.finish();
    parameters.initialise(5);
  }
  Cube<double> run(Rule rule, CrossAttention<double>::Trace& trace) {
    bench.arena.reset();
    return attention.forward(bench.compute, Cube<const double>(d.data(), targets, batch, target_width),
                             Cube<const double>(e.data(), sources, batch, source_width), lengths, rule, trace);
  }
};

void check_gradients(Rule rule) {
  Scene s;
  CrossAttention<double>::Trace trace;
  const auto loss = [&] { return weighted_sum(s.weight, s.run(rule, trace).flat()); };
  loss();
  const Cube<double> dd = s.bench.compute.zeros<double>(targets, batch, target_width);
  const Cube<double> de = s.bench.compute.zeros<double>(sources, batch, source_width);
  s.attention.backward(s.bench.compute, trace, Cube<const double>(s.weight.data(), targets, batch, source_width), dd,
                       de);
  const auto d_gradient = copy_of(dd), e_gradient = copy_of(de);
  expect_gradient("targets", s.d, d_gradient, loss);
  expect_gradient("sources", s.e, e_gradient, loss);
  expect_parameter_gradients(s.parameters, loss);
}

// Each example aligned by its own order, within its length; one row left to the model.
const std::vector<int> alignment{0, 4, 2, -1, 0, 0, -1, 0, 2, 1, 0, 2};

TEST(CrossAttention, GradientsOfLearnedRows) { check_gradients({}); }
TEST(CrossAttention, GradientsOfUniformRows) { check_gradients({true, {}, {}}); }
TEST(CrossAttention, GradientsOfAlignedRows) { check_gradients({false, {}, alignment}); }

TEST(CrossAttention, RowsSumToOneAndAreZeroOnPadding) {
  Scene s;
  for (const Rule& rule : {Rule{}, Rule{true, {}, {}}, Rule{false, {}, alignment}}) {
    CrossAttention<double>::Trace trace;
    s.run(rule, trace);
    for (Index b = 0; b < batch; ++b)
      for (Index t = 0; t < targets; ++t) {
        double sum = 0;
        for (Index i = 0; i < sources; ++i) {
          const double weight = trace.attention.weights(b, t, i);
          sum += weight;
          if (i >= lengths[static_cast<std::size_t>(b)]) {
            EXPECT_EQ(weight, 0.0);
          }
          if (rule.uniform && i < lengths[static_cast<std::size_t>(b)]) {
            EXPECT_EQ(weight, 1.0 / lengths[static_cast<std::size_t>(b)]);
          }
        }
        EXPECT_NEAR(sum, 1, 1e-12);
      }
  }
}

// A unit of the source that is 1 everywhere makes its query a constant added to every score of a row.
TEST(CrossAttention, AConstantAddedToAllScoresChangesNothing) {
  Scene s;
  constexpr Index unit = 2;
  for (Index row = 0; row < sources * batch; ++row) s.e[static_cast<std::size_t>(row * source_width + unit)] = 1;
  CrossAttention<double>::Trace before, after;
  const auto context = copy_of(s.run({}, before));
  const auto weights = copy_of(before.attention.weights);
  const Param<double>* const shift = s.parameters.find("attention.query.bias");
  ASSERT_NE(shift, nullptr);
  shift->value[unit] += 300;
  const auto moved = copy_of(s.run({}, after));
  for (std::size_t i = 0; i < context.size(); ++i) EXPECT_NEAR(moved[i], context[i], 1e-11);
  const auto moved_weights = copy_of(after.attention.weights);
  for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_NEAR(moved_weights[i], weights[i], 1e-11);
  const Cube<double> dd = s.bench.compute.zeros<double>(targets, batch, target_width);
  const Cube<double> de = s.bench.compute.zeros<double>(sources, batch, source_width);
  s.attention.backward(s.bench.compute, after, Cube<const double>(s.weight.data(), targets, batch, source_width), dd,
                       de);
  EXPECT_NEAR(shift->gradient[unit], 0, 1e-12);
}

TEST(CrossAttention, TheTeamChangesNoBit) {
  std::vector<std::vector<double>> results;
  for (const int threads : {1, 2, 3}) {
    Scene s(threads);
    CrossAttention<double>::Trace trace;
    const auto context = s.run({}, trace);
    const Cube<double> dd = s.bench.compute.zeros<double>(targets, batch, target_width);
    const Cube<double> de = s.bench.compute.zeros<double>(sources, batch, source_width);
    s.attention.backward(s.bench.compute, trace, Cube<const double>(s.weight.data(), targets, batch, source_width), dd,
                         de);
    std::vector<double> all = copy_of(context);
    for (const auto& part : {copy_of(dd), copy_of(de), copy_of(s.parameters.gradients())})
      all.insert(all.end(), part.begin(), part.end());
    results.push_back(all);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

}  // namespace
}  // namespace fovea
