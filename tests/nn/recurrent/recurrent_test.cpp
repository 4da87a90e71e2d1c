#include "fovea/nn/recurrent/recurrent.h"

#include <bit>
#include <ostream>

#include "fovea/nn/embedding.h"
#include "tests/nn/gradient_check.h"

namespace fovea {
namespace {

using namespace fovea::testing;

struct Case {
  Cell cell;
  Index steps, batch, in, width;
  int layers, directions;
  bool tokens, lengths, initial;
  double dropout = 0;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << (c.cell == Cell::lstm ? "lstm" : "gru") << " T" << c.steps << " B" << c.batch << " I" << c.in << " H"
             << c.width << " layers " << c.layers << " directions " << c.directions << (c.tokens ? " tokens" : "")
             << (c.lengths ? " lengths" : "") << (c.initial ? " initial" : "") << " dropout " << c.dropout;
}

std::vector<int> random_lengths(std::uint64_t seed, Index batch, Index steps) {
  RandomStream stream(seed, "lengths");
  std::vector<int> lengths(static_cast<std::size_t>(batch));
  for (int& length : lengths) length = static_cast<int>(stream.integer(static_cast<std::uint64_t>(steps) + 1));
  return lengths;
}

// A net with everything it reads, and a loss that weighs all that comes out.
template <class T>
struct Net {
  Case shape;
  ParameterSet<T> parameters;
  Recurrent<T> net;
  std::vector<int> index, lengths;
  std::vector<T> x;             // dense (T,B,I) or the rows of the distinct tokens (D,I)
  std::vector<T> hidden, cell;  // (layers*directions, B, H) states at the start
  std::vector<T> d_output;      // the loss's weights
  std::vector<T> d_hidden, d_cell;
  static constexpr Index distinct = 5;

  explicit Net(const Case& c) : shape(c) {
    net = Recurrent<T>::declare(parameters, "net",
                                {c.cell, c.in, c.width, c.layers, c.directions, c.dropout, /*first_dropout=*/3});
    parameters.finish();
    parameters.initialise(11);
    x = random_values<T>(1, c.tokens ? distinct * c.in : c.steps * c.batch * c.in);
    if (c.lengths) lengths = random_lengths(2, c.batch, c.steps);
    if (c.tokens) {
      RandomStream stream(3, "test");
      index.resize(static_cast<std::size_t>(c.steps * c.batch));
      for (int& i : index) i = static_cast<int>(stream.integer(distinct));
      for (Index b = 0; b < c.batch && c.lengths; ++b)
        for (Index t = lengths[static_cast<std::size_t>(b)]; t < c.steps; ++t)
          index[static_cast<std::size_t>(t * c.batch + b)] = -1;
    }
    const Index states = c.layers * c.directions * c.batch * c.width;
    hidden = random_values<T>(4, states, 0.5);
    cell = random_values<T>(5, states, 0.5);
    d_hidden = random_values<T>(6, states);
    d_cell = random_values<T>(7, states);
    d_output = random_values<T>(8, c.steps * c.batch * c.directions * c.width);
  }

  SequenceInput<T> input() const {
    if (shape.tokens)
      return SequenceInput<T>::of_tokens(shape.steps, shape.batch, Matrix<const T>(x.data(), distinct, shape.in), index,
                                         lengths);
    return SequenceInput<T>::of(Cube<const T>(x.data(), shape.steps, shape.batch, shape.in), lengths);
  }

  std::vector<RecurrentState<T>> states(std::vector<T>& h, std::vector<T>& c) const {
    std::vector<RecurrentState<T>> all;
    const Index count = shape.batch * shape.width;
    for (Index i = 0; i < shape.layers * shape.directions; ++i)
      all.push_back(
          {Matrix<T>(h.data() + i * count, shape.batch, shape.width),
           shape.cell == Cell::lstm ? Matrix<T>(c.data() + i * count, shape.batch, shape.width) : Matrix<T>()});
    return all;
  }

  RecurrentStackTrace<T> forward(Bench& bench, std::span<const PreparedWeights<T>> prepared = {}) {
    std::vector<RecurrentState<T>> initial;
    if (shape.initial) initial = states(hidden, cell);
    return net.forward(bench.compute, input(), initial, {true, 9, 4}, prepared);
  }

  double loss(Bench& bench)
    requires std::is_same_v<T, double>
  {
    bench.arena.reset();
    const RecurrentStackTrace<T> trace = forward(bench);
    double sum = weighted_sum(d_output, trace.output().flat());
    const std::vector<RecurrentState<T>> weights = states(d_hidden, d_cell);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      sum += weighted_sum(weights[i].hidden.flat(), trace.last(i).hidden.flat());
      if (shape.cell == Cell::lstm) sum += weighted_sum(weights[i].cell.flat(), trace.last(i).cell.flat());
    }
    return sum;
  }

