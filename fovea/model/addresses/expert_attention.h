// ExpertAttention: the meaning of an offset on its page (room model/addresses). Model `address-attention` alone has
// it. It is attention over n experts, vectors that each offset has of its own, with the page's embedding as the
// query. N accesses with offsets o (N) below O, and page embeddings p (N,E). Forward:
//
//   s_ik = f p_i · W_{o_i,k}              W (O, n E), f a number                     s (N,1,n)
//   α_i  = softmax_k(s_i), or held        (N,1,n), nn/attention/attention.h
//   v_i  = Σ_k α_ik W_{o_i,k}             v (N,E)
//
// Backward, from dv (N,E):
//
//   dα_ik = dv_i · W_{o_i,k}              ds_ik = α_ik (dα_ik - Σ_j α_ij dα_ij), 0 where the weights are held
//   dp_i += f Σ_k ds_ik W_{o_i,k}         dW_{o,k} += Σ_{i: o_i = o} (α_ik dv_i + f ds_ik p_i)
#pragma once

#include <span>
#include <string>

#include "fovea/nn/attention/attention.h"
#include "fovea/nn/parameters.h"

namespace fovea {

template <class T>
struct ExpertAttention {
  Index offsets = 0;                // O
  Index experts = 0;                // n
  Index width = 0;                  // E
  T factor = 1;                     // f
  const Param<T>* table = nullptr;  // W (O, n E)

  // Adds PREFIX.weight, drawn from the Init.
  static ExpertAttention declare(ParameterSet<T>& parameters, const std::string& prefix, Index offsets, Index experts,
                                 Index width, double factor, Init init);

  // Fills v. What it returns has the weights, and lives in the arena.
  Attention<T> forward(Compute& compute, std::span<const int> o, Matrix<const T> p, const AttentionRule& rule,
                       Matrix<T> v) const;

  // Adds into dp and the gradient of the table. An offset's accesses are summed in their order.
  void backward(Compute& compute, const Attention<T>& attention, std::span<const int> o, Matrix<const T> p,
                Matrix<const T> dv, Matrix<T> dp) const;

 private:
  // The experts of one offset, to whichever access asks.
  template <class U>
  Sequences<U> experts_of(U* all, int offset, Index accesses) const {
    return {all + offset * experts * width, accesses, experts, width, 0, 1};
  }
};

}  // namespace fovea
