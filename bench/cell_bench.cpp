// A training step of one LSTM layer, ours and (where the build finds it) oneDNN's: forward, backward and the gradients
// of weights and input, of dense vectors, so that both do the same. They are compared before they are timed.
//
// Argument: threads. GF/s count the operations of the products that must be done.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/nn/recurrent/recurrent_layer.h"

#ifdef FOVEA_ONEDNN
#include "bench/peers/onednn_lstm.h"
#endif

namespace fovea {
namespace {

struct Shape {
  Index steps, batch, in, width;
};
constexpr Shape copying{41, 128, 256, 256}, text{200, 32, 300, 256}, keyword{20, 32, 64, 64};

std::vector<float> normals(Index count, std::uint64_t seed) {
  RandomStream stream(seed, "cell-bench");
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& x : values) x = static_cast<float>(0.1 * stream.normal());
  return values;
}

// Our layer, and what goes in from both ends.
struct Layer {
  Shape shape;
  Arena arena;
  Team team;
  Compute compute{arena, team};
  ParameterSet<float> parameters;
  RecurrentLayer<float> layer;
  std::vector<float> x, dh;
  Cube<float> h, dx;

  Layer(const Shape& of, int threads)
      : shape(of),
        team(threads),
        layer(RecurrentLayer<float>::declare(parameters, "", "_l0", Cell::lstm, Direction::forward, of.in, of.width)),
        x(normals(of.steps * of.batch * of.in, 1)),
        dh(normals(of.steps * of.batch * of.width, 2)) {
    parameters.finish();
    parameters.initialise(1);
  }

  void step() {
    arena.reset();
    parameters.clear_gradients();
    const Cube<const float> in(x.data(), shape.steps, shape.batch, shape.in);
    const RecurrentTrace<float> trace = layer.forward(compute, SequenceInput<float>::of(in));
    h = trace.output();
    dx = compute.zeros<float>(shape.steps, shape.batch, shape.in);
    layer.backward(compute, trace, Cube<const float>(dh.data(), shape.steps, shape.batch, shape.width), {}, {dx, {}});
  }

  double operations() const {
    const double gates = 4 * static_cast<double>(shape.width), rows = static_cast<double>(shape.batch);
    return 6 * gates * rows *
           (static_cast<double>(shape.in * shape.steps) + static_cast<double>(shape.width * (shape.steps - 1)));
  }
};

void count(benchmark::State& state, const Layer& layer) {
  state.counters["GF/s"] = benchmark::Counter(layer.operations() * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void fovea_lstm(benchmark::State& state, const Shape& shape) {
  Layer layer(shape, static_cast<int>(state.range(0)));
  for (auto _ : state) layer.step();
  count(state, layer);
}

#ifdef FOVEA_ONEDNN
bool alike(std::span<const float> a, std::span<const float> b) {
  float most = 0, apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(a[i]));
    apart = std::max(apart, std::abs(a[i] - b[i]));
  }
  return a.size() == b.size() && apart <= 1e-4f * most;
}

void onednn_lstm(benchmark::State& state, const Shape& shape) {
  Layer ours(shape, 1);
  const auto& all = ours.parameters.all();  // weight_ih, weight_hh, bias_ih, bias_hh
  std::vector<float> bias(all[2].values().begin(), all[2].values().end());
  for (std::size_t i = 0; i < bias.size(); ++i) bias[i] += all[3].value[i];
  peers::OnednnLstm peer(static_cast<int>(state.range(0)), shape.steps, shape.batch, shape.in, shape.width);
  const auto step = [&] {
    const std::span<const float> h = peer.forward(ours.x.data(), all[0].value, all[1].value, bias.data());
    peer.backward(ours.dh.data());
    return h;
  };
  ours.step();
  const std::vector<float> h(ours.h.flat().begin(), ours.h.flat().end());
  if (!alike(h, step()) || !alike(ours.dx.flat(), peer.d_input()) || !alike(all[0].gradients(), peer.d_weight_ih()) ||
      !alike(all[1].gradients(), peer.d_weight_hh()) || !alike(all[2].gradients(), peer.d_bias())) {
    state.SkipWithError("oneDNN does not compute what Fovea computes");
    return;
  }
  for (auto _ : state) step();
  count(state, ours);
}
#endif

#ifdef FOVEA_ONEDNN
#define BOTH(shape)                                                           \
  BENCHMARK_CAPTURE(fovea_lstm, shape, shape)->Arg(1)->Arg(2)->UseRealTime(); \
  BENCHMARK_CAPTURE(onednn_lstm, shape, shape)->Arg(1)->Arg(2)->UseRealTime()
#else
#define BOTH(shape) BENCHMARK_CAPTURE(fovea_lstm, shape, shape)->Arg(1)->Arg(2)->UseRealTime()
#endif
BOTH(copying);
BOTH(text);
BOTH(keyword);

}  // namespace
}  // namespace fovea
