// Attention pooling, forward alone and with its gradient, by similarity. Arguments: threads, points (keys and as many
// queries). Items are similarities: keys times queries.
#include <benchmark/benchmark.h>

#include "fovea/data/draw.h"
#include "fovea/model/items/pooling.h"

namespace fovea {
namespace {

void pooling(benchmark::State& state, const char* similarity, bool gradient) {
  const int points = static_cast<int>(state.range(1)), width = 16;
  const std::unique_ptr<Task> task = Registry<Task>::instance().make("curve", "task");
  Fields task_fields, model_fields;
  task->settings(task_fields);
  task_fields.read({{"points", {std::int64_t{points}, {}}}, {"width", {std::int64_t{width}, {}}}}, "task");
  task->prepare(1);
  Pooling<float> model;
  model.settings(model_fields);
  model_fields.read({{"similarity", {std::string(similarity), {}}}, {"train_on", {std::string("queries"), {}}}},
                    "model");
  ParameterSet<float> parameters;
  model.build(task->shape(), parameters);
  parameters.finish();
  parameters.initialise(1);
  Batch batch;
  task->batch(Split::train, 0, 1, batch);
  Arena arena;
  Team team(static_cast<int>(state.range(0)));
  Compute compute{arena, team};
  for (auto _ : state) {
    arena.reset();
    const Trace<float> trace = model.forward(compute, batch, {true, 1, 0});
    benchmark::DoNotOptimize(trace.loss);
    if (gradient) model.backward(compute, trace);
  }
  state.SetItemsProcessed(state.iterations() * points * points);
  state.counters["arena MB"] = static_cast<double>(arena.peak_bytes()) * 1e-6;
}

void sizes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"threads", "points"})->ArgsProduct({{1, 2}, {2000}})->UseRealTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(pooling, gaussian, "gaussian-learned", false)->Apply(sizes);
BENCHMARK_CAPTURE(pooling, gaussian_gradient, "gaussian-learned", true)->Apply(sizes);
BENCHMARK_CAPTURE(pooling, general, "general", false)->Apply(sizes);
BENCHMARK_CAPTURE(pooling, general_gradient, "general", true)->Apply(sizes);
BENCHMARK_CAPTURE(pooling, additive_gradient, "additive", true)->Apply(sizes);
BENCHMARK_CAPTURE(pooling, epanechnikov, "epanechnikov", false)->Apply(sizes);

}  // namespace
}  // namespace fovea
