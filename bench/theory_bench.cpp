// Gradient descent of the toy systems as theory/ runs it: a whole course in one call. Items are steps.
#include <benchmark/benchmark.h>

#include <vector>

#include "fovea/base/random.h"
#include "fovea/theory/toy_gate.h"
#include "fovea/theory/unigram_gate.h"

namespace fovea {
namespace {

constexpr std::int64_t steps = 100'000;

void toy_gate_course(benchmark::State& state, ToyVariant variant) {
  for (auto _ : state) benchmark::DoNotOptimize(toy_descent(variant, {0, 0, 0.5}, 1e-9, steps));
  state.SetItemsProcessed(state.iterations() * steps);
}
BENCHMARK_CAPTURE(toy_gate_course, linear, ToyVariant{});
BENCHMARK_CAPTURE(toy_gate_course, logistic, (ToyVariant{ToyVariant::Gate::linear, ToyVariant::Loss::logistic}));

// 32 sequences of 20 words of 50, as the system unigram-gate has them, the same at every step.
void unigram_gate_course(benchmark::State& state) {
  constexpr int vocab = 50, length = 20, sequences = 32;
  constexpr std::int64_t few = steps / 100;
  LabelledBags bags(vocab);
  RandomStream stream(1, "theory-bench");
  std::vector<int> words(length);
  for (int i = 0; i < sequences; ++i) {
    for (int& word : words) word = static_cast<int>(stream.integer(vocab));
    bags.add(words, i % 2);
  }
  for (auto _ : state) benchmark::DoNotOptimize(unigram_descent(bags, FlowState(2 * vocab, 0.0), 0.01, few));
  state.SetItemsProcessed(state.iterations() * few);
}
BENCHMARK(unigram_gate_course);

}  // namespace
}  // namespace fovea
