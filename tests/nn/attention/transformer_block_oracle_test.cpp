// A transformer's block against its equations (nn/reference): every form of attention and MLP, all rows or some of
// them, with rows of its own for each position or shared ones.
#include "fovea/nn/attention/transformer_block.h"
#include "tests/nn/reference/held_rows.h"
#include "tests/nn/reference/oracle.h"
#include "tests/nn/reference/random_block.h"

namespace fovea {
namespace {

using namespace fovea::testing;

struct BlockScene {
  explicit BlockScene(std::uint64_t seed) : stream(seed, "block") {
    using Queries = MultiHeadSettings::Queries;
    using Position = MultiHeadSettings::Position;
    const auto below = [&](Index n) { return static_cast<int>(stream.integer(static_cast<std::uint64_t>(n))); };
    B = random_size(stream, 3);
    shape.positions = random_size(stream, seed % 4 == 0 ? 40 : 7);
    shape.heads = random_size(stream, 3);
    shape.width = 2 * shape.heads * random_size(stream, 3);
    shape.mlp = random_choice(stream) ? 3 * shape.width : 0;
    shape.norms = random_choice(stream);
    shape.biases = random_choice(stream);
    settings.attention.width = shape.width;
    settings.attention.heads = shape.heads;
    settings.attention.weighting = static_cast<Weighting>(below(5));
    settings.attention.position = static_cast<Position>(below(3));
    settings.attention.queries = static_cast<Queries>(below(3));
    settings.attention.longest = shape.positions;
    settings.attention.bias = shape.biases ? Bias::yes : Bias::no;
    settings.norms = shape.norms;
    settings.mlp_width = shape.mlp;
    settings.activation = random_choice(stream) ? MlpActivation::gelu : MlpActivation::relu;
    shape.query = settings.attention.queries != Queries::identity;
    shape.key = settings.attention.queries != Queries::merged;
    shape.sinks = settings.attention.weighting == Weighting::sink;
    shape.relative = settings.attention.position == Position::relative;
    form.rotary = settings.attention.position == Position::rotary;
    form.relu = settings.activation == MlpActivation::relu;
    const auto patterns = static_cast<Index>(attention_patterns.size()) + 1;  // and learned
    for (Index h = 0; h < shape.heads; ++h)
      rules.push_back(
          {{static_cast<AttentionRule::Pattern>(below(patterns)), random_choice(stream) ? 1.0 : 3.0, below(9) == 0}});

    const Index N = B * shape.positions;
    for (Index b = 0; b < B; ++b) lengths.push_back(1 + below(shape.positions));
    for (Index n = 0; n < N; ++n) {
      const Index t = n % shape.positions;
      right.push_back(random_choice(stream) ? below(t + 1) : -1);
      tokens.push_back(below(4) - 1);
      if (random_choice(stream)) given.push_back(static_cast<int>(n));
    }
    rows = {shape.positions, lengths};
    read = N;
    if (seed % 2 == 0) {
      read = random_size(stream, 5);
      for (Index n = 0; n < N; ++n) shared.push_back(below(read));
      rows.read = RowMap(shared);
    }
    if (!given.empty() && seed % 3 != 0) rows.given = RowMap(given);
    rows.given_read = chain(arena, rows.given, rows.read);
    settings.attention.gate = shape.gate = random_choice(stream);
  }

  bool there(Index n) const { return n % shape.positions < lengths[static_cast<std::size_t>(n / shape.positions)]; }

  reference::BlockForm form_of(Index b) const {
    reference::BlockForm to = form;
    const Index length = lengths[static_cast<std::size_t>(b)];
    for (const AttentionRule& rule : rules) {
      to.heads.push_back({static_cast<reference::Weighting>(settings.attention.weighting), rule.scale, rule.ablated,
                          Array<2>(length, length)});
      for (Index i = 0; i < length; ++i)
        if (const int j = right[static_cast<std::size_t>(b * shape.positions + i)]; j >= 0)
          to.heads.back().right(i, j) = 1;
      to.heads.back().held = held_rows(rule.pattern, to.heads.back().right);
    }
    return to;
  }

