// A recurrent layer against the cells as equations (nn/reference): either cell and direction, vectors and tokens, rows
// of any length, with and without a state to start from.
#include "fovea/nn/recurrent/recurrent_layer.h"
#include "fovea/nn/reference/gru.h"
#include "fovea/nn/reference/lstm.h"
#include "tests/nn/reference/oracle.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using reference::RecurrentWeights;

struct Shape {
  Cell cell;
  Direction direction;
  Index T, B, I, H;
  bool tokens, lengths, initial, output, last, dx;  // the last three: gradients given, and wanted
};

Shape random_shape(std::uint64_t seed) {
  RandomStream stream(seed, "recurrent");
  return {random_choice(stream) ? Cell::lstm : Cell::gru,
          random_choice(stream) ? Direction::forward : Direction::reverse,
          random_size(stream, 7),
          random_size(stream, seed % 4 == 0 ? 70 : 5),
          random_size(stream, 11),
          random_size(stream, 37),
          random_choice(stream),
          stream.uniform() < 0.7,
          random_choice(stream),
          stream.uniform() < 0.8,
          stream.uniform() < 0.8,
          stream.uniform() < 0.8};
}

template <class T>
struct Result {
  std::vector<T> output, last_h, last_c, dx, dh, dc, d_ih, d_hh, d_bias_ih, d_bias_hh;
};

// Everything a layer reads, drawn from the seed.
template <class T>
struct Scene {
  Shape s;
  std::vector<int> lengths, index;
  std::vector<T> rows;      // (D,I) what tokens stand for; the distinct positions where vectors are read
  std::vector<T> h, c;      // (B,H)
  std::vector<T> dy;        // (T,B,H)
  std::vector<T> d_h, d_c;  // (B,H)
  ParameterSet<T> parameters;
  RecurrentLayer<T> layer;
  Index distinct;

  Scene(const Shape& shape, std::uint64_t seed) : s(shape) {
    RandomStream stream(seed, "scene");
    layer = RecurrentLayer<T>::declare(parameters, "", "", s.cell, s.direction, s.I, s.H);
    parameters.finish();
    std::ranges::copy(random_values<T>(seed, static_cast<Index>(parameters.values().size()), 0.4),
                      parameters.values().begin());
    std::ranges::copy(random_values<T>(seed + 1, static_cast<Index>(parameters.values().size())),
                      parameters.gradients().begin());  // backward adds to what is there
    for (Index b = 0; b < s.B; ++b)
      lengths.push_back(s.lengths ? static_cast<int>(stream.integer(static_cast<std::uint64_t>(s.T) + 1))
                                  : static_cast<int>(s.T));
    distinct = s.tokens ? 4 : s.T * s.B;
    for (Index p = 0; p < s.T * s.B; ++p)
      index.push_back(!s.tokens                   ? static_cast<int>(p)
                      : p / s.B < length(p % s.B) ? static_cast<int>(stream.integer(4))
                                                  : -1);
    rows = random_values<T>(seed + 2, distinct * s.I);
    const Index state = s.B * s.H;
    h = random_values<T>(seed + 3, s.initial ? state : 0);
    c = random_values<T>(seed + 4, s.initial ? state : 0);
    dy = random_values<T>(seed + 5, s.output ? s.T * state : 0);
    d_h = random_values<T>(seed + 6, s.last ? state : 0);
    d_c = random_values<T>(seed + 7, s.last ? state : 0);
  }

  Index length(Index b) const { return lengths[static_cast<std::size_t>(b)]; }
  RecurrentState<T> state(std::vector<T>& hidden, std::vector<T>& cell) const {
    if (hidden.empty()) return {};
    return {Matrix<T>(hidden.data(), s.B, s.H), s.cell == Cell::lstm ? Matrix<T>(cell.data(), s.B, s.H) : Matrix<T>()};
  }
};

template <class T>
Result<T> of_layer(Scene<T>& scene) {
  const Shape& s = scene.s;
  Bench bench(2);
  const std::span<const int> lengths = s.lengths ? std::span<const int>(scene.lengths) : std::span<const int>();
  const auto input = s.tokens
                         ? SequenceInput<T>::of_tokens(
                               s.T, s.B, Matrix<const T>(scene.rows.data(), scene.distinct, s.I), scene.index, lengths)
                         : SequenceInput<T>::of(Cube<const T>(scene.rows.data(), s.T, s.B, s.I), lengths);
  const RecurrentTrace<T> trace = scene.layer.forward(bench.compute, input, scene.state(scene.h, scene.c));
  Result<T> r;
  r.output = copy_of(trace.output());
  r.last_h = copy_of(trace.last.hidden);
  r.last_c = copy_of(trace.last.cell);
  const Matrix<T> dx = bench.compute.zeros<T>(scene.distinct, s.I);
  SequenceGradient<T> d_input;
  if (s.dx && s.tokens) d_input.rows = dx;
  if (s.dx && !s.tokens) d_input.dense = dx.as(s.T, s.B, s.I);
  const RecurrentState<T> d_initial = scene.layer.backward(
      bench.compute, trace, s.output ? Cube<const T>(scene.dy.data(), s.T, s.B, s.H) : Cube<const T>(),
      scene.state(scene.d_h, scene.d_c), d_input);
  EXPECT_EQ(copy_of(trace.output()), r.output) << "backward changed the output";
  r.dx = copy_of(dx);
  r.dh = copy_of(d_initial.hidden);
  r.dc = copy_of(d_initial.cell);
  r.d_ih = copy_of(scene.layer.weight_ih->gradients());
  r.d_hh = copy_of(scene.layer.weight_hh->gradients());
  r.d_bias_ih = copy_of(scene.layer.bias_ih->gradients());
  r.d_bias_hh = copy_of(scene.layer.bias_hh->gradients());
  return r;
}

