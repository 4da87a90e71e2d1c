// Products of the shapes the models make, packed against general and (where the build finds it) oneDNN's, and the
// vector functions, on one thread. GF/s and elements per second stand in the counters; FOVEA_SIMD caps the instruction
// set.
#include <benchmark/benchmark.h>

#include <vector>

#include "fovea/base/arena.h"
#include "fovea/base/random.h"
#include "fovea/math/matmul.h"
#include "fovea/math/packed.h"
#include "fovea/math/vector_math.h"

#ifdef FOVEA_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace fovea {
namespace {

std::vector<float> normals(Index count) {
  RandomStream random(1, "math-bench");
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& x : values) x = static_cast<float>(random.normal());
  return values;
}

// Arguments: M, K, N, and whether a is stored transposed.
struct Product {
  Index m, k, n;
  std::vector<float> a, b, c;
  Operand<float> left, right;

  explicit Product(const benchmark::State& state)
      : m(state.range(0)),
        k(state.range(1)),
        n(state.range(2)),
        a(normals(m * k)),
        b(normals(k * n)),
        c(static_cast<std::size_t>(m * n)),
        left(state.range(3) != 0 ? transposed(Matrix<float>(a.data(), k, m)) : plain(Matrix<float>(a.data(), m, k))),
        right(plain(Matrix<float>(b.data(), k, n))) {}

  Matrix<float> result() { return Matrix<float>(c.data(), m, n); }
  void count(benchmark::State& state) const {
    const double operations = 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
    state.counters["GF/s"] = benchmark::Counter(operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  }
};

void general_product(benchmark::State& state) {
  Product p(state);
  for (auto _ : state) {
    matmul(p.left, p.right, p.result());
    benchmark::DoNotOptimize(p.c.data());
  }
  p.count(state);
}

void packed_product(benchmark::State& state) {
  Product p(state);
  Arena arena;
  const PackedMatrix<float> panels = pack(arena, Products::full, p.right);
  for (auto _ : state) {
    matmul_packed(p.left, panels, p.result());
    benchmark::DoNotOptimize(p.c.data());
  }
  p.count(state);
}

#ifdef FOVEA_ONEDNN
void onednn_product(benchmark::State& state) {
  Product p(state);
  const auto letter = [](const Operand<float>& x) { return x.transposed ? 'T' : 'N'; };
  for (auto _ : state) {
    dnnl_sgemm(letter(p.left), letter(p.right), p.m, p.n, p.k, 1.0f, p.left.data, p.left.stride, p.right.data,
               p.right.stride, 0.0f, p.c.data(), p.n);
    benchmark::DoNotOptimize(p.c.data());
  }
  p.count(state);
}
#endif

void packing(benchmark::State& state) {
  const Product p(state);
  Arena arena;
  for (auto _ : state) {
    arena.reset();
    benchmark::DoNotOptimize(pack(arena, Products::full, p.right).panels);
  }
  state.SetItemsProcessed(state.iterations() * p.k * p.n);
}

void our_shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"M", "K", "N", "transposed"});
  for (const Index rows : {1, 16, 32, 64, 128}) {
    b->Args({rows, 256, 1024, 0});  // the four gates at one time step
    b->Args({rows, 1024, 256, 0});  // and back
  }
  b->Args({32, 64, 256, 0});
  b->Args({5248, 256, 1024, 0});  // all time steps at once
  b->Args({1024, 5248, 256, 1});  // a weight gradient
  b->Args({1024, 1024, 1024, 0});
  b->Args({41, 256, 41, 0});  // the scores of an example, and its contexts
  b->Args({41, 41, 256, 0});
}
BENCHMARK(general_product)->Apply(our_shapes);
BENCHMARK(packed_product)->Apply(our_shapes);
#ifdef FOVEA_ONEDNN
BENCHMARK(onednn_product)->Apply(our_shapes);
#endif
BENCHMARK(packing)->ArgNames({"M", "K", "N", "transposed"})->Args({1, 256, 1024, 0})->Args({1, 1024, 256, 0});

template <void (*Function)(std::span<const float>, std::span<float>)>
void elementwise(benchmark::State& state) {
  const std::vector<float> in = normals(state.range(0));
  std::vector<float> out(in.size());
  for (auto _ : state) {
    Function(in, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetLabel(simd_target());
}
BENCHMARK(elementwise<&exp>)->Name("exp")->Arg(40)->Arg(4096);
BENCHMARK(elementwise<&tanh>)->Name("tanh")->Arg(40)->Arg(4096);
BENCHMARK(elementwise<&sigmoid>)->Name("sigmoid")->Arg(40)->Arg(4096);
BENCHMARK(elementwise<&softmax>)->Name("softmax")->Arg(20)->Arg(40)->Arg(250)->Arg(4096);

}  // namespace
}  // namespace fovea