  RandomStream stream;
  Arena arena;
  Index B = 0, read = 0;  // read: D
  BlockShape shape;
  BlockSettings settings;
  reference::BlockForm form;
  std::vector<AttentionRule> rules;
  std::vector<int> lengths, right, tokens, given, shared;
  StreamRows rows;
};

template <class T>
class TransformerBlockOracle : public ::testing::Test {};
using BlockScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TransformerBlockOracle, BlockScalars);

TYPED_TEST(TransformerBlockOracle, RowsCopiesAndGradientsSayTheSame) {
  using T = TypeParam;
  constexpr double tolerance = 10 * oracle_tolerance<T>;  // of several layers
  constexpr Index C = 3;
  for (std::uint64_t seed = 0; seed < 90; ++seed) {
    SCOPED_TRACE(seed);
    const BlockScene s(seed);
    const Index d = s.shape.width, positions = s.shape.positions, G = s.rows.count();
    reference::TransformerBlock block = random_block(s.shape, 100 * seed), d_block = random_block(s.shape, {});
    Bench bench(1 + static_cast<int>(seed % 2));
    ParameterSet<T> parameters;
    const auto layer = TransformerBlock<T>::declare(parameters, "", s.settings);
    parameters.finish();
    const auto values = arrays_of(block), gradients = arrays_of(d_block);
    ASSERT_EQ(parameters.all().size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Param<T>& p = parameters.all()[i];
      ASSERT_EQ(p.name, values[i].first);
      std::ranges::transform(*values[i].second, p.value, [](double x) { return static_cast<T>(x); });
      std::ranges::copy(p.values(), values[i].second->begin());
    }
    const std::vector<T> h = random_values<T>(100 * seed + 50, s.read * d);
    std::vector<T> d_out = random_values<T>(100 * seed + 51, G * d);  // which backward uses up
    for (Index g = 0; g < G; ++g)
      if (!s.there(s.rows.given[g])) std::fill_n(d_out.data() + g * d, d, T{0});
    const Array<2> want_d_out = to_array(std::span(d_out), G, d);

    typename TransformerBlock<T>::Trace trace;
    StreamPass pass{s.rows, s.rules, {s.right, 1}, Keep::all};
    const Matrix<const T> input(h.data(), s.read, d);
    const Matrix<T> out = layer.forward(bench.compute, pass, input, trace);
    const Matrix<T> copied = layer.attention.copy_tokens(bench.compute, s.tokens, C, trace.attention);
    const std::vector<T> out_values = copy_of(out), copied_values = copy_of(copied);
    const Matrix<T> dh = layer.backward(bench.compute, trace, Matrix<T>(d_out.data(), G, d), true, {});
    for (const Keep keep : {Keep::maps, Keep::nothing}) {
      pass.keep = keep;
      typename TransformerBlock<T>::Trace less;
      EXPECT_EQ(copy_of(layer.forward(bench.compute, pass, input, less)), out_values);
    }

    Array<2> want_out(G, d), want_copied(G, s.shape.heads * C), want_dh(s.read, d);
    Array<2> got_out = to_array(std::span(out_values), G, d);
    std::vector<Index> row_of(static_cast<std::size_t>(s.rows.all()), -1);
    for (Index g = 0; g < G; ++g) row_of[static_cast<std::size_t>(s.rows.given[g])] = g;
    for (Index b = 0; b < s.B; ++b) {
      const Index length = s.lengths[static_cast<std::size_t>(b)];
      const reference::BlockForm form = s.form_of(b);
      Array<2> x(length, d), dy(length, d);
      for (Index t = 0; t < length; ++t)
        for (Index m = 0; m < d; ++m) {
          const Index g = row_of[static_cast<std::size_t>(b * positions + t)];
          x(t, m) = static_cast<double>(input(s.rows.read[b * positions + t], m));
          if (g >= 0) dy(t, m) = want_d_out(g, m);
        }
      const reference::BlockPass want = reference::transformer_block(block, form, x);
      const Array<2> dx = reference::transformer_block_backward(block, form, want, dy, d_block);
      const Array<2> ids = reference::one_hot(
          std::span(s.tokens).subspan(static_cast<std::size_t>(b * positions), static_cast<std::size_t>(length)), C);
      for (Index t = 0; t < length; ++t) {
        const Index g = row_of[static_cast<std::size_t>(b * positions + t)];
        for (Index m = 0; m < d; ++m) {
          want_dh(s.rows.read[b * positions + t], m) += dx(t, m);
          if (g >= 0) want_out(g, m) = want.out(t, m);
        }
        for (Index head = 0; g >= 0 && head < s.shape.heads; ++head) {
          const auto number = static_cast<std::size_t>(head);
          for (Index c = 0; c < C && !form.heads[number].ablated; ++c)
            for (Index j = 0; j <= t; ++j)
              want_copied(g, head * C + c) += want.outputs[number].weights(t, j) * ids(j, c);
        }
      }
    }
    for (Index g = 0; g < G; ++g)  // rows behind a stream's end go on, and no loss reads them
      for (Index m = 0; m < d && !s.there(s.rows.given[g]); ++m) got_out(g, m) = 0;
    expect_near_oracle("out", std::span(got_out.values()), want_out.values(), tolerance, 1);
    expect_near_oracle("copied", std::span(copied_values), want_copied.values(), tolerance, 1);
    expect_near_oracle("dh", dh.flat(), want_dh.values(), tolerance, 1);
    for (std::size_t i = 0; i < gradients.size(); ++i)
      expect_near_oracle(gradients[i].first, parameters.all()[i].gradients(), *gradients[i].second, tolerance, 1);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace fovea
