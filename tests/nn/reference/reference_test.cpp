// The reference layers against central differences, in shapes at random.
#include <numeric>

#include "fovea/nn/reference/attention.h"
#include "fovea/nn/reference/batch_norm.h"
#include "fovea/nn/reference/cross_entropy.h"
#include "fovea/nn/reference/gelu.h"
#include "fovea/nn/reference/gru.h"
#include "fovea/nn/reference/lstm.h"
#include "fovea/nn/reference/transformer_block.h"
#include "tests/nn/reference/held_rows.h"
#include "tests/nn/reference/oracle.h"
#include "tests/nn/reference/random_block.h"

namespace fovea {
namespace {

using namespace fovea::testing;

constexpr std::uint64_t seeds = 12;
const GradientCheck check{.step = 1e-5, .tolerance = 1e-7, .at_most = 60};

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void fill_random(std::uint64_t seed, reference::RecurrentWeights& w) {
  for (auto* values : {&w.ih.values(), &w.hh.values(), &w.bias_ih.values(), &w.bias_hh.values()})
    *values = random_values(seed++, static_cast<Index>(values->size()), 0.5);
}

void expect_weight_gradients(reference::RecurrentWeights& w, const reference::RecurrentWeights& dw,
                             const std::function<double()>& loss) {
  expect_gradient("W", w.ih.values(), dw.ih.values(), loss, check);
  expect_gradient("U", w.hh.values(), dw.hh.values(), loss, check);
  expect_gradient("b", w.bias_ih.values(), dw.bias_ih.values(), loss, check);
  expect_gradient("b'", w.bias_hh.values(), dw.bias_hh.values(), loss, check);
}

TEST(Reference, LstmGradients) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream stream(seed, "lstm");
    const Index T = random_size(stream, 5), I = random_size(stream, 4), H = random_size(stream, 5);
    reference::RecurrentWeights w(4, I, H), dw(4, I, H);
    fill_random(seed, w);
    Array<2> x = random_array(seed + 10, T, I), dx(T, I);
    Array<1> h = random_array(seed + 11, H), c = random_array(seed + 12, H);
    const Array<2> dy = random_array(seed + 13, T, H);
    Array<1> dh = random_array(seed + 14, H), dc = random_array(seed + 15, H);
    const Array<1> dh_last = dh, dc_last = dc;
    const auto loss = [&] {
      const auto steps = reference::lstm(w, x, h, c);
      double sum = inner(dh_last.values(), steps.back().h.values()) + inner(dc_last.values(), steps.back().c.values());
      for (Index t = 0; t < T; ++t) sum += inner(row_of(dy, t).values(), steps[static_cast<std::size_t>(t)].h.values());
      return sum;
    };
    reference::lstm_backward(w, reference::lstm(w, x, h, c), dy, dh, dc, dw, dx);
    expect_gradient("x", x.values(), dx.values(), loss, check);
    expect_gradient("h", h.values(), dh.values(), loss, check);
    expect_gradient("c", c.values(), dc.values(), loss, check);
    expect_weight_gradients(w, dw, loss);
  }
}

TEST(Reference, GruGradients) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream stream(seed, "gru");
    const Index T = random_size(stream, 5), I = random_size(stream, 4), H = random_size(stream, 5);
    reference::RecurrentWeights w(3, I, H), dw(3, I, H);
    fill_random(seed, w);
    Array<2> x = random_array(seed + 10, T, I), dx(T, I);
    Array<1> h = random_array(seed + 11, H);
    const Array<2> dy = random_array(seed + 13, T, H);
    Array<1> dh = random_array(seed + 14, H);
    const Array<1> dh_last = dh;
    const auto loss = [&] {
      const auto steps = reference::gru(w, x, h);
      double sum = inner(dh_last.values(), steps.back().h.values());
      for (Index t = 0; t < T; ++t) sum += inner(row_of(dy, t).values(), steps[static_cast<std::size_t>(t)].h.values());
      return sum;
    };
    reference::gru_backward(w, reference::gru(w, x, h), dy, dh, dw, dx);
    expect_gradient("x", x.values(), dx.values(), loss, check);
    expect_gradient("h", h.values(), dh.values(), loss, check);
    expect_weight_gradients(w, dw, loss);
  }
}