  struct Gradients {
    std::vector<T> output, x, hidden, cell, parameters;
  };
  Gradients backward(Bench& bench) {
    const RecurrentStackTrace<T> trace = forward(bench);
    Gradients g;
    g.output = copy_of(trace.output());
    SequenceGradient<T> dx;
    if (shape.tokens) dx.rows = bench.compute.zeros<T>(distinct, shape.in);
    else dx.dense = bench.compute.zeros<T>(shape.steps, shape.batch, shape.in);
    parameters.clear_gradients();
    const Cube<const T> dy(d_output.data(), shape.steps, shape.batch, shape.directions * shape.width);
    for (const RecurrentState<T>& d : net.backward(bench.compute, trace, dy, states(d_hidden, d_cell), dx)) {
      EXPECT_EQ(d.empty(), !shape.initial);
      if (d.empty()) continue;
      g.hidden.insert(g.hidden.end(), d.hidden.flat().begin(), d.hidden.flat().end());
      g.cell.insert(g.cell.end(), d.cell.flat().begin(), d.cell.flat().end());
    }
    g.x = shape.tokens ? copy_of(dx.rows) : copy_of(dx.dense);
    g.parameters = copy_of(parameters.gradients());
    return g;
  }
};

class RecurrentGradient : public ::testing::TestWithParam<Case> {};

TEST_P(RecurrentGradient, IsWhatCentralDifferencesSay) {
  Net<double> net(GetParam());
  Bench bench(2);
  const auto g = net.backward(bench);
  const auto loss = [&] { return net.loss(bench); };
  const GradientCheck check{.step = 1e-5, .tolerance = 1e-7, .at_most = 60};
  expect_gradient("x", net.x, g.x, loss, check);
  expect_parameter_gradients(net.parameters, loss, check);
  if (!GetParam().initial) return;
  expect_gradient("initial hidden", net.hidden, g.hidden, loss, check);
  if (GetParam().cell == Cell::lstm) expect_gradient("initial cell", net.cell, g.cell, loss, check);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RecurrentGradient,
                         ::testing::Values(Case{Cell::lstm, 1, 1, 1, 1, 1, 1, false, false, false},
                                           Case{Cell::lstm, 5, 3, 4, 6, 1, 1, false, false, true},
                                           Case{Cell::lstm, 6, 35, 3, 5, 1, 1, true, true, false},
                                           Case{Cell::lstm, 4, 3, 3, 5, 1, 2, true, true, true},
                                           Case{Cell::lstm, 5, 4, 3, 4, 2, 2, false, true, true},
                                           Case{Cell::lstm, 5, 4, 3, 4, 3, 2, true, true, false, 0.4},
                                           Case{Cell::gru, 1, 1, 1, 1, 1, 1, false, false, false},
                                           Case{Cell::gru, 5, 3, 4, 6, 1, 1, false, false, true},
                                           Case{Cell::gru, 6, 35, 3, 5, 1, 1, true, true, false},
                                           Case{Cell::gru, 5, 4, 3, 4, 2, 2, true, true, true, 0.3}));

// One thread, two or three: the same bits, forward and backward.
class RecurrentBits : public ::testing::TestWithParam<Case> {};

TEST_P(RecurrentBits, DoNotDependOnTheTeam) {
  const auto bits = [](const std::vector<float>& values) {
    std::vector<std::uint32_t> out;
    for (const float value : values) out.push_back(std::bit_cast<std::uint32_t>(value));
    return out;
  };
  Bench alone(1);
  Net<float> net(GetParam());
  const auto expected = net.backward(alone);
  for (const int threads : {2, 3}) {
    Bench bench(threads);
    const auto g = net.backward(bench);
    EXPECT_EQ(bits(g.output), bits(expected.output)) << threads;
    EXPECT_EQ(bits(g.x), bits(expected.x)) << threads;
    EXPECT_EQ(bits(g.hidden), bits(expected.hidden)) << threads;
    EXPECT_EQ(bits(g.cell), bits(expected.cell)) << threads;
    EXPECT_EQ(bits(g.parameters), bits(expected.parameters)) << threads;
  }
}

// Rows of a padded batch are what the examples are alone.
TEST_P(RecurrentBits, OfAPaddedRowAreThoseOfTheRowAlone) {
  Net<float> net(GetParam());
  Bench bench;
  const RecurrentStackTrace<float> trace = net.forward(bench);
  const Cube<float> output = trace.output();
  for (Index b = 0; b < GetParam().batch; b += 7) {
    Case alone = GetParam();
    alone.batch = 1;
    alone.lengths = false;
    if (GetParam().lengths) alone.steps = net.lengths[static_cast<std::size_t>(b)];
    for (Index t = alone.steps; t < GetParam().steps; ++t)
      for (Index j = 0; j < output.size(2); ++j) ASSERT_EQ(output(t, b, j), 0.0f);
    if (alone.steps == 0) continue;
    Net<float> one(alone);
    one.index.clear();
    for (Index t = 0; t < alone.steps; ++t) {
      const Index position = t * GetParam().batch + b;
      if (alone.tokens) one.index.push_back(net.index[static_cast<std::size_t>(position)]);
      else std::copy_n(net.x.data() + position * alone.in, alone.in, one.x.data() + t * alone.in);
    }
    if (alone.tokens) one.x = net.x;
    for (Index i = 0; i < alone.layers * alone.directions; ++i) {
      const Index from = (i * GetParam().batch + b) * alone.width;
      std::copy_n(net.hidden.data() + from, alone.width, one.hidden.data() + i * alone.width);
      std::copy_n(net.cell.data() + from, alone.width, one.cell.data() + i * alone.width);
    }
    Bench other;
    const RecurrentStackTrace<float> single = one.forward(other);
    for (Index t = 0; t < alone.steps; ++t)
      for (Index j = 0; j < output.size(2); ++j) ASSERT_EQ(output(t, b, j), single.output()(t, 0, j)) << t << " " << b;
    for (std::size_t i = 0; i < net.net.layers().size(); ++i)
      for (Index j = 0; j < alone.width; ++j)
        ASSERT_EQ(trace.last(i).hidden(b, j), single.last(i).hidden(0, j)) << i << " " << b;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RecurrentBits,
                         ::testing::Values(Case{Cell::lstm, 9, 133, 24, 40, 1, 1, true, false, false},
                                           Case{Cell::lstm, 7, 70, 17, 33, 2, 2, true, true, true},
                                           Case{Cell::lstm, 6, 64, 20, 130, 1, 2, false, true, false},
                                           Case{Cell::gru, 7, 70, 17, 33, 2, 2, true, true, true},
                                           Case{Cell::gru, 6, 64, 20, 30, 1, 1, false, false, true},
                                           // One block of rows alone, and products worth sharing.
                                           Case{Cell::lstm, 4, 28, 24, 160, 1, 1, false, true, true},
                                           Case{Cell::gru, 4, 28, 24, 160, 2, 1, true, false, false}));

// A steady step asks the system for no memory.
TEST(Recurrent, WeightsPreparedOnceServeEveryForward) {
  for (const bool tokens : {true, false}) {
    Net<float> net(Case{Cell::gru, 7, 40, 8, 16, 2, 2, tokens, true, true, 0.5});
    Bench bench;
    const auto prepared = net.net.prepare(bench.compute);
    const std::vector<float> plain = copy_of(net.forward(bench).output().flat());
    for (int times = 0; times < 2; ++times)
      EXPECT_EQ(copy_of(net.forward(bench, prepared).output().flat()), plain) << tokens;
    std::ranges::fill(net.parameters.values(), 0.0f);  // what was prepared is what is read
    EXPECT_EQ(copy_of(net.forward(bench, prepared).output().flat()), plain) << tokens;
  }
}

TEST(Recurrent, SettlesInItsArena) {
  Net<float> net(Case{Cell::lstm, 7, 40, 8, 16, 2, 2, true, true, true, 0.5});
  Bench bench;
  net.backward(bench);
  bench.arena.reset();
  net.backward(bench);
  const std::size_t blocks = bench.arena.blocks_requested();
  for (int step = 0; step < 3; ++step) {
    bench.arena.reset();
    net.backward(bench);
  }
  EXPECT_EQ(bench.arena.blocks_requested(), blocks);
}

TEST(Recurrent, NamesItsParametersAsPyTorchDoes) {
  ParameterSet<float> parameters;
  Recurrent<float>::declare(parameters, "encoder", {Cell::gru, 4, 8, 2, 2});
  std::vector<std::string> names;
  for (const Param<float>& parameter : parameters.all()) names.push_back(parameter.name);
  std::vector<std::string> expected;
  for (const std::string suffix : {"_l0", "_l0_reverse", "_l1", "_l1_reverse"})
    for (const std::string kind : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"})
      expected.push_back("encoder." + kind + suffix);
  EXPECT_EQ(names, expected);
  EXPECT_EQ(parameters.find("encoder.weight_ih_l1")->shape, (std::vector<Index>{24, 16}));
}

}  // namespace
}  // namespace fovea
