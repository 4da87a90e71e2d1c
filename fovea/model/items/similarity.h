// Similarity of queries and keys, computed in tiles: queries times keys is never stored as a whole (room
// model/items). Model `pooling` alone has it.
//
// d_q numbers to a query q, d_k to a key k, m queries, n keys. The similarity s is divided by the temperature:
//
//   average                    s = 0
//   gaussian, gaussian-learned s = -‖(q - k) w‖² / 2                 w given, or a parameter
//   boxcar                     s = 0 within `width` of q, else -∞
//   epanechnikov               s = log(1 - ‖q - k‖² / width²) within `width`, else -∞
//   dot                        s = qᵀk / √d
//   general                    s = qᵀ W k                            W (d_q,d_k)
//   additive                   s = vᵀ tanh(W_q q + W_k k)            W_q (hidden,d_q), W_k (hidden,d_k)
//   user                       s = a formula in the spec, or a function
//
// A similarity that is a distance or a product of q and k needs d_q = d_k = d. Memory is O((m + n) d) (additive: O((m
// + n) hidden)).
#pragma once

#include <functional>
#include <span>
#include <string>

#include "fovea/base/settings.h"
#include "fovea/math/formula.h"
#include "fovea/math/packed.h"
#include "fovea/nn/compute.h"
#include "fovea/nn/parameters.h"

namespace fovea {

enum class SimilarityKind { average, gaussian, boxcar, epanechnikov, gaussian_learned, dot, general, additive, user };

// May be called from several threads at once. -infinity says "not at all"; NaN and +infinity are refused.
using SimilarityFunction = std::function<double(std::span<const double> query, std::span<const double> key)>;

// Rows [begin, end) of the queries or of the keys.
struct Rows {
  Index begin = 0, end = 0;
  Index count() const { return end - begin; }
};

template <class T>
class Similarity {
 public:
  // The most keys a tile may span; tiles begin at multiples of it.
  static constexpr Index tile_keys = 240;

  // What the gradient of the parameters needs to know of a query's weights α, beside the answers f: nothing it can say
  // in a few numbers, or the covariance under α of the values with the similarities, or with the keys.
  enum class Moment { none, similarity, keys };

  void settings(Fields& fields);
  // Sets a user similarity in code, in place of a formula; `name` stands in messages.
  void use(SimilarityFunction function, std::string name);
  // Throws wrong_input where the widths of queries and keys differ and the similarity needs them alike.
  void build(Index query_width, Index key_width, ParameterSet<T>& parameters);

  bool learns() const;
  bool even() const { return kind_ == SimilarityKind::average; }
  Moment moment() const;

  // What tiles of some queries and keys have in common, in the arena.
  struct Trace {
    Matrix<const T> queries, keys;  // (m,d_q), (n,d_k)
    int pieces = 0;
    bool product = false;     // whether s is a matrix product
    Matrix<T> left, right;    // a product: s = left · right; additive: W_q q and W_k k
    PackedMatrix<T> columns;  // a product: rightᵀ
    Matrix<T> key_columns;    // where s is of differences: (d,n)
    Cube<T> angles;           // additive: (pieces, tile_keys, hidden) tanh(W_q q + W_k k)
    Matrix<double> pairs;     // user: (pieces, d_q + d_k) a query and a key
  };

  // For queries (m,d_q) and keys (n,d_k), which must outlive the last tile. Up to `pieces` threads may then work at
  // tiles, each under its own piece number.
  Trace prepare(Compute& compute, Matrix<const T> queries, Matrix<const T> keys, int pieces) const;

  // s (q.count, k.count) = similarity / temperature, up to a number of each query's own, which softmax does not see.
  void tile(const Trace& trace, int piece, Rows q, Rows k, Matrix<T> s) const;

  // Gradients of the parameters, from Σ_v (d loss / d f_v) cov(v, .) of each query: (m,1) or (m,d_k), by moment().
  void backward(Compute& compute, const Trace& trace, Matrix<T> moments) const;
  // Without a moment: begin once, a call for each tile with d loss / d s (each row summing to 0 over all keys), then
  // finish, which adds what was gathered to the gradients, piece by piece in their order.
  struct Gathered {
    Matrix<T> d_left;       // (m, hidden)
    Matrix<T> d_out;        // (pieces, hidden)
    Cube<T> d_right;        // (pieces, n, hidden)
    Matrix<double> d_sums;  // (pieces, hidden)
  };
  Gathered begin_backward(Compute& compute, const Trace& trace) const;
  void tile_backward(const Trace& trace, const Gathered& gathered, int piece, Rows q, Rows k, Matrix<const T> ds) const;
  void finish_backward(Compute& compute, const Trace& trace, const Gathered& gathered) const;

 private:
  void refuse_two_spaces() const;
  double gaussian_scale() const;
  bool expands(Products products, const Trace& trace, Vector<double> middle) const;
  void prepare_inner(Compute& compute, Vector<double> middle, Trace& trace) const;
  void prepare_additive(Compute& compute, Trace& trace) const;
  void kernel_tile(const Trace& trace, Rows q, Rows k, Matrix<T> s) const;
  void additive_tile(const Trace& trace, int piece, Rows q, Rows k, Matrix<T> s) const;
  void user_tile(const Trace& trace, int piece, Rows q, Rows k, Matrix<T> s) const;
  void additive_angles(const Trace& trace, int piece, Index query, Rows k) const;

  SimilarityKind kind_ = SimilarityKind::gaussian_learned;
  double w_ = 1;
  double width_ = 1;
  int hidden_ = 32;
  double temperature_ = 1;
  std::string text_;
  SimilarityFunction function_;
  std::string name_;

  Index query_width_ = 0, d_ = 0;           // d_q, d_k
  const Param<T>* scale_ = nullptr;         // gaussian-learned: w (1)
  const Param<T>* weight_ = nullptr;        // general: W (d_q,d_k)
  const Param<T>* query_weight_ = nullptr;  // additive: (hidden,d_q)
  const Param<T>* key_weight_ = nullptr;    // additive: (hidden,d_k)
  const Param<T>* out_weight_ = nullptr;    // additive: v (1,hidden)
};

}  // namespace fovea
