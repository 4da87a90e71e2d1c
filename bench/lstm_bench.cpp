// An LSTM layer at the shape of the copying experiments: forward, backward and weight gradients, counting
// only the operations that must be done, beside the rate of plain matrix products on the same core.
#include <benchmark/benchmark.h>

#include <vector>

#include "fovea/base/random.h"
#include "fovea/math/matmul.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/recurrent/recurrent_layer.h"

namespace fovea {
namespace {

constexpr Index batch = 128, steps = 41, width = 256, distinct = 42;

void count_operations(benchmark::State& state, double operations) {
  state.counters["GF/s"] =
      benchmark::Counter(operations * static_cast<double>(state.iterations()) * 1e-9, benchmark::Counter::kIsRate);
}

std::vector<float> random_floats(Index count) {
  RandomStream stream(1, "bench");
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(0.1 * stream.normal());
  return values;
}

// c (M,N) = a (M,K) b (K,N)
void product(benchmark::State& state) {
  const Index m = state.range(0), n = state.range(1), k = state.range(2);
  const std::vector<float> a = random_floats(m * k), b = random_floats(k * n);
  std::vector<float> c(static_cast<std::size_t>(m * n));
  for (auto _ : state) {
    matmul(plain(Matrix<const float>(a.data(), m, k)), plain(Matrix<const float>(b.data(), k, n)),
           Matrix<float>(c.data(), m, n));
    benchmark::ClobberMemory();
  }
  count_operations(state, 2.0 * static_cast<double>(m * n * k));
}
BENCHMARK(product)
    ->Args({512, 512, 512})
    ->Args({1024, 1024, 1024})
    ->Args({1024, 256, 5120})
    ->Args({5120, 1024, 256})
    ->Args({5120, 256, 1024});

void copying_layer(benchmark::State& state, Cell cell, bool tokens) {
  Arena arena;
  Team team(static_cast<int>(state.range(0)));
  Compute compute{arena, team};
  ParameterSet<float> parameters;
  const auto layer = RecurrentLayer<float>::declare(parameters, "", "_l0", cell, Direction::forward, width, width);
  parameters.finish();
  parameters.initialise(1);
  const Index inputs = tokens ? distinct : steps * batch;
  const std::vector<float> x = random_floats(inputs * width), dy = random_floats(steps * batch * width);
  std::vector<int> index(static_cast<std::size_t>(steps * batch));
  RandomStream stream(2, "bench");
  for (int& i : index) i = static_cast<int>(stream.integer(static_cast<std::uint64_t>(distinct)));
  const auto input =
      tokens ? SequenceInput<float>::of_tokens(steps, batch, Matrix<const float>(x.data(), distinct, width), index)
             : SequenceInput<float>::of(Cube<const float>(x.data(), steps, batch, width));

  for (auto _ : state) {
    arena.reset();
    const RecurrentTrace<float> trace = layer.forward(compute, input);
    SequenceGradient<float> dx;
    if (tokens) dx.rows = compute.zeros<float>(inputs, width);
    else dx.dense = compute.zeros<float>(steps, batch, width);
    layer.backward(compute, trace, Cube<const float>(dy.data(), steps, batch, width), {}, dx);
  }
  // Three products each of the recurrent weights, at all steps but the first, and of the input weights.
  const Index gates = cell == Cell::lstm ? 4 : 3;
  count_operations(state, 6.0 * static_cast<double>(gates * width * width * ((steps - 1) * batch + inputs)));
}
BENCHMARK_CAPTURE(copying_layer, lstm_tokens, Cell::lstm, true)->Arg(1)->Arg(2);
BENCHMARK_CAPTURE(copying_layer, lstm_dense, Cell::lstm, false)->Arg(1)->Arg(2);
BENCHMARK_CAPTURE(copying_layer, gru_tokens, Cell::gru, true)->Arg(1)->Arg(2);

}  // namespace
}  // namespace fovea
