// Combiner: a decoder's output at a position, from its own state and the contexts of K heads (room nn/attention). It
// writes only its outputs and gradients. The model `seq2seq` alone has it. N positions; Hc = Hd. Forward:
//
//   c_n = 1/K Σ_h (P_h x_hn + b_h)       x_h (N,He) the context of head h, P_h (Hc,He), b_h (Hc)
//   o_n = f(U_d d_n + U_c c_n + b)       d (N,Hd), U = [U_d, U_c] (Hd, Hd + Hc), b (Hd) or none, f tanh or ReLU; no
//                                        heads: without U_c c
//
// Backward, from do (N,Hd), with z = U_d d + U_c c + b:
//
//   dz_n   = do_n ⊙ f'(z_n)              dU_d = Σ_n dz_n d_nᵀ          dU_c = Σ_n dz_n c_nᵀ      db = Σ_n dz_n
//   dd_n   = U_dᵀ dz_n                   dc_n = U_cᵀ dz_n
//   dP_h   = 1/K Σ_n dc_n x_hnᵀ          db_h = 1/K Σ_n dc_n           dx_hn = 1/K P_hᵀ dc_n
//
// P and U meet in a product of parameters, so U_c P_h is folded once a step and no position sees P.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/nn/activation.h"
#include "fovea/nn/linear.h"

namespace fovea {

template <class T>
struct Combiner {
  Activation activation;
  std::vector<Linear<T>> contexts;  // P_h (Hc,He), b_h (Hc); none: o = f(U d + b)
  Linear<T> combine;                // U (Hd, Hd + Hc), b (Hd) or none

  // Declares a context layer under each name of `heads`, and one layer under "combine".
  static Combiner declare(ParameterSet<T>& parameters, std::span<const std::string> heads, Index state_width,
                          Index source_width, Activation activation, Bias bias);

  // What parameters alone tell.
  struct Folded {
    std::span<Matrix<T>> contexts;  // U_c P_h / heads (Hd,He)
    Vector<T> shift;                // U_c mean b_h + b (Hd); empty where both are 0
  };
  Folded fold(Compute& compute) const;

  struct Trace {
    Matrix<const T> states;                     // d (N,Hd)
    std::span<const Matrix<const T>> contexts;  // context_h (N,He)
    Folded folded;
    Matrix<T> output;  // o (N,Hd)
  };

  // d (N,Hd), one context (N,He) a head -> o (N,Hd). `source` must live until backward.
  Matrix<T> forward(Compute& compute, Matrix<const T> states, std::span<const Matrix<const T>> source,
                    Trace& trace) const {
    return forward(compute, states, source, fold(compute), trace);
  }
  Matrix<T> forward(Compute& compute, Matrix<const T> states, std::span<const Matrix<const T>> source,
                    const Folded& folded, Trace& trace) const;

  // Adds d o / d … into d_states (N,Hd), writes d_contexts[h] (N,He), adds into the gradients of U, P and b.
  void backward(Compute& compute, const Trace& trace, Matrix<const T> d_output, Matrix<T> d_states,
                std::span<const Matrix<T>> d_contexts) const;

  // The sum before f, split by where it comes from: were all of the attention of every head on one source position s,
  // the output at n would be f(state_n + source_s). After forward; needs at least one head.
  struct Parts {
    Matrix<T> state;   // U_d d + U_c mean b_h + b (N,Hd)
    Matrix<T> source;  // U_c mean P e (M,Hd)
  };
  Parts parts(Compute& compute, const Trace& trace, Matrix<const T> sources) const;
};

}  // namespace fovea
