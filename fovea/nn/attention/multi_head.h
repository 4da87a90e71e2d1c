// Multi-head self-attention of B streams of T positions (room nn/attention). It writes only its outputs and
// gradients. transformer_block.h of this room alone has it. H heads read rows u of width d and give rows o of width
// d. D rows are read and G rows are given, of N = B T positions (nn/stream_rows.h). K is the width of a head's
// queries and keys, U = d/H that of its values. With a residual x (D,d), each row taken at the layer that needs it:
//
//   q = Q u + b_q   (G, H K)       k = K u + b_k   (N, H K)       v = W u + b_v   (N, H U)
//   q, k = turned by their positions                              only with rotary positions (rotary.h)
//   y = self-attention of q, k, v  (G, H U)                       self_attention.h; r only with relative positions
//   y = y ⊙ σ(g),  g = W_g u + b_g  (G, H U)                      only with a gate
//   o = x + O y + b_o              (G, d)
//
// Without Q (or K) the queries (or keys) of each head are u itself, and K = d.
//
// Backward, from do (G,d):
//
//   dO += doᵀ y       db_o += Σ do        dy = do O
//   dg = dy ⊙ y σ'(g)                     dy = dy ⊙ σ(g)            y before the gate; W_g and b_g as W and b_v
//   dq, dk, dv, dr from dy by self-attention, dq and dk turned back
//   dQ += dqᵀ u       dK += dkᵀ u         dW += dvᵀ u             and db_q, db_k, db_v their sums over rows
//   du += dq Q + dk K + dv W
//
// The residual's gradient is do; it is left to the caller.
//
// Heads can copy tokens: with its weights A, each head gives what it attends to, of C tokens,
//
//   c_i = Σ_(j<=i) A_ij onehot(x_j)      (G, H C)                 dA_ij += dc_i(x_j), and on to dq, dk and dr
#pragma once

#include <span>
#include <string>

#include "fovea/nn/attention/rotary.h"
#include "fovea/nn/attention/self_attention.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/stream_rows.h"

namespace fovea {

// How parameters start, and whose they are.
struct PartStart {
  Init init;
  Group group = Group::body;
};

struct MultiHeadSettings {
  enum class Position { none, relative, rotary };
  enum class Queries { separate, merged, identity };  // Q and K; Q alone; K alone

  Index width = 0, heads = 1;  // d, H
  Weighting weighting = Weighting::softmax;
  Position position = Position::none;
  Queries queries = Queries::separate;
  Index longest = 0;  // positions of a stream at most
  Bias bias = Bias::yes;
  bool gate = false;
  PartStart gates;  // W_g; b_g starts at 0
  PartStart queries_keys, positions, values, outputs;

  Index key_width() const { return queries == Queries::separate ? width / heads : width; }  // K
};

// What of a trace is read after its forward: the more, the more memory it holds.
enum class Keep { nothing, maps, all };

// How a layer of streams goes through a batch. Views that must live as long as its trace.
struct StreamPass {
  StreamRows rows;
  std::span<const AttentionRule> rules;  // (H)
  RightPositions right;
  Keep keep = Keep::all;
};

template <class T>
struct MultiHead {
  SelfAttention<T> attention;          // H, K, U, and how scores become weights
  Linear<T> query, key;                // Q, K: one may have no weight
  Linear<T> value, output;             // W, O
  Linear<T> gate;                      // W_g: no weight without a gate
  const Param<T>* sink = nullptr;      // z (H) of self-attention; null without
  const Param<T>* relative = nullptr;  // r (longest, H K); null without relative positions
  Rotary<T> rotary;                    // turns nothing without rotary positions

  // Adds PREFIX.query, .key, .position.weight, .sink, .value, .gate and .output, those that there are.
  static MultiHead declare(ParameterSet<T>& parameters, const std::string& prefix, const MultiHeadSettings& settings);

  struct Trace {
    Matrix<const T> input;                    // u (D,d)
    Matrix<const T> query_input;              // the rows of u that queries are made of
    typename SelfAttention<T>::Inputs heads;  // q, k, v
    Matrix<const T> sums;                     // y (G, H U), gated
    Matrix<const T> ungated, gates;           // y before, and σ(g); empty without a gate
    typename SelfAttention<T>::Inputs
        copied;  // the same heads over tokens instead of values; v is empty without copies
  };

  // o is an array of its own.
  void forward(Compute& compute, const StreamPass& pass, Matrix<const T> u, Matrix<const T> residual, Matrix<T> o,
               Trace& trace) const;

  // c, of tokens (N) below C; the trace needs its maps.
  Matrix<T> copy_tokens(Compute& compute, std::span<const int> tokens, Index C, Trace& trace) const;

  // What backward takes and gives beside d_o and du.
  struct Extras {
    Matrix<const T> d_copied;            // dc (G, H C); empty without copies
    std::span<const Cube<T>> d_weights;  // each head's dA (B,T,T) without copies is written here; empty: not wanted
  };
  // du (D,d) is overwritten or added to, and may be d_o. Empty: not wanted.
  void backward(Compute& compute, const Trace& trace, Matrix<const T> d_o, Matrix<T> du, Into into,
                const Extras& extras) const;

  // A of one head, (B,T,T), of a trace with maps.
  void map(Compute& compute, const Trace& trace, Index head, Cube<T> weights) const {
    attention.map(compute, trace.heads, head, weights);
  }

 private:
  // Queries or keys: row i is made of row rows[i] of the input and stands at position positions[i].
  struct Projection {
    const Linear<T>& map;
    Matrix<const T> input;
    RowMap rows, positions;
  };
  Projection queries(const Trace& trace) const;
  Projection keys(const Trace& trace) const;
  Matrix<const T> project(Compute& compute, const Trace& trace, const Projection& of) const;
  void project_backward(Compute& compute, const Trace& trace, const Projection& of, const PackedMatrix<T>& input,
                        Matrix<T> d, Matrix<T> du) const;
  void turn_back(Compute& compute, const Trace& trace, const Projection& of, Matrix<T> d) const;
  void open_gate(Compute& compute, Trace& trace, Matrix<T> sums) const;
  Matrix<T> gate_backward(Compute& compute, const Trace& trace, Matrix<T> dy) const;
  void copy_backward(Compute& compute, const Trace& trace, Matrix<const T> d_copied,
                     const typename SelfAttention<T>::InputGradients& d) const;
  void weight_gradients(Compute& compute, const Trace& trace, Matrix<T> dy, std::span<const Cube<T>> d_weights) const;
};

}  // namespace fovea
