// Layers whose work is no product: the optimiser, softmax over what is present, the loss over words; and attention of
// a decoder over its sources. Argument: threads.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/nn/attention/attention.h"
#include "fovea/nn/attention/cross_attention.h"
#include "fovea/nn/loss.h"
#include "fovea/nn/optimizer/optimizer.h"

namespace fovea {
namespace {

std::vector<float> normals(Index count) {
  RandomStream stream(1, "nn-bench");
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& x : values) x = static_cast<float>(stream.normal());
  return values;
}

// Parameters of the copying model (1.4 million), and of the translation model (11 million), which no cache holds.
void optimizer_step(benchmark::State& state, const std::string& name) {
  const Index count = state.range(1);
  ParameterSet<float> parameters;
  parameters.add("weight", {count}, Init::uniform(0.1));
  parameters.finish();
  parameters.initialise(1);
  const std::vector<float> gradient = normals(count);
  std::copy(gradient.begin(), gradient.end(), parameters.gradients().begin());
  const std::unique_ptr<UpdateRule> rule = Registry<UpdateRule>::instance().make(name, "optimizer");
  Optimizer<float> optimizer(parameters, *rule);
  Team team(static_cast<int>(state.range(0)));
  for (auto _ : state) optimizer.step(team, 1e-6);
  state.SetItemsProcessed(state.iterations() * count);
  const std::int64_t floats = 3 + 2 * rule->moments();  // read: w, g, moments; written: w, moments
  state.SetBytesProcessed(state.iterations() * count * floats * 4);
}
BENCHMARK_CAPTURE(optimizer_step, adam, "adam")
    ->ArgNames({"threads", "parameters"})
    ->ArgsProduct({{1, 2}, {1'400'000, 11'000'000}})
    ->UseRealTime();
BENCHMARK_CAPTURE(optimizer_step, sgd, "sgd")->ArgNames({"threads", "parameters"})->Args({1, 1'400'000})->UseRealTime();

// Attention rows of copying: 128 examples of 41 rows over 41 positions; and of long texts, one row each.
void softmax_rows(benchmark::State& state) {
  const Index batch = state.range(0), rows = state.range(1), positions = state.range(2);
  const std::vector<float> scores = normals(batch * rows * positions);
  const std::vector<int> lengths(static_cast<std::size_t>(batch), static_cast<int>(positions) - 1);
  Arena arena;
  Team team;
  const auto attention = Attention<float>::make({arena, team}, batch, rows, positions, lengths, {});
  for (auto _ : state) {
    std::copy(scores.begin(), scores.end(), attention.weights.data());
    attention.weigh(team);
    benchmark::DoNotOptimize(attention.weights.data());
  }
  state.SetItemsProcessed(state.iterations() * batch * rows * positions);
}
BENCHMARK(softmax_rows)->ArgNames({"B", "T", "S"})->Args({128, 41, 41})->Args({32, 1, 250});

void word_loss(benchmark::State& state) {
  const Index rows = state.range(0), words = state.range(1);
  const std::vector<float> logits = normals(rows * words);
  std::vector<float> gradient(logits.size());
  const std::vector<int> answers(static_cast<std::size_t>(rows), 3);
  Arena arena;
  Team team;
  Compute compute{arena, team};
  for (auto _ : state) {
    arena.reset();
    benchmark::DoNotOptimize(cross_entropy<float>(compute, Matrix<const float>(logits.data(), rows, words), answers,
                                                  Matrix<float>(gradient.data(), rows, words)));
  }
  state.SetItemsProcessed(state.iterations() * rows * words);
}
BENCHMARK(word_loss)->ArgNames({"rows", "words"})->Args({5248, 42})->Args({240, 8000});

// Forward and backward at the shape of copying.
void decoder_attention(benchmark::State& state) {
  const Index batch = 128, steps = 41, width = 256;
  Arena arena;
  Team team(static_cast<int>(state.range(0)));
  Compute compute{arena, team};
  ParameterSet<float> parameters;
  const auto attention = CrossAttention<float>::declare(parameters, "attention", width, width);
  parameters.finish();
  parameters.initialise(1);
  const std::vector<float> d = normals(steps * batch * width), e = normals(steps * batch * width);
  const std::vector<int> lengths(static_cast<std::size_t>(batch), static_cast<int>(steps));
  const Cube<const float> targets(d.data(), steps, batch, width), sources(e.data(), steps, batch, width);
  for (auto _ : state) {
    arena.reset();
    CrossAttention<float>::Trace trace;
    const Cube<float> context = attention.forward(compute, targets, sources, lengths, {}, {}, trace);
    const Cube<float> d_targets = compute.zeros<float>(steps, batch, width);
    const Cube<float> d_sources = compute.zeros<float>(steps, batch, width);
    attention.backward(compute, trace, context, d_targets, d_sources);
  }
  const double operations = static_cast<double>(batch) * (6.0 * steps * width * width + 12.0 * steps * steps * width);
  state.counters["GF/s"] = benchmark::Counter(operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(decoder_attention)->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace fovea
