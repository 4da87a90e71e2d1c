// Embedding: rows of a table W (V,E), looked up by token (room nn). It writes only its outputs and gradients. The
// models on tokens have one. For positions p with token k_p, and 0 on padding:
//
//   y_p = W_{k_p}                      y (n,E)
//   dW_k += Σ_{p: k_p = k} dy_p
//
// A batch has few distinct tokens. Layers therefore project each distinct row once and gather, instead of projecting
// every position's embedding. DistinctTokens has these rows, and the row of each position.
#pragma once

#include <span>
#include <string>

#include "fovea/nn/compute.h"
#include "fovea/nn/parameters.h"

namespace fovea {

struct DistinctTokens {
  std::span<const int> ids;    // (D) the tokens that occur, ascending
  std::span<const int> index;  // (n) where each position's token stands in ids; -1 on padding

  Index count() const { return static_cast<Index>(ids.size()); }
};

// `tokens` holds ids in [0, vocabulary) and -1 for padding. O(n + vocabulary); all of it in the arena.
DistinctTokens distinct_tokens(Arena& arena, std::span<const int> tokens, Index vocabulary);

// (B,T) -> (T,B), as recurrent layers go through a batch.
std::span<const int> time_major(Arena& arena, std::span<const int> tokens, Index rows, Index columns);

template <class T>
struct Embedding {
  Index vocabulary = 0;              // V
  Index width = 0;                   // E
  const Param<T>* weight = nullptr;  // (V,E)

  // Adds PREFIX.weight, drawn from the Init.
  static Embedding declare(ParameterSet<T>& parameters, const std::string& prefix, Index vocabulary, Index width,
                           Init init = Init::normal(1.0), Group group = Group::body);

  // tokens (n) -> rows (n,E); a padded position's row is 0.
  Matrix<T> forward(Compute& compute, std::span<const int> tokens) const;

  // Adds d rows (n,E) into the gradient of the table. A token that occurs often is summed in the order of positions.
  void backward(Compute& compute, std::span<const int> tokens, Matrix<const T> d_rows) const;
};

// sums (D,C), row index[p] += row p of `in` (n,C), for p from first to last, leaving out index -1.
template <class T>
void scatter_add(Team& team, std::span<const int> index, Matrix<const T> in, Matrix<T> sums);

}  // namespace fovea
