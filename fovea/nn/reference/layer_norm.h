// Reference equations of layer normalisation (room nn/reference). transformer_block.h of this room and tests call
// them, to check nn/layer_norm.h.
//
// Layer normalisation, as PyTorch's nn.LayerNorm computes it. Each row x_n (C) of x (N,C) by itself:
//
//   μ = 1/C Σ_c x_nc       v = 1/C Σ_c (x_nc - μ)²       k = 1/√(v + ε)
//   x̂_nc = (x_nc - μ) k    y_nc = w_c x̂_nc + b_c
//
// Backward, from dy (N,C), row by row:
//
//   db_c += Σ_n dy_nc      dw_c += Σ_n dy_nc x̂_nc        dx̂_nc = dy_nc w_c
//   dk = Σ_c dx̂_nc (x_nc - μ)                            dv = -½ k³ dk
//   dμ = -k Σ_c dx̂_nc      dx_nc = dx̂_nc k + 2/C (x_nc - μ) dv + dμ/C
//
// dv does not reach μ: the differences x_nc - μ sum to 0.
#pragma once

#include "fovea/nn/reference/array.h"

namespace fovea::reference {

struct LayerNorm {        // or its gradients
  double epsilon = 1e-5;  // ε
  Array<1> weight;        // w (C)
  Array<1> bias;          // b (C); of size 0: no bias
};

Array<2> layer_norm(const LayerNorm& norm, const Array<2>& x);

// -> dx (N,C). Adds into the weight and bias of d_norm.
Array<2> layer_norm_backward(const LayerNorm& norm, const Array<2>& x, const Array<2>& dy, LayerNorm& d_norm);

}  // namespace fovea::reference