class ReferenceAttention : public ::testing::TestWithParam<reference::Rule> {};

TEST_P(ReferenceAttention, Gradients) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream stream(seed, "attention");
    const Index T = random_size(stream, 4), S = random_size(stream, 6), K = random_size(stream, 4),
                H = random_size(stream, 4);
    reference::Positions positions{Array<1>(S), Array<2>(T, S)};
    for (Index i = 0; i < S; ++i) positions.present(i) = i == 0 || random_choice(stream);
    for (Index t = 0; t < T; ++t)
      for (Index i = 0; i < S; ++i) positions.truth(t, i) = positions.present(i) != 0 && stream.uniform() < 0.2;
    Array<2> q = random_array(seed + 1, T, K), k = random_array(seed + 2, S, K), v = random_array(seed + 3, S, H);
    const Array<2> dy = random_array(seed + 4, T, H);
    const double scale = 0.7;
    const auto weights = [&] {
      return reference::attention_weights(GetParam(), reference::attention_scores(q, k, scale), positions);
    };
    const auto loss = [&] {
      return inner(dy.values(), reference::attention_context(weights(), v, positions).values());
    };
    Array<2> dq(T, K), dk(S, K), dv(S, H);
    const Array<2> dw = reference::attention_context_backward(weights(), v, positions, dy, dv);
    const Array<2> ds = reference::attention_weights_backward(GetParam(), weights(), positions, dw);
    reference::attention_scores_backward(q, k, scale, ds, dq, dk);
    expect_gradient("q", q.values(), dq.values(), loss, check);
    expect_gradient("k", k.values(), dk.values(), loss, check);
    expect_gradient("v", v.values(), dv.values(), loss, check);
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, ReferenceAttention,
                         ::testing::Values(reference::Rule::softmax, reference::Rule::uniform, reference::Rule::truth));

TEST(Reference, AttentionWeightsOfEachRule) {
  Array<2> scores(2, 4);
  scores.values() = {0, 99, std::log(3.0), 0, 1, 99, 1, 1};
  reference::Positions positions{Array<1>(4), Array<2>(2, 4)};
  positions.present.values() = {1, 0, 1, 1};
  positions.truth.values() = {0, 0, 0, 0, 1, 0, 0, 1};
  using reference::Rule;
  expect_near_oracle<double>("softmax", reference::attention_weights(Rule::softmax, scores, positions).values(),
                             {0.2, 0, 0.6, 0.2, 1.0 / 3, 0, 1.0 / 3, 1.0 / 3});
  expect_near_oracle<double>("uniform", reference::attention_weights(Rule::uniform, scores, positions).values(),
                             {1.0 / 3, 0, 1.0 / 3, 1.0 / 3, 1.0 / 3, 0, 1.0 / 3, 1.0 / 3});
  expect_near_oracle<double>("truth", reference::attention_weights(Rule::truth, scores, positions).values(),
                             {0.2, 0, 0.6, 0.2, 0.5, 0, 0, 0.5});
}

TEST(Reference, CrossEntropyGradients) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream stream(seed, "cross-entropy");
    const Index N = random_size(stream, 6), C = 1 + random_size(stream, 6);
    std::vector<int> answers, two;
    for (Index r = 0; r < N; ++r) {
      answers.push_back(static_cast<int>(stream.integer(static_cast<std::uint64_t>(C) + 1)) - 1);
      two.push_back(static_cast<int>(stream.integer(3)) - 1);
    }
    Array<2> z = random_array(seed, N, C), logit = random_array(seed + 1, N, 1);
    expect_gradient(
        "classes", z.values(), reference::cross_entropy(z, answers).d_logits.values(),
        [&] { return reference::cross_entropy(z, answers).value; }, check);
    expect_gradient(
        "two classes", logit.values(), reference::logistic_loss(logit, two).d_logits.values(),
        [&] { return reference::logistic_loss(logit, two).value; }, check);
  }
}

