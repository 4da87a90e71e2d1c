// exp, tanh, sigmoid, softmax, dot and sums over arrays, vectorised for the processor (Highway) (room math). Layers,
// models and probes call them. `out` may be the same array as `in`. Float versions are within 4 units in the last
// place of the double-precision truth over the whole range (subnormals, infinities; NaN in gives NaN out). Tests
// measure it. Double versions use the C library.
#pragma once

#include <span>

#include "fovea/math/view.h"

namespace fovea {

void exp(std::span<const float> in, std::span<float> out);
void exp(std::span<const double> in, std::span<double> out);
void tanh(std::span<const float> in, std::span<float> out);
void tanh(std::span<const double> in, std::span<double> out);
void sigmoid(std::span<const float> in, std::span<float> out);
void sigmoid(std::span<const double> in, std::span<double> out);

// One row. Entries equal to -infinity get weight 0; a row that is empty or all -infinity gets all 0 (attention over
// nothing is nothing). NaN anywhere makes the row NaN.
void softmax(std::span<const float> in, std::span<float> out);
void softmax(std::span<const double> in, std::span<double> out);

// log of the sum of exp; -infinity for an empty or all -infinity row. Never overflows.
float log_sum_exp(std::span<const float> in);
double log_sum_exp(std::span<const double> in);

float dot(std::span<const float> a, std::span<const float> b);
double dot(std::span<const double> a, std::span<const double> b);
void add_scaled(float scale, std::span<const float> in, std::span<float> out);  // out += scale * in
void add_scaled(double scale, std::span<const double> in, std::span<double> out);

// The instruction set the float functions run on ("AVX3", "AVX2", …). FOVEA_SIMD=avx2 (or sse4, …) caps it.
const char* simd_target();

}  // namespace fovea
