// Attention's kernels against its equations (nn/reference), under each rule: examples of any length, stored example by
// example or step by step, one row of attention or several.
#include "fovea/nn/attention/attention.h"
#include "fovea/nn/attention/cross_attention.h"
#include "fovea/nn/reference/attention.h"
#include "tests/nn/reference/oracle.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using reference::Rule;

struct Shape {
  Index B, rows, S, H;
  bool by_time;
  Rule rule;
  std::vector<int> lengths;
  std::vector<std::uint8_t> marked;  // (B,S)
  std::vector<int> alignment;        // (B,T)
};

Shape random_shape(std::uint64_t seed, Index least) {
  RandomStream stream(seed, "attention");
  Shape s{random_size(stream, 5),
          random_choice(stream) ? 1 : random_size(stream, 9),
          random_size(stream, 19),
          random_size(stream, 21),
          random_choice(stream),
          static_cast<Rule>(seed % 3),
          {},
          {},
          {}};
  const auto below = [&](Index n) { return static_cast<int>(stream.integer(static_cast<std::uint64_t>(n))); };
  for (Index b = 0; b < s.B; ++b) {
    const int length = static_cast<int>(least) + below(s.S + 1 - least);
    s.lengths.push_back(length);
    const bool some = random_choice(stream);
    for (Index i = 0; i < s.S; ++i) s.marked.push_back(some && i < length && random_choice(stream));
    for (Index t = 0; t < s.rows; ++t) s.alignment.push_back(length > 0 ? below(length + 1) - 1 : -1);
  }
  return s;
}

reference::Positions positions_of(const Shape& s, Index b, bool by_marks) {
  reference::Positions positions{Array<1>(s.S), Array<2>(s.rows, s.S)};
  for (Index i = 0; i < s.S; ++i) {
    positions.present(i) = i < s.lengths[static_cast<std::size_t>(b)];
    for (Index t = 0; t < s.rows; ++t)
      positions.truth(t, i) = by_marks ? s.marked[static_cast<std::size_t>(b * s.S + i)]
                                       : s.alignment[static_cast<std::size_t>(b * s.rows + t)] == i;
  }
  return positions;
}

AttentionRule rule_of(const Shape& s) {
  using Pattern = AttentionRule::Pattern;
  return {{s.rule == Rule::uniform ? Pattern::uniform : s.rule == Rule::truth ? Pattern::truth : Pattern::learned}};
}

// The marked positions of each row, -1 behind the last.
std::vector<int> marked_positions(const Shape& s) {
  std::vector<int> positions;
  for (Index b = 0; b < s.B; ++b)
    for (Index t = 0; t < s.rows; ++t) {
      for (Index i = 0; i < s.S; ++i)
        if (s.marked[static_cast<std::size_t>(b * s.S + i)] != 0) positions.push_back(static_cast<int>(i));
      positions.resize(static_cast<std::size_t>((b * s.rows + t + 1) * s.S), -1);
    }
  return positions;
}

// Example b of (N,B,H), or of (B,N,H), as (N,H); and back.
template <class T>
Array<2> example(std::span<T> values, Index b, Index batch, Index n, Index width, bool by_time) {
  Array<2> out(n, width);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < width; ++j)
      out(i, j) =
          static_cast<double>(values[static_cast<std::size_t>(((by_time ? i * batch + b : b * n + i) * width) + j)]);
  return out;
}
template <class T>
void expect_example(const std::string& name, std::span<T> values, Index b, Index batch, bool by_time,
                    const Array<2>& want) {
  const Array<2> got = example(values, b, batch, want.size(0), want.size(1), by_time);
  expect_near_oracle(name, std::span(got.values()), want.values(), oracle_tolerance<std::remove_const_t<T>>, 0.1);
}

template <class T>
class AttentionOracle : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(AttentionOracle, Scalars);

