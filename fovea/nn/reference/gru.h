// Reference equations of the GRU (room nn/reference). Only tests call them, to check nn/simd/gru.h and nn/recurrent.
//
// The GRU, as PyTorch's nn.GRU computes it. I numbers come in, H units; x and h are of one step, h' of the step
// before.
//
//   r = σ(W_r x + b_r + U_r h' + b'_r)         how much of the past the candidate reads   (H)
//   z = σ(W_z x + b_z + U_z h' + b'_z)         how much of the past stays                 (H)
//   q = U_n h' + b'_n                          the past, as the candidate would read it   (H)
//   n = tanh(W_n x + b_n + r q)                the candidate                              (H)
//   h = (1 - z) n + z h'
//
// W (3H,I), U (3H,H), b and b' (3H), gates in the order r, z, n; products of two vectors are taken unit by unit. r is
// applied to q with its bias, after the product with U_n.
//
// Backward: dh is the gradient of the loss with respect to h, as far as whatever came after read it.
//
//   dn = dh (1 - z)             dz = dh (h' - n)            dh' = dh z
//   da_n = dn (1 - n²)          dq = da_n r                 dr = da_n q
//   da_r = dr r (1 - r)         da_z = dz z (1 - z)
//   du = (da_r, da_z, da_n)     dx = Wᵀ du                  dW += du xᵀ      db += du
//   dv = (da_r, da_z, dq)       dh' += Uᵀ dv                dU += dv h'ᵀ     db' += dv
//
// with a the arguments of σ and tanh.
#pragma once

#include <vector>

#include "fovea/nn/reference/recurrent_weights.h"

namespace fovea::reference {

// What a step read and computed: all that backward needs.
struct GruStep {
  Array<1> x;              // (I)
  Array<1> h_before;       // (H)
  Array<1> r, z, q, n, h;  // (H)
};

GruStep gru_step(const RecurrentWeights& w, const Array<1>& x, const Array<1>& h_before);

// dh (H): in: gradient of h; out: of h'. Adds into dw and dx (I).
void gru_step_backward(const RecurrentWeights& w, const GruStep& step, Array<1>& dh, RecurrentWeights& dw,
                       Array<1>& dx);

// One sequence x (T,I) from the state h (H).
std::vector<GruStep> gru(const RecurrentWeights& w, const Array<2>& x, const Array<1>& h);

// d_output (T,H): gradients of the h of each step. dh (H): in: of the last state; out: of the first. Adds into dw and
// dx (T,I).
void gru_backward(const RecurrentWeights& w, const std::vector<GruStep>& steps, const Array<2>& d_output, Array<1>& dh,
                  RecurrentWeights& dw, Array<2>& dx);

}  // namespace fovea::reference
