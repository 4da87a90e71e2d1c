// One block of a transformer: self-attention of several heads, then an MLP (room nn/attention). It writes only its
// outputs and gradients. The model `transformer` has one for each layer. Each part reads a norm of its own, and its
// output is added to its input. Rows h of width d in, rows out of width d out: D rows are read and G given
// (nn/stream_rows.h). LN is layer normalisation (nn/layer_norm.h), or the identity without norms:
//
//   u   = LN1(h)                                   (D, d)
//   h'  = h + multi-head attention of u            (G, d)       attention/multi_head.h, h its residual
//   a   = U LN2(h') + b_u                          (G, M)       M the MLP's width; without an MLP out = h'
//   g   = gelu(a) or max(a, 0)
//   out = h' + D g + b_d                           (G, d)
//
// Backward, from d_out (G,d):
//
//   dD += d_outᵀ g      db_d += Σ d_out            da = f'(a) (d_out D)         f gelu or max
//   dU += daᵀ LN2(h')   db_u += Σ da               dh' = d_out + LN2'(da U)     LN' the backward of LN
//   du of dh' by multi-head attention              dh  = dh' + LN1'(du)
#pragma once

#include <string>

#include "fovea/nn/attention/multi_head.h"
#include "fovea/nn/layer_norm.h"

namespace fovea {

enum class MlpActivation { gelu, relu };

struct BlockSettings {
  MultiHeadSettings attention;
  bool norms = true;
  Index mlp_width = 0;  // M; 0: no MLP
  MlpActivation activation = MlpActivation::gelu;
  PartStart up, down;
};

template <class T>
struct TransformerBlock {
  LayerNorm<T> norm1, norm2;  // without a weight: the identity
  MultiHead<T> attention;
  Linear<T> up, down;  // U, D; without a weight: no MLP
  MlpActivation activation = MlpActivation::gelu;

  // Adds PREFIX.norm1, those of the attention, PREFIX.norm2, PREFIX.mlp.0 and PREFIX.mlp.2, those that there are.
  static TransformerBlock declare(ParameterSet<T>& parameters, const std::string& prefix,
                                  const BlockSettings& settings);

  struct Trace {
    typename LayerNorm<T>::Trace norm1, norm2;
    typename MultiHead<T>::Trace attention;
    Matrix<const T> mlp_input;           // LN2(h')
    Matrix<T> before, gelu_tanh, after;  // a, what gelu's backward needs beside it, g
  };

  Matrix<T> forward(Compute& compute, const StreamPass& pass, Matrix<const T> h, Trace& trace) const;

  // d_out -> dh (D,d), empty where it is not wanted. Uses d_out up. Gradients that lead to nothing are not made.
  Matrix<T> backward(Compute& compute, const Trace& trace, Matrix<T> d_out, bool wants_input,
                     const typename MultiHead<T>::Extras& extras) const;

 private:
  Matrix<T> mlp_forward(Compute& compute, Matrix<const T> h, Keep keep, Trace& trace) const;
  void mlp_backward(Compute& compute, const Trace& trace, Matrix<T> d) const;
};

}  // namespace fovea