// A logit z of class 1 is the two logits 0 and z.
TEST(Reference, LogisticLossIsCrossEntropyOfTwoClasses) {
  const Array<2> logit = random_array(1, 5, 1);
  Array<2> logits(5, 2);
  for (Index r = 0; r < 5; ++r) logits(r, 1) = logit(r, 0);
  const std::vector<int> answers = {1, 0, -1, 0, 1};
  EXPECT_NEAR(reference::logistic_loss(logit, answers).value, reference::cross_entropy(logits, answers).value, 1e-14);
}

TEST(Reference, BatchNormGradients) {
  for (std::uint64_t seed = 0; seed < 2 * seeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream stream(seed, "norm");
    const bool training = seed % 2 == 0;
    const Index N = 3 + random_size(stream, 8), C = random_size(stream, 4);
    std::vector<std::uint8_t> present = {1, 1, 1};  // of fewer, x̂ is ±1 and rounding all that is left of dx
    while (static_cast<Index>(present.size()) < N) present.push_back(random_choice(stream));
    Array<1> variance = random_array(seed + 3, C);
    for (double& v : variance.values()) v = 0.5 + v * v;
    reference::BatchNorm norm{
        0.1, 1e-5, random_array(seed, C), random_array(seed + 1, C), random_array(seed + 2, C), variance};
    Array<2> x = random_array(seed + 4, N, C);
    const Array<2> dy = random_array(seed + 5, N, C);
    const auto loss = [&] {
      reference::BatchNorm copy = norm;
      return inner(dy.values(), reference::batch_norm(copy, training, x, present).y.values());
    };
    reference::BatchNorm copy = norm, d_norm{0.1, 1e-5, Array<1>(C), Array<1>(C), {}, {}};
    const reference::Normalised forward = reference::batch_norm(copy, training, x, present);
    const Array<2> dx = reference::batch_norm_backward(norm, forward, dy, d_norm);
    const GradientCheck loose{1e-5, 1e-6, 60};
    expect_gradient("x", x.values(), dx.values(), loss, loose);
    expect_gradient("weight", norm.weight.values(), d_norm.weight.values(), loss, loose);
    expect_gradient("bias", norm.bias.values(), d_norm.bias.values(), loss, loose);
  }
}

TEST(Reference, LayerNormGradients) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream stream(seed, "layer norm");
    const Index N = random_size(stream, 5), C = 2 + random_size(stream, 6);
    reference::LayerNorm norm{1e-5, random_array(seed, C), random_array(seed + 1, seed % 2 == 0 ? C : 0)};
    reference::LayerNorm d_norm{1e-5, Array<1>(C), Array<1>(norm.bias.size(0))};
    Array<2> x = random_array(seed + 2, N, C);
    const Array<2> dy = random_array(seed + 3, N, C);
    const auto loss = [&] { return inner(dy.values(), reference::layer_norm(norm, x).values()); };
    const Array<2> dx = reference::layer_norm_backward(norm, x, dy, d_norm);
    const GradientCheck loose{1e-5, 1e-6, 60};  // of nearly equal numbers 1/√v is large
    expect_gradient("x", x.values(), dx.values(), loss, loose);
    expect_gradient("weight", norm.weight.values(), d_norm.weight.values(), loss, loose);
    if (seed % 2 == 0) expect_gradient("bias", norm.bias.values(), d_norm.bias.values(), loss, loose);
  }
}

TEST(Reference, GeluGradient) {
  EXPECT_NEAR(reference::gelu(1), 0.841191990608276, 1e-14);  // PyTorch
  Array<1> x = random_array(1, 40), dx(40);
  for (Index i = 0; i < 40; ++i) dx(i) = reference::gelu_backward(x(i), 1);
  const auto loss = [&] {
    return std::accumulate(x.values().begin(), x.values().end(), 0.0,
                           [](double sum, double value) { return sum + reference::gelu(value); });
  };
  expect_gradient("x", x.values(), dx.values(), loss, check);
}

