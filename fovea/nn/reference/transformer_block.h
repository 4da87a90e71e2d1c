// Reference equations of the transformer block (room nn/reference). Only tests call them, to check
// nn/attention/transformer_block.h.
//
// One block of a transformer over one stream of T positions, h (T,d) in and out, with H heads. LN is layer
// normalisation, or the identity without norms:
//
//   u = LN1(h)                                  u (T,d)
//   q, k, v = Q u + b_q, K u + b_k, W u + b_v   heads side by side: head h has columns h K to (h+1) K - 1 of q and k
//   q, k = q, k turned by their positions       with rotary positions, each head by itself
//   y = self-attention(q, k, v)                 each head by itself
//   y = y ⊙ σ(g), g = G u + b_g                 only with a gate
//   h' = h + O y + b_o
//   a = U LN2(h') + b_u        g = gelu(a) or max(a, 0)        out = h' + D g + b_d       without an MLP out = h'
//
// Without Q (or K) every head's queries (or keys) are u itself, and K = d.
//
// Backward, from d_out:
//
//   dh' = d_out + LN2'(Uᵀ da)        da = f'(a) Dᵀ d_out
//   dg = dy ⊙ y σ'(g), dy = dy ⊙ σ(g)   of dy = Oᵀ dh'
//   dy                               dq, dk, dv, dr by self-attention, dq and dk turned back
//   dh = dh' + LN1'(Qᵀ dq + Kᵀ dk + Wᵀ dv)
//
// LN' is layer normalisation's backward. The gradient of a weight is that of its affine map.
#pragma once

#include <vector>

#include "fovea/nn/reference/layer_norm.h"
#include "fovea/nn/reference/linear.h"
#include "fovea/nn/reference/self_attention.h"

namespace fovea::reference {

struct TransformerBlock {  // or its gradients; what has no weight is left out
  LayerNorm norm1, norm2;
  Linear query, key, value, gate, output;
  Array<2> relative;  // r (T, H K), heads side by side
  Array<1> sinks;     // z (H); of size 0: of no weighting sink
  Linear up, down;
};

struct BlockForm {
  std::vector<Head> heads;
  bool rotary = false, relu = false;
};

// What a forward used and gave.
struct BlockPass {
  Array<2> h, u;
  std::vector<HeadInput> inputs;  // of each head, turned
  std::vector<HeadOutput> outputs;
  Array<2> ungated, gates;                              // y before the gate, and σ(g)
  Array<2> y, between, normalised, before, after, out;  // y, h', LN2(h'), a, g, out
};

BlockPass transformer_block(const TransformerBlock& block, const BlockForm& form, const Array<2>& h);

// -> dh (T,d). Adds into d_block.
Array<2> transformer_block_backward(const TransformerBlock& block, const BlockForm& form, const BlockPass& pass,
                                    const Array<2>& d_out, TransformerBlock& d_block);

}  // namespace fovea::reference