TYPED_TEST(AttentionOracle, WeightsAndSumsSayTheSame) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 90; ++seed) {
    SCOPED_TRACE(seed);
    const Shape s = random_shape(seed, 0);
    const bool by_marks = seed % 2 == 0;
    const std::vector<T> scores = random_values<T>(seed, s.B * s.rows * s.S, 2.0);
    const std::vector<T> values = random_values<T>(seed + 1, s.B * s.S * s.H);
    const std::vector<T> dy = random_values<T>(seed + 2, s.B * s.rows * s.H);
    std::vector<T> y(dy.size()), d_values(values.size());
    const auto view = [&](auto* data, Index length) {
      using E = std::remove_pointer_t<decltype(data)>;
      return s.by_time ? time_major(Cube<E>(data, length, s.B, s.H)) : batch_major(Cube<E>(data, s.B, length, s.H));
    };
    Bench bench(2);
    const std::vector<int> marks = marked_positions(s);
    const RightPositions right = by_marks ? RightPositions{marks, s.S} : RightPositions{s.alignment, 1};
    const auto attention = Attention<T>::make(bench.compute, s.B, s.rows, s.S, s.lengths, rule_of(s), right);
    std::ranges::copy(scores, attention.weights.data());
    attention.weigh(bench.team);
    const Cube<T> weights = attention.weights;
    const Cube<T> d_weights = bench.compute.template array<T>(s.B, s.rows, s.S);
    const Cube<T> d_scores = bench.compute.template zeros<T>(s.B, s.rows, s.S);
    const Sequences<const T> v = view(std::as_const(values).data(), s.S), d_context = view(dy.data(), s.rows);
    attention.sum(bench.team, v, view(y.data(), s.rows));
    attention.sum_backward(bench.team, v, d_context, d_weights, view(d_values.data(), s.S));
    if (attention.by_score()) {
      std::ranges::copy(d_weights.flat(), d_scores.data());
      attention.weigh_backward(bench.team, d_scores);
    }

    for (Index b = 0; b < s.B; ++b) {
      const reference::Positions positions = positions_of(s, b, by_marks);
      const Array<2> want =
          reference::attention_weights(s.rule, example(std::span(scores), b, s.B, s.rows, s.S, false), positions);
      const Array<2> V = example(std::span(values), b, s.B, s.S, s.H, s.by_time);
      Array<2> want_dv(s.S, s.H);
      const Array<2> want_dw = reference::attention_context_backward(
          want, V, positions, example(std::span(dy), b, s.B, s.rows, s.H, s.by_time), want_dv);
      expect_example("weights", weights.flat(), b, s.B, false, want);
      expect_example("context", std::span(y), b, s.B, s.by_time, reference::attention_context(want, V, positions));
      expect_example("d values", std::span(d_values), b, s.B, s.by_time, want_dv);
      expect_example("d weights", d_weights.flat(), b, s.B, false, want_dw);
      expect_example("d scores", d_scores.flat(), b, s.B, false,
                     reference::attention_weights_backward(s.rule, want, positions, want_dw));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(AttentionOracle, CrossAttentionSaysTheSame) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Shape s = random_shape(seed, 1);
    const Index D = 1 + static_cast<Index>(seed % 7);
    ParameterSet<T> parameters;
    const auto attention = CrossAttention<T>::declare(parameters, "attention", D, s.H);
    parameters.finish();
    parameters.initialise(seed);
    const std::vector<T> targets = random_values<T>(seed, s.rows * s.B * D);
    const std::vector<T> sources = random_values<T>(seed + 1, s.S * s.B * s.H, 0.7);
    const std::vector<T> dy = random_values<T>(seed + 2, s.rows * s.B * s.H);
    Bench bench(2);
    typename CrossAttention<T>::Trace trace;
    const Cube<T> context =
        attention.forward(bench.compute, Cube<const T>(targets.data(), s.rows, s.B, D),
                          Cube<const T>(sources.data(), s.S, s.B, s.H), s.lengths, rule_of(s), {s.alignment, 1}, trace);
    const Cube<T> d_targets = bench.compute.template zeros<T>(s.rows, s.B, D);
    const Cube<T> d_sources = bench.compute.template zeros<T>(s.S, s.B, s.H);
    attention.backward(bench.compute, trace, Cube<const T>(dy.data(), s.rows, s.B, s.H), d_targets, d_sources);

    // q = A d + a
    const Array<2> A = to_array(attention.query.weight->values(), s.H, D);
    Array<2> d_A(s.H, D);
    Array<1> d_a(s.H);
    for (Index b = 0; b < s.B; ++b) {
      const reference::Positions positions = positions_of(s, b, false);
      const Array<2> d = example(std::span(targets), b, s.B, s.rows, D, true);
      const Array<2> e = example(std::span(sources), b, s.B, s.S, s.H, true);
      Array<2> q(s.rows, s.H), dq(s.rows, s.H), de(s.S, s.H), dd(s.rows, D);
      for (Index t = 0; t < s.rows; ++t)
        for (Index j = 0; j < s.H; ++j)
          q(t, j) = row_times(A, j, row_of(d, t)) + static_cast<double>(attention.query.bias->value[j]);
      const Array<2> weights = reference::attention_weights(s.rule, reference::attention_scores(q, e, 1), positions);
      const Array<2> d_weights = reference::attention_context_backward(
          weights, e, positions, example(std::span(dy), b, s.B, s.rows, s.H, true), de);
      const Array<2> d_scores = reference::attention_weights_backward(s.rule, weights, positions, d_weights);
      reference::attention_scores_backward(q, e, 1, d_scores, dq, de);
      for (Index t = 0; t < s.rows; ++t)
        for (Index j = 0; j < s.H; ++j) {
          d_a(j) += dq(t, j);
          for (Index k = 0; k < D; ++k) {
            d_A(j, k) += dq(t, j) * d(t, k);
            dd(t, k) += A(j, k) * dq(t, j);
          }
        }
      expect_example("weights", trace.attention.weights.flat(), b, s.B, false, weights);
      expect_example("context", context.flat(), b, s.B, true, reference::attention_context(weights, e, positions));
      expect_example("d targets", d_targets.flat(), b, s.B, true, dd);
      expect_example("d sources", d_sources.flat(), b, s.B, true, de);
      if (::testing::Test::HasFatalFailure()) return;
    }
    expect_near_oracle("dA", attention.query.weight->gradients(), d_A.values(), oracle_tolerance<T>, 0.1);
    expect_near_oracle("da", attention.query.bias->gradients(), d_a.values(), oracle_tolerance<T>, 0.1);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace fovea