// The same, a row at a time: a row of length n is a sequence of n steps, read backwards where the layer does.
template <class T>
Result<double> of_reference(const Scene<T>& scene) {
  const Shape& s = scene.s;
  const Index G = s.cell == Cell::lstm ? 4 : 3;
  const RecurrentLayer<T>& layer = scene.layer;
  const auto weights = [&](bool gradients) {
    const auto values = [&](const Param<T>* p) { return gradients ? p->gradients() : p->values(); };
    RecurrentWeights w(G, s.I, s.H);
    w.ih = to_array(values(layer.weight_ih), G * s.H, s.I);
    w.hh = to_array(values(layer.weight_hh), G * s.H, s.H);
    w.bias_ih = to_array(values(layer.bias_ih));
    w.bias_hh = to_array(values(layer.bias_hh));
    return w;
  };
  const RecurrentWeights w = weights(false);
  RecurrentWeights dw = weights(true);
  const Array<2> rows = to_array(std::span(scene.rows), scene.distinct, s.I);
  Array<2> d_rows(scene.distinct, s.I), output(s.T * s.B, s.H), last_h(s.B, s.H), last_c(s.B, s.H), d_h(s.B, s.H),
      d_c(s.B, s.H);
  const auto state = [&](const std::vector<T>& values, Index b) {
    return values.empty()
               ? Array<1>(s.H)
               : to_array(std::span(values).subspan(static_cast<std::size_t>(b * s.H), static_cast<std::size_t>(s.H)));
  };
  for (Index b = 0; b < s.B; ++b) {
    const Index n = scene.length(b);
    const auto position = [&](Index k) { return (s.direction == Direction::forward ? k : n - 1 - k) * s.B + b; };
    const auto read = [&](Index k) { return scene.index[static_cast<std::size_t>(position(k))]; };
    Array<2> x(n, s.I), dx(n, s.I), dy(n, s.H);
    for (Index k = 0; k < n; ++k) {
      for (Index i = 0; i < s.I; ++i) x(k, i) = rows(read(k), i);
      for (Index j = 0; j < s.H && s.output; ++j)
        dy(k, j) = static_cast<double>(scene.dy[static_cast<std::size_t>(position(k) * s.H + j)]);
    }
    Array<1> h = state(scene.h, b), c = state(scene.c, b), dh = state(scene.d_h, b), dc = state(scene.d_c, b);
    const auto keep = [&](Index k, const Array<1>& now) {
      for (Index j = 0; j < s.H; ++j) output(position(k), j) = now(j);
    };
    if (s.cell == Cell::lstm) {
      const auto steps = reference::lstm(w, x, h, c);
      for (Index k = 0; k < n; ++k) keep(k, steps[static_cast<std::size_t>(k)].h);
      if (n > 0) h = steps.back().h, c = steps.back().c;
      reference::lstm_backward(w, steps, dy, dh, dc, dw, dx);
    } else {
      const auto steps = reference::gru(w, x, h);
      for (Index k = 0; k < n; ++k) keep(k, steps[static_cast<std::size_t>(k)].h);
      if (n > 0) h = steps.back().h;
      reference::gru_backward(w, steps, dy, dh, dw, dx);
    }
    for (Index k = 0; k < n; ++k)
      for (Index i = 0; i < s.I; ++i) d_rows(read(k), i) += dx(k, i);
    for (Index j = 0; j < s.H; ++j) {
      last_h(b, j) = h(j);
      last_c(b, j) = c(j);
      d_h(b, j) = dh(j);
      d_c(b, j) = dc(j);
    }
  }
  const bool lstm = s.cell == Cell::lstm;
  const std::vector<double> none;
  return {output.values(),
          last_h.values(),
          lstm ? last_c.values() : none,
          s.dx ? d_rows.values() : Array<2>(scene.distinct, s.I).values(),
          s.initial ? d_h.values() : none,
          s.initial && lstm ? d_c.values() : none,
          dw.ih.values(),
          dw.hh.values(),
          dw.bias_ih.values(),
          dw.bias_hh.values()};
}

template <class T>
class RecurrentOracle : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RecurrentOracle, Scalars);

TYPED_TEST(RecurrentOracle, SaysTheSame) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const Shape s = random_shape(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + (s.cell == Cell::lstm ? " lstm" : " gru") +
                 (s.direction == Direction::reverse ? " reverse" : ""));
    Scene<T> scene(s, seed);
    const Result<double> want = of_reference(scene);
    const Result<T> got = of_layer(scene);
    const auto compare = [](const char* name, const std::vector<T>& values, const std::vector<double>& reference) {
      expect_near_oracle(name, std::span(values), reference);
    };
    compare("output", got.output, want.output);
    compare("last h", got.last_h, want.last_h);
    compare("last c", got.last_c, want.last_c);
    compare("dx", got.dx, want.dx);
    compare("d initial h", got.dh, want.dh);
    compare("d initial c", got.dc, want.dc);
    compare("dW", got.d_ih, want.d_ih);
    compare("dU", got.d_hh, want.d_hh);
    compare("db", got.d_bias_ih, want.d_bias_ih);
    compare("db'", got.d_bias_hh, want.d_bias_hh);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace fovea
