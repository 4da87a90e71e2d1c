// The reference layers against central differences, in shapes at random.
#include <numeric>

#include "fovea/nn/reference/attention.h"
#include "fovea/nn/reference/batch_norm.h"
#include "fovea/nn/reference/cross_entropy.h"
#include "fovea/nn/reference/gru.h"
#include "fovea/nn/reference/lstm.h"
#include "tests/nn/reference/oracle.h"

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
    Stream stream(seed, "lstm");
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
    Stream stream(seed, "gru");
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
    Stream stream(seed, "attention");
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
    Stream stream(seed, "cross-entropy");
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
    Stream stream(seed, "norm");
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

}  // namespace
}  // namespace fovea