// A position and one position before it are right for each row but the first.
Array<2> random_right(RandomStream& stream, Index T) {
  Array<2> right(T, T);
  for (Index i = 1; i < T; ++i)
    right(i, i) = right(i, static_cast<Index>(stream.integer(static_cast<std::uint64_t>(i)))) = 1;
  return right;
}

std::vector<AttentionRule::Pattern> each_pattern() {
  std::vector<AttentionRule::Pattern> all{AttentionRule::Pattern::learned};
  for (const auto& [word, pattern] : attention_patterns) all.push_back(pattern);
  return all;
}

class ReferenceSelfAttention
    : public ::testing::TestWithParam<std::tuple<reference::Weighting, AttentionRule::Pattern, double>> {};

TEST_P(ReferenceSelfAttention, Gradients) {
  const auto [weighting, pattern, scale] = GetParam();
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream stream(seed, "self-attention");
    const Index T = 1 + random_size(stream, 5), K = random_size(stream, 4), U = random_size(stream, 4);
    const Index relative = random_choice(stream) ? T : 0;
    reference::Head head{weighting, scale, false, random_right(stream, T)};
    head.held = held_rows(pattern, head.right);
    if (seed % 2 == 1) head.factor = -0.7;
    if (seed % 3 == 1) head.shift = random_array(seed + 6, T, T);
    reference::HeadInput x{random_array(seed + 1, T, K), random_array(seed + 2, T, K), random_array(seed + 3, T, U),
                           random_array(seed + 4, relative, K)};
    reference::HeadInput d{Array<2>(T, K), Array<2>(T, K), Array<2>(T, U), Array<2>(relative, K)};
    const Array<2> dy = random_array(seed + 5, T, U);
    const auto loss = [&] { return inner(dy.values(), reference::self_attention(head, x).y.values()); };
    reference::self_attention_backward(head, x, reference::self_attention(head, x), dy, d);
    expect_gradient("q", x.q.values(), d.q.values(), loss, check);
    expect_gradient("k", x.k.values(), d.k.values(), loss, check);
    expect_gradient("v", x.v.values(), d.v.values(), loss, check);
    if (relative > 0) expect_gradient("r", x.r.values(), d.r.values(), loss, check);
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, ReferenceSelfAttention,
                         ::testing::Combine(::testing::Values(reference::Weighting::softmax,
                                                              reference::Weighting::linear, reference::Weighting::relu),
                                            ::testing::ValuesIn(each_pattern()), ::testing::Values(1.0, 3.0)));

TEST(Reference, SelfAttentionWeightsOfEachPattern) {
  reference::Head head;
  head.right = Array<2>(3, 3);
  head.right(2, 0) = head.right(2, 1) = 1;
  reference::HeadInput x{Array<2>(3, 1), Array<2>(3, 1), Array<2>(3, 1), {}};
  x.q.values() = {1, 1, 1};
  x.k.values() = {std::log(2.0), 0, std::log(3.0)};
  x.v.values() = {1, 10, 100};
  using Pattern = AttentionRule::Pattern;
  using reference::Weighting;
  const auto expect_last_row = [&](Pattern pattern, const std::vector<double>& want) {
    head.held = held_rows(pattern, head.right);
    const Array<1> row = row_of(reference::self_attention(head, x).weights, 2);
    expect_near_oracle<const double>("last row", row.values(), want);
  };
  expect_last_row(Pattern::learned, {2.0 / 6, 1.0 / 6, 3.0 / 6});
  expect_last_row(Pattern::uniform, {1.0 / 3, 1.0 / 3, 1.0 / 3});
  expect_last_row(Pattern::previous, {0, 1, 0});
  expect_last_row(Pattern::first, {1, 0, 0});
  expect_last_row(Pattern::truth, {0.5, 0.5, 0});
  head.factor = 2;
  expect_last_row(Pattern::learned, {4.0 / 14, 1.0 / 14, 9.0 / 14});
  head.shift = Array<2>(3, 3);
  head.shift(2, 1) = std::log(7.0);
  expect_last_row(Pattern::learned, {4.0 / 20, 7.0 / 20, 9.0 / 20});
  head.factor = 1;
  head.shift = {};
  head.scale = 3;
  expect_last_row(Pattern::learned, {6.0 / 6, 3.0 / 6, 3.0 / 6});
  head.scale = 1;
  head.weighting = Weighting::linear;
  expect_last_row(Pattern::learned, {std::log(2.0), 0, std::log(3.0)});
  head.weighting = Weighting::relu;
  x.k.values() = {-1, 6, 3};
  expect_last_row(Pattern::learned, {0, 2, 1});
  EXPECT_EQ(reference::self_attention(head, x).y(2, 0), 120);
  head.ablated = true;
  EXPECT_EQ(reference::self_attention(head, x).y(2, 0), 0);
}

