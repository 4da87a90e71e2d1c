// Kernels of layer normalisation of rows of floats, for the instruction set of the processor (room nn/simd). They
// write only the given arrays. nn/layer_norm.cpp alone calls them.
#pragma once

#include "fovea/math/view.h"

namespace fovea::layer_norm_rows {

// Of x (count, width): y, and the mean and inverse deviation of each row. The bias may be null: 0.
struct Forward {
  const float* x;
  Index count, width;
  const float *weight, *bias;
  float epsilon;
  float *y, *mean, *inverse_deviation;
};
void forward(const Forward& rows);

// Adds to dx (count, width), and to dw and db (width).
struct Backward {
  const float *x, *dy;
  Index count, width;
  const float *weight, *mean, *inverse_deviation;
  float *dx, *dw, *db;
};
void backward(const Backward& rows);

}  // namespace fovea::layer_norm_rows
