// Self-attention's kernel against its equations (nn/reference): streams of any length, in one tile or several, each
// weighting and pattern, of all positions or of some, with weights kept for backward or computed again.
#include <algorithm>

#include "fovea/nn/attention/self_attention.h"
#include "fovea/nn/reference/self_attention.h"
#include "tests/nn/attention/test_shift.h"
#include "tests/nn/reference/held_rows.h"
#include "tests/nn/reference/oracle.h"

namespace fovea {
namespace {

using namespace fovea::testing;

struct SelfShape {
  Index B, T, H, K, U;
  bool relative, keeps;
  Weighting weighting;
  std::vector<int> lengths;       // (B)
  std::vector<ScopedRule> rules;  // (H)
  std::vector<int> right;         // (B T, 2), -1 behind the last
  std::vector<int> asking;        // of B T positions those that have a row, ascending; empty: all
  std::vector<int> row_of;        // (B T) the row of a position, -1 without one
  Index rows() const { return asking.empty() ? B * T : std::ssize(asking); }
};

SelfShape random_self_shape(std::uint64_t seed) {
  RandomStream stream(seed, "self-attention");
  SelfShape s{random_size(stream, 3),
              random_size(stream, seed % 3 == 0 ? 75 : 12),
              random_size(stream, 3),
              random_size(stream, 9),
              random_size(stream, 20),
              random_choice(stream),
              random_choice(stream),
              static_cast<Weighting>(seed % 5),
              {},
              {},
              {},
              {},
              {}};
  const auto below = [&](Index n) { return static_cast<int>(stream.integer(static_cast<std::uint64_t>(n))); };
  const auto patterns = static_cast<Index>(attention_patterns.size()) + 1;  // and learned
  for (Index h = 0; h < s.H; ++h) {
    const double scales[] = {1, 1, 0, 3}, factors[] = {1, 0.5, 0, -2};
    RequestedRule rule{static_cast<AttentionRule::Pattern>(below(patterns)), scales[below(4)], stream.uniform() < 0.1};
    rule.factor = factors[below(4)];
    if (random_choice(stream)) rule.shift = &test_shift;
    s.rules.push_back({1, static_cast<int>(h) + 1, rule});
  }
  const bool all_ask = random_choice(stream);
  for (Index b = 0; b < s.B; ++b) {
    s.lengths.push_back(below(s.T + 1));
    for (Index i = 0; i < s.T; ++i) {
      const int first = random_choice(stream) ? below(i + 1) : -1;
      s.right.push_back(first);
      s.right.push_back(first >= 0 && first < i && random_choice(stream) ? static_cast<int>(i) : -1);
      const bool asks = !all_ask && random_choice(stream);
      s.row_of.push_back(all_ask ? static_cast<int>(b * s.T + i) : asks ? static_cast<int>(s.asking.size()) : -1);
      if (asks) s.asking.push_back(static_cast<int>(b * s.T + i));
    }
  }
  if (s.asking.empty())
    for (std::size_t n = 0; n < s.row_of.size(); ++n) s.row_of[n] = static_cast<int>(n);
  return s;
}

reference::Head head_of(const SelfShape& s, Index b, Index h, Index length) {
  const RequestedRule& rule = s.rules[static_cast<std::size_t>(h)].rule;
  reference::Head head{static_cast<reference::Weighting>(s.weighting), rule.scale, rule.ablated,
                       Array<2>(length, length), rule.factor};
  if (rule.shift) {
    head.shift = Array<2>(length, length);
    for (Index i = 0; i < length; ++i)
      for (Index j = 0; j <= i; ++j) head.shift(i, j) = rule.shift->at(1, static_cast<int>(h) + 1, b, i, j);
  }
  for (Index i = 0; i < length; ++i)
    for (const Index slot : {0, 1})
      if (const int j = s.right[static_cast<std::size_t>(2 * (b * s.T + i) + slot)]; j >= 0) head.right(i, j) = 1;
  head.held = held_rows(rule.pattern, head.right);
  return head;
}

// Rows [first, first + count) of a head's columns.
template <class T>
Array<2> head_rows(Matrix<T> all, Index first, Index count, Index head, Index width) {
  Array<2> part(count, width);
  for (Index n = 0; n < count; ++n)
    for (Index m = 0; m < width; ++m) part(n, m) = static_cast<double>(all(first + n, head * width + m));
  return part;
}
// The same of a matrix that has rows of some positions alone; others are 0.
template <class T>
Array<2> head_rows(const SelfShape& s, Matrix<T> all, Index first, Index count, Index head, Index width) {
  Array<2> part(count, width);
  for (Index n = 0; n < count; ++n)
    if (const int row = s.row_of[static_cast<std::size_t>(first + n)]; row >= 0)
      for (Index m = 0; m < width; ++m) part(n, m) = static_cast<double>(all(row, head * width + m));
  return part;
}

void add_to(const Array<2>& part, Index first, Index head, Array<2>& all) {
  for (Index n = 0; n < part.size(0); ++n)
    for (Index m = 0; m < part.size(1); ++m) all(first + n, head * part.size(1) + m) += part(n, m);
}

// Of rows of all positions those that are there.
Array<2> asking_rows(const SelfShape& s, const Array<2>& all) {
  Array<2> some(s.rows(), all.size(1));
  for (Index n = 0; n < all.size(0); ++n)
    if (const int row = s.row_of[static_cast<std::size_t>(n)]; row >= 0)
      for (Index m = 0; m < all.size(1); ++m) some(row, m) = all(n, m);
  return some;
}

template <class T>
class SelfAttentionOracle : public ::testing::Test {};
using SelfScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SelfAttentionOracle, SelfScalars);

TYPED_TEST(SelfAttentionOracle, WeightsSumsAndGradientsSayTheSame) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 90; ++seed) {
    SCOPED_TRACE(seed);
    const SelfShape s = random_self_shape(seed);
    const Index N = s.B * s.T;
    Bench bench(1 + static_cast<int>(seed % 2));
    const auto draw = [&](std::uint64_t what, Index rows, Index width) {
      const Matrix<T> all = bench.compute.template array<T>(rows, width);
      std::ranges::copy(random_values<T>(9 * seed + what, rows * width), all.data());
      return all;
    };
    const SelfAttention<T> attention{s.weighting, s.H, s.K, s.U};
    typename SelfAttention<T>::Inputs pass;
    pass.rows = {s.T, s.lengths};
    if (!s.asking.empty()) pass.rows.given = RowMap(s.asking);
    pass.q = draw(1, s.rows(), s.H * s.K);
    pass.k = draw(2, N, s.H * s.K);
    pass.v = draw(3, N, s.H * s.U);
    if (s.relative) pass.r = draw(4, s.T, s.H * s.K);
    const std::vector<T> sinks = random_values<T>(9 * seed + 11, s.H);
    pass.sinks = sinks;
    std::vector<AttentionRule> rules;
    for (Index h = 0; h < s.H; ++h) rules.push_back(AttentionRules{s.rules}.of(1, static_cast<int>(h) + 1));
    pass.rules = rules;
    pass.right = {s.right, 2};
    if (s.keeps) pass.kept = bench.arena.take<T>(static_cast<std::size_t>(attention.kept_size(s.B, s.T)));
    const Matrix<T> y = draw(5, s.rows(), s.H * s.U), dy = draw(6, s.rows(), s.H * s.U);
    typename SelfAttention<T>::InputGradients d{draw(7, s.rows(), s.H * s.K), draw(8, N, s.H * s.K),
                                                draw(9, N, s.H * s.U),
                                                s.relative ? draw(10, s.T, s.H * s.K) : Matrix<T>()};
    std::vector<T> d_sinks(static_cast<std::size_t>(s.H), T{2});  // which is added to
    std::vector<double> want_d_sinks(static_cast<std::size_t>(s.H), 2);
    if (s.weighting == Weighting::sink) d.sinks = d_sinks;
    Array<2> want_y(N, s.H * s.U), want_dq(N, s.H * s.K), want_dk(N, s.H * s.K), want_dv(N, s.H * s.U);
    Array<2> want_dr = to_array(d.r.flat(), s.relative ? s.T : 0, s.H * s.K);  // which is added to
    attention.forward(bench.compute, pass, y);
    attention.backward(bench.compute, pass, dy, d);

    for (Index h = 0; h < s.H; ++h) {
      const Cube<T> map = bench.compute.template array<T>(s.B, s.T, s.T);
      attention.map(bench.compute, pass, h, map);
      for (Index b = 0; b < s.B; ++b) {
        const Index length = s.lengths[static_cast<std::size_t>(b)], first = b * s.T;
        const reference::Head head = head_of(s, b, h, length);
        reference::HeadInput x{head_rows(s, pass.q, first, length, h, s.K), head_rows(pass.k, first, length, h, s.K),
                               head_rows(pass.v, first, length, h, s.U),
                               s.relative ? head_rows(pass.r, 0, length, h, s.K) : Array<2>()};
        if (s.weighting == Weighting::sink) x.sink = static_cast<double>(sinks[static_cast<std::size_t>(h)]);
        const reference::HeadOutput want = reference::self_attention(head, x);
        reference::HeadInput dx{Array<2>(length, s.K), Array<2>(length, s.K), Array<2>(length, s.U),
                                Array<2>(x.r.size(0), s.K)};
        reference::self_attention_backward(head, x, want, head_rows(s, dy, first, length, h, s.U), dx);
        want_d_sinks[static_cast<std::size_t>(h)] += dx.sink;
        add_to(want.y, first, h, want_y);
        add_to(dx.q, first, h, want_dq);
        add_to(dx.k, first, h, want_dk);
        add_to(dx.v, first, h, want_dv);
        if (s.relative) add_to(dx.r, 0, h, want_dr);

        Array<2> want_map(s.T, s.T);  // rows without a query, and behind the stream, are 0
        for (Index i = 0; i < length; ++i)
          for (Index j = 0; j <= i && s.row_of[static_cast<std::size_t>(first + i)] >= 0; ++j)
            want_map(i, j) = want.weights(i, j);
        expect_near_oracle("map", map[b].flat(), want_map.values(), oracle_tolerance<T>, 1);
      }
    }
    expect_near_oracle("y", y.flat(), asking_rows(s, want_y).values(), oracle_tolerance<T>, 1);
    expect_near_oracle("dq", d.q.flat(), asking_rows(s, want_dq).values(), oracle_tolerance<T>, 1);
    expect_near_oracle("dk", d.k.flat(), want_dk.values(), oracle_tolerance<T>, 1);
    expect_near_oracle("dv", d.v.flat(), want_dv.values(), oracle_tolerance<T>, 1);
    expect_near_oracle("dz", std::span(d_sinks), want_d_sinks, oracle_tolerance<T>, 1);
    expect_near_oracle("dr", d.r.flat(), want_dr.values(), oracle_tolerance<T>, 1);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace fovea