// Turned queries and keys have inner products that depend on their distance alone.
TEST(Reference, RotaryPositionsTurnByDistance) {
  Array<2> x(6, 4);
  for (Index t = 0; t < 6; ++t)
    for (Index m = 0; m < 4; ++m) x(t, m) = static_cast<double>(m) + 1;
  const Array<2> y = reference::rotary(x, reference::Turn::forward);
  EXPECT_NEAR(y(1, 0), std::cos(1.0) - 3 * std::sin(1.0), 1e-14);
  EXPECT_NEAR(y(1, 1), 2 * std::cos(0.01) - 4 * std::sin(0.01), 1e-14);
  EXPECT_NEAR(row_times(y, 1, row_of(y, 3)), row_times(y, 3, row_of(y, 5)), 1e-12);
  expect_near_oracle<const double>("turned back", reference::rotary(y, reference::Turn::backward).values(), x.values());
}

TEST(Reference, TransformerBlockGradients) {
  for (std::uint64_t seed = 0; seed < 3 * seeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream stream(seed, "block");
    BlockShape shape{.width = 2, .heads = 1 + static_cast<Index>(seed % 2), .positions = 1 + random_size(stream, 4)};
    shape.width *= shape.heads * random_size(stream, 2);
    shape.mlp = random_choice(stream) ? 2 * shape.width : 0;
    for (bool* choice : {&shape.norms, &shape.biases, &shape.relative}) *choice = random_choice(stream);
    (seed % 3 == 0 ? shape.query : shape.key) = seed % 3 == 2;
    reference::BlockForm form{{}, random_choice(stream), random_choice(stream)};
    for (Index h = 0; h < shape.heads; ++h) {
      form.heads.push_back({static_cast<reference::Weighting>(stream.integer(3)), random_choice(stream) ? 3.0 : 1.0,
                            stream.uniform() < 0.1, random_right(stream, shape.positions)});
      form.heads.back().held =
          held_rows(each_pattern()[stream.integer(each_pattern().size())], form.heads.back().right);
    }
    reference::TransformerBlock block = random_block(shape, seed), d_block = random_block(shape, {});
    Array<2> h = random_array(seed + 50, shape.positions, shape.width);
    const Array<2> d_out = random_array(seed + 51, shape.positions, shape.width);
    const auto loss = [&] { return inner(d_out.values(), reference::transformer_block(block, form, h).out.values()); };
    const auto pass = reference::transformer_block(block, form, h);
    const Array<2> dh = reference::transformer_block_backward(block, form, pass, d_out, d_block);
    const GradientCheck loose{1e-5, 1e-6, 20};
    expect_gradient("h", h.values(), dh.values(), loss, loose);
    const auto values = arrays_of(block), gradients = arrays_of(d_block);
    ASSERT_EQ(values.size(), gradients.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      expect_gradient(values[i].first, *values[i].second, *gradients[i].second, loss, loose);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace fovea
