// Model `pooling` (room model/items): answers are averages of the values, weighted by the similarity of query and key.
// lab/spec makes it by name for a run. It writes only traces and gradients. There are m queries of d_q numbers, n keys
// of d_k numbers, and n values of V numbers. Forward:
//
//   s_ij   = similarity(q_i, k_j)                   model/items/similarity.h
//   α_ij   = exp(s_ij) / Σ_l exp(s_il)
//   f_i    = Σ_j α_ij v_j                           f (m,V), v (n,V)
//   loss   = 1/(mV) Σ_i ‖f_i - answer_i‖²
//
// Backward:
//
//   df_i   = 2/(mV) (f_i - answer_i)
//   ds_ij  = α_ij (df_i · v_j - df_i · f_i)         and on to the parameters, Σ_ij ds_ij ∂s_ij/∂θ
//
// Streamed over tiles of queries and keys with a running softmax: memory is O(n + m), forward and backward, whatever
// n and m are. The attention itself, n × m, is given only if it is small enough to be shown. If the gradient consists
// of moments of the weights, the forward pass sums these, and every pair is seen once.
//
// A query without a key in its neighbourhood (boxcar, epanechnikov) is answered by the average of the values, as if
// all keys were alike; where there is no key at all, by 0.
//
// With train_on = "leave-one-out" the loss of a training pass is the squared error at the keys themselves, each
// answered from the others, which asks keys as if they were queries and so needs d_q = d_k; with "queries", and
// outside training, it is the squared error at the batch's queries.
#pragma once

#include <string>

#include "fovea/model/items/similarity.h"
#include "fovea/model/model.h"

namespace fovea {

template <class T>
class Pooling final : public Model<T> {
 public:
  // The most weights, queries times keys, that an outcome's attention holds; where there are more it is empty.
  static constexpr Index most_shown = 1 << 16;

  // A similarity given in code; call before build.
  void use(SimilarityFunction function, std::string name) { similarity_.use(std::move(function), std::move(name)); }

  void settings(Fields& fields) override;
  Kind takes() const override { return Kind::points; }
  typename Model<T>::Attends attends(const Batch& batch) const override;
  void build(const TaskShape& shape, ParameterSet<T>& parameters) override;
  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;

 private:
  enum class TrainOn { leave_one_out, queries };

  using Moment = typename Similarity<T>::Moment;

  // Of a forward.
  struct TraceArrays {
    Matrix<const T> keys, queries;  // (n,d_k), (m,d_q)
    Matrix<T> values;               // (V,n)
    Matrix<T> predictions;          // (m,V)
    Matrix<T> d_predictions;        // (m,V)
    Vector<T> highest;              // (m) of a query's similarities; 0 where it has no neighbour
    Vector<T> inverse_sum;          // (m) 1 / Σ exp(s - highest); 0 where it has no neighbour
    typename Similarity<T>::Trace similarity;
    Cube<T> s;                     // (pieces, queries of a tile, keys of a tile)
    Cube<T> sums;                  // (pieces, queries of a tile, V+1): as in RunningSoftmax
    Moment moment = Moment::none;  // that is summed in this pass
    Cube<T> slopes;                // likewise, for the moment of similarities
    Matrix<T> keys_by_value;       // (tiles of keys, packed (keys of a tile, (V+1)d)): the keys times each value, and
                                   // the keys
    Cube<T> key_sums;              // (pieces, queries of a tile, (V+1)d): Σ w of these
    Products products = Products::full;
    Matrix<T> moments;       // (m,V) or (m,V d_k): of each value the covariance, under the weights of a query
    bool leave_out = false;  // query i is not answered from key i
    bool uniform = false;
  };
  void pool(Compute& compute, TraceArrays& own) const;
  void prepare_moments(Compute& compute, int pieces, TraceArrays& own) const;
  void finish_tile(const TraceArrays& own, int piece, Rows q) const;
  void pool_tile(const TraceArrays& own, int piece, Rows q) const;
  void tile(const TraceArrays& own, int piece, Rows q, Rows k, Matrix<T> s) const;
  static bool shown(Index queries, Index keys) { return queries > 0 && keys > 0 && queries <= most_shown / keys; }
  Cube<T> attention(Compute& compute, const TraceArrays& own) const;
  void backward_tile(const TraceArrays& own, Cube<T> all_ds, const typename Similarity<T>::Gathered& gathered,
                     int piece, Rows q) const;

  Similarity<T> similarity_;
  TrainOn train_on_ = TrainOn::leave_one_out;
  Index query_width_ = 0, width_ = 0, value_width_ = 0;  // d_q, d_k, V
};

}  // namespace fovea
