// The loops of an optimiser step, for the instruction set of the processor (room nn/simd). nn/optimizer (adam.cpp,
// sgd.cpp, optimizer.cpp) calls them. They change weights and moments. Every array is a whole number of 64-byte
// lines, so no loop has a tail. Number by number, w the weight, d its gradient:
//
//   adam   g = gradient_scale d + decay w
//          m ← m + (1 - beta1) (g - m)      v ← beta2 v + (1 - beta2) g²
//          w ← keep w - step m / (root_scale √v + epsilon)
//   sgd    g = gradient_scale d + decay w   u ← momentum u + g      w ← w - rate u      (u = g without a velocity)
//
// What they are made of: nn/optimizer/sgd.cpp and adam.cpp.
#pragma once

#include <cstddef>

namespace fovea::optimizer_kernels {

template <class T>
struct Adam {
  T step;        // rate / (1 - beta1^t)
  T root_scale;  // 1 / sqrt(1 - beta2^t)
  T beta1, beta2, epsilon;
  T decay;  // added to the gradient: decay * weight
  T keep;   // the weights' factor: 1 - rate * weight decay of adamw
  T gradient_scale;
};

// weights, first and second moments (n); n * sizeof(T) a multiple of 64. Returns the sum of the gradient's squares.
double adam(const Adam<float>& a, const float* gradient, float* weight, float* first, float* second, std::size_t n);
double adam(const Adam<double>& a, const double* gradient, double* weight, double* first, double* second,
            std::size_t n);

template <class T>
struct Sgd {
  T rate, momentum, decay, gradient_scale;
};

// `velocity` is nullptr without momentum. Returns the sum of the gradient's squares.
double sgd(const Sgd<float>& s, const float* gradient, float* weight, float* velocity, std::size_t n);
double sgd(const Sgd<double>& s, const double* gradient, double* weight, double* velocity, std::size_t n);

// In double, by eight running sums whatever the processor.
double sum_of_squares(const float* x, std::size_t n);
double sum_of_squares(const double* x, std::size_t n);

}  // namespace fovea::optimizer_kernels
