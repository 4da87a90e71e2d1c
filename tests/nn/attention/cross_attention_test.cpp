#include "fovea/nn/attention/cross_attention.h"

#include <cmath>

#include "tests/nn/gradient_check.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using Pattern = AttentionRule::Pattern;

constexpr Index targets = 4, batch = 3, sources = 5, target_width = 6, source_width = 7;
const std::vector<int> lengths{5, 1, 3};
// Each example aligned by its own order, within its length; two rows left to the model.
const std::vector<int> alignment{0, 4, 2, -1, 0, 0, -1, 0, 2, 1, 0, 2};

struct Scene {
  ParameterSet<double> parameters;
  CrossAttention<double> attention;
  std::vector<double> d = random_values(1, targets* batch* target_width, 0.7);
  std::vector<double> e = random_values(2, sources* batch* source_width, 0.7);
  std::vector<double> weight = random_values(3, targets* batch* source_width);
  Bench bench;

  // `hidden`: of the additive score; 0: the general one.
  explicit Scene(int threads = 1, Index hidden = 0)
      : attention(CrossAttention<double>::declare(parameters, "attention", target_width, source_width, hidden)),
        bench(threads) {
    parameters.finish();
    parameters.initialise(5);
  }
  Cube<double> run(const AttentionRule& rule, CrossAttention<double>::Trace& trace) {
    bench.arena.reset();
    return attention.forward(bench.compute, Cube<const double>(d.data(), targets, batch, target_width),
                             Cube<const double>(e.data(), sources, batch, source_width), lengths, rule, {alignment, 1},
                             trace);
  }
};

void check_gradients(const AttentionRule& rule, Index hidden = 0) {
  Scene s(1, hidden);
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

const std::vector<AttentionRule> each_pattern{{}, {{Pattern::uniform}}, {{Pattern::truth}}};

TEST(CrossAttention, GradientsOfLearnedRows) { check_gradients({}); }
TEST(CrossAttention, GradientsOfUniformRows) { check_gradients({{Pattern::uniform}}); }
TEST(CrossAttention, GradientsOfAlignedRows) { check_gradients({{Pattern::truth}}); }
TEST(CrossAttention, GradientsOfScaledRows) {
  for (const Pattern pattern : {Pattern::learned, Pattern::uniform, Pattern::truth}) check_gradients({{pattern, 3}});
}
TEST(CrossAttention, GradientsOfAnAblatedHead) { check_gradients({{.ablated = true}}); }

TEST(CrossAttention, GradientsOfTheAdditiveScore) {
  for (const AttentionRule& rule : each_pattern) check_gradients(rule, 5);
  check_gradients({{Pattern::learned, 3}}, 5);
}

TEST(CrossAttention, TheAdditiveScoreIsWhatItsEquationSays) {
  constexpr Index hidden = 5;
  Scene s(1, hidden);
  CrossAttention<double>::Trace trace;
  s.run({}, trace);
  const Matrix<double> w = s.parameters.find("attention.score.hidden.weight")->matrix();
  const auto v = s.parameters.find("attention.score.out.weight")->values();
  ASSERT_EQ(s.parameters.all().size(), 2u);
  for (Index b = 0; b < batch; ++b)
    for (Index t = 0; t < targets; ++t) {
      std::vector<double> weights;
      double sum = 0;
      for (Index i = 0; i < lengths[static_cast<std::size_t>(b)]; ++i) {
        double score = 0;
        for (Index m = 0; m < hidden; ++m) {
          double z = 0;
          for (Index j = 0; j < source_width; ++j)
            z += w(m, j) * s.e[static_cast<std::size_t>((i * batch + b) * source_width + j)];
          for (Index j = 0; j < target_width; ++j)
            z += w(m, source_width + j) * s.d[static_cast<std::size_t>((t * batch + b) * target_width + j)];
          score += v[static_cast<std::size_t>(m)] * std::tanh(z);
        }
        weights.push_back(std::exp(score));
        sum += weights.back();
      }
      for (std::size_t i = 0; i < weights.size(); ++i)
        EXPECT_NEAR(trace.attention.weights(b, t, static_cast<Index>(i)), weights[i] / sum, 1e-12);
    }
}

TEST(CrossAttention, RowsSumToOneAndAreZeroOnPadding) {
  Scene s;
  for (const AttentionRule& rule : each_pattern) {
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
          if (rule.pattern == Pattern::uniform && i < lengths[static_cast<std::size_t>(b)]) {
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

std::vector<double> all_of_a_pass(int threads, Index hidden) {
  Scene s(threads, hidden);
  CrossAttention<double>::Trace trace;
  const auto context = s.run({}, trace);
  const Cube<double> dd = s.bench.compute.zeros<double>(targets, batch, target_width);
  const Cube<double> de = s.bench.compute.zeros<double>(sources, batch, source_width);
  s.attention.backward(s.bench.compute, trace, Cube<const double>(s.weight.data(), targets, batch, source_width), dd,
                       de);
  std::vector<double> all = copy_of(context);
  for (const auto& part : {copy_of(dd), copy_of(de), copy_of(s.parameters.gradients())})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(CrossAttention, TheTeamChangesNoBit) {
  for (const Index hidden : {0, 5}) {
    const auto alone = all_of_a_pass(1, hidden);
    EXPECT_EQ(alone, all_of_a_pass(2, hidden));
    EXPECT_EQ(alone, all_of_a_pass(3, hidden));
  }
}

}  // namespace
}  // namespace fovea
