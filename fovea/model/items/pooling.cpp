#include "fovea/model/items/pooling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/math/packed.h"
#include "fovea/math/vector_math.h"
#include "fovea/nn/loss.h"
#include "fovea/nn/simd/running_softmax.h"

namespace fovea {

namespace {

constexpr Index tile_queries = 16;  // a tile stays in the first-level cache
constexpr Index most_pieces = 16;   // each keeps gradients of its own, so their number is a matter of memory

template <class T>
Matrix<T> from_items(Compute& compute, const Items& items, Index columns) {
  const Matrix<T> out = compute.array<T>(items.columns, columns);
  for (Index i = 0; i < items.columns; ++i)
    for (Index j = 0; j < items.width; ++j) out(i, j) = static_cast<T>(items.item(0, static_cast<int>(i))[j]);
  return out;
}

// Queries a piece.
Index grain(Index queries) {
  const Index share = (queries + most_pieces - 1) / most_pieces;
  return std::max(tile_queries, (share + tile_queries - 1) / tile_queries * tile_queries);
}

// Calls work(piece, rows) for every tile of queries; a piece is worked through by one thread.
template <class Work>
void each_tile(Compute& compute, Index queries, Work work) {
  const Index step = grain(queries);
  compute.team.each(static_cast<int>((queries + step - 1) / step), [&](int piece) {
    const Rows all{piece * step, std::min(queries, (piece + 1) * step)};
    for (Index begin = all.begin; begin < all.end; begin += tile_queries)
      work(piece, Rows{begin, std::min(all.end, begin + tile_queries)});
  });
}

}  // namespace

template <class T>
void Pooling<T>::settings(Fields& fields) {
  similarity_.settings(fields);
  fields.choice(
      "train_on", train_on_, {{"leave-one-out", TrainOn::leave_one_out}, {"queries", TrainOn::queries}},
      "training error: at each key, answered from the other keys; or at the queries, if other keys predict nothing");
}

template <class T>
typename Model<T>::Attends Pooling<T>::attends(const Batch& batch) const {
  using Attends = typename Model<T>::Attends;
  if (!shown(batch.queries.columns, batch.items.columns)) return Attends::no;
  return similarity_.even() ? Attends::evenly : Attends::by_score;
}

template <class T>
void Pooling<T>::build(const TaskShape& shape, ParameterSet<T>& parameters) {
  if (shape.most_items > 0)
    throw wrong_input("model 'pooling' needs a task with one set of points for all examples",
                      "use task 'curve', 'lookup' or 'given-points'");
  width_ = shape.width;
  query_width_ = shape.query_width > 0 ? shape.query_width : shape.width;
  value_width_ = shape.value_width;
  similarity_.build(query_width_, width_, parameters);
  if (train_on_ == TrainOn::leave_one_out && query_width_ != width_)
    throw wrong_input(
        fmt::format("keys cannot be used as queries: a query has {} numbers and a key {}", query_width_, width_),
        "set model.train_on to \"queries\"");
}

template <class T>
void Pooling<T>::tile(const TraceArrays& own, int piece, Rows q, Rows k, Matrix<T> s) const {
  if (own.uniform) std::fill_n(s.data(), s.count(), T{0});
  else similarity_.tile(own.similarity, piece, q, k, s);
  if (!own.leave_out) return;
  for (Index i = std::max(q.begin, k.begin); i < std::min(q.end, k.end); ++i)
    s(i - q.begin, i - k.begin) = -std::numeric_limits<T>::infinity();
}

template <class T>
void Pooling<T>::pool_tile(const TraceArrays& own, int piece, Rows q) const {
  const Index n = own.keys.size(0), columns = value_width_ + 1;
  const Matrix<T> sums = own.sums[piece];
  std::fill_n(sums.data(), sums.count(), T{0});
  if (own.moment == Moment::similarity) std::fill_n(own.slopes[piece].data(), sums.count(), T{0});
  const Matrix<T> key_sums = own.moment == Moment::keys ? own.key_sums[piece].slice(0, q.count()) : Matrix<T>{};
  std::fill_n(key_sums.data(), key_sums.count(), T{0});
  const Vector<T> high = own.highest.slice(q.begin, q.end);
  std::fill_n(high.data(), high.count(), -std::numeric_limits<T>::infinity());
  for (Index begin = 0; begin < n; begin += Similarity<T>::tile_keys) {
    const Rows k{begin, std::min(n, begin + Similarity<T>::tile_keys)};
    const Matrix<T> s(own.s[piece].data(), q.count(), k.count());
    tile(own, piece, q, k, s);
    const ValueColumns<T> values{own.values.data() + begin, n, static_cast<std::size_t>(value_width_)};
    for (Index i = 0; i < q.count(); ++i) {
      T* const slopes = own.moment == Moment::similarity ? own.slopes[piece][i].data() : nullptr;
      const T shrink = take_in({&high(i), sums[i].data(), slopes}, s[i].flat(), values);
      if (own.moment == Moment::keys && shrink != 1)
        for (T& x : key_sums[i].flat()) x *= shrink;
    }
    if (own.moment != Moment::keys) continue;
    const PackedMatrix<T> factors(own.products, own.keys_by_value[begin / Similarity<T>::tile_keys].data(), k.count(),
                                  columns * width_);
    matmul_packed(plain(s), factors, key_sums, Into::add);
  }
  finish_tile(own, piece, q);
}

// Sums become averages and covariances.
template <class T>
void Pooling<T>::finish_tile(const TraceArrays& own, int piece, Rows q) const {
  const Index per_value = own.moment == Moment::keys ? width_ : 1;
  for (Index i = 0; i < q.count(); ++i) {
    const Index query = q.begin + i;
    const T* const sums = own.sums[piece][i].data();
    const bool alone = sums[value_width_] == 0;
    const T inverse = own.inverse_sum(query) = alone ? T{0} : 1 / sums[value_width_];
    if (alone) own.highest(query) = 0;
    for (Index v = 0; v < value_width_; ++v) own.predictions(query, v) = sums[v] * inverse;
    if (own.moment == Moment::none) continue;
    const T* const joint = own.moment == Moment::keys ? own.key_sums[piece][i].data() : own.slopes[piece][i].data();
    for (Index v = 0; v < value_width_; ++v)
      for (Index j = 0; j < per_value; ++j)
        own.moments(query, v * per_value + j) =
            inverse * (joint[v * per_value + j] - own.predictions(query, v) * joint[value_width_ * per_value + j]);
  }
}

template <class T>
void Pooling<T>::prepare_moments(Compute& compute, int pieces, TraceArrays& own) const {
  const Index n = own.keys.size(0), columns = value_width_ + 1, tile = Similarity<T>::tile_keys;
  own.products = compute.products;
  own.moments = compute.array<T>(own.queries.size(0), value_width_ * (own.moment == Moment::keys ? width_ : 1));
  if (own.moment == Moment::similarity) {
    own.slopes = compute.array<T>(pieces, tile_queries, columns);
    return;
  }
  own.key_sums = compute.array<T>(pieces, tile_queries, columns * width_);
  const Matrix<T> part = compute.array<T>(tile, columns * width_);
  own.keys_by_value =
      compute.array<T>((n + tile - 1) / tile, static_cast<Index>(packed_size(own.products, plain(part))));
  for (Index begin = 0; begin < n; begin += tile) {
    const Index count = std::min(tile, n - begin);
    for (Index i = 0; i < count; ++i)
      for (Index v = 0; v < columns; ++v) {
        const T value = v == value_width_ ? T{1} : own.values(v, begin + i);
        for (Index j = 0; j < width_; ++j) part(i, v * width_ + j) = value * own.keys(begin + i, j);
      }
    const Operand<T> rows = plain(part.slice(0, count));
    pack_panels(own.products, rows, 0, panels_of(rows), own.keys_by_value[begin / tile].data());
  }
}

template <class T>
void Pooling<T>::pool(Compute& compute, TraceArrays& own) const {
  const Index m = own.queries.size(0), n = own.keys.size(0), step = grain(m);
  const auto pieces = static_cast<int>((m + step - 1) / step);
  own.similarity = similarity_.prepare(compute, own.queries, own.keys, pieces);
  own.s = compute.array<T>(pieces, tile_queries, Similarity<T>::tile_keys);
  own.sums = compute.array<T>(pieces, tile_queries, value_width_ + 1);
  if (own.moment != Moment::none) prepare_moments(compute, pieces, own);
  each_tile(compute, m, [&](int piece, Rows q) { pool_tile(own, piece, q); });

  // Queries without a neighbour: the average of all values (but the one left out).
  const Vector<double> totals = compute.zeros<double>(value_width_);
  for (Index i = 0; i < n; ++i)
    for (Index v = 0; v < value_width_; ++v) totals(v) += static_cast<double>(own.values(v, i));
  const Index others = own.leave_out ? n - 1 : n;
  for (Index i = 0; i < m && others > 0; ++i) {
    if (own.inverse_sum(i) != 0) continue;
    for (Index v = 0; v < value_width_; ++v) {
      const double left_out = own.leave_out ? static_cast<double>(own.values(v, i)) : 0;
      own.predictions(i, v) = static_cast<T>((totals(v) - left_out) / static_cast<double>(others));
    }
  }
}

template <class T>
Trace<T> Pooling<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  assert(batch.items.rows == 1 && batch.queries.rows == 1);
  Trace<T> trace(batch, pass);
  TraceArrays own;
  own.leave_out = pass.training && train_on_ == TrainOn::leave_one_out;
  own.uniform = pass.rules.of(1, 1).pattern == AttentionRule::Pattern::uniform;
  own.keys = from_items<T>(compute, batch.items, width_);
  own.values = compute.array<T>(value_width_, own.keys.size(0));
  for (Index i = 0; i < own.keys.size(0); ++i)
    for (Index v = 0; v < value_width_; ++v)
      own.values(v, i) = static_cast<T>(batch.values.item(0, static_cast<int>(i))[v]);
  own.moment = pass.training && !own.uniform ? similarity_.moment() : Moment::none;
  own.queries = own.keys;
  if (!own.leave_out) own.queries = from_items<T>(compute, batch.queries, query_width_);
  const Index m = own.queries.size(0);
  own.predictions = compute.array<T>(m, value_width_);
  own.highest = compute.array<T>(m);
  own.inverse_sum = compute.array<T>(m);
  pool(compute, own);

  trace.predictions = own.predictions;
  trace.attention = attention(compute, own);
  const Items& truth = own.leave_out ? batch.values : batch.answers;
  if (truth.columns == m && m > 0) {
    const Matrix<T> wanted = from_items<T>(compute, truth, value_width_);
    own.d_predictions = compute.array<T>(m, value_width_);
    trace.loss = squared_error(compute, std::span<const T>(own.predictions.flat()), std::span<const T>(wanted.flat()),
                               own.d_predictions.flat());
  }
  trace.keep(compute, own);
  return trace;
}

// d loss / d s = α (df · v - df · f), tile by tile, from similarities computed once more.
template <class T>
void Pooling<T>::backward_tile(const TraceArrays& own, Cube<T> all_ds, const typename Similarity<T>::Gathered& gathered,
                               int piece, Rows q) const {
  const Index n = own.keys.size(0);
  for (Index begin = 0; begin < n; begin += Similarity<T>::tile_keys) {
    const Rows k{begin, std::min(n, begin + Similarity<T>::tile_keys)};
    const Matrix<T> s(own.s[piece].data(), q.count(), k.count());
    const Matrix<T> ds(all_ds[piece].data(), q.count(), k.count());
    tile(own, piece, q, k, s);
    for (Index i = 0; i < q.count(); ++i) {
      const Index query = q.begin + i;
      T along = 0;
      for (Index v = 0; v < value_width_; ++v) along += own.d_predictions(query, v) * own.predictions(query, v);
      std::fill_n(ds[i].data(), k.count(), -along);
      for (Index v = 0; v < value_width_; ++v)
        add_scaled(own.d_predictions(query, v), std::span<const T>(own.values[v].slice(k.begin, k.end).flat()),
                   ds[i].flat());
      for (T& x : s[i].flat()) x -= own.highest(query);
      exp(std::span<const T>(s[i].flat()), s[i].flat());
      for (Index j = 0; j < k.count(); ++j) ds(i, j) *= s(i, j) * own.inverse_sum(query);
    }
    similarity_.tile_backward(own.similarity, gathered, piece, q, k, ds);
  }
}

template <class T>
void Pooling<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  if (!similarity_.learns() || own.uniform || own.d_predictions.empty()) return;
  if (own.moment != Moment::none) {
    const Index per_value = own.moments.size(1) / value_width_;
    const Matrix<T> sums = compute.zeros<T>(own.moments.size(0), per_value);
    for (Index i = 0; i < sums.size(0); ++i)
      for (Index v = 0; v < value_width_; ++v)
        for (Index j = 0; j < per_value; ++j) sums(i, j) += own.d_predictions(i, v) * own.moments(i, v * per_value + j);
    similarity_.backward(compute, own.similarity, sums);
    return;
  }
  const Cube<T> all_ds = compute.array<T>(own.s.size(0), own.s.size(1), own.s.size(2));
  const auto gathered = similarity_.begin_backward(compute, own.similarity);
  each_tile(compute, own.queries.size(0), [&](int piece, Rows q) { backward_tile(own, all_ds, gathered, piece, q); });
  similarity_.finish_backward(compute, own.similarity, gathered);
}

// (1,m,n), where it is small; rows without a neighbour are even, as their answer is.
template <class T>
Cube<T> Pooling<T>::attention(Compute& compute, const TraceArrays& own) const {
  const Index m = own.queries.size(0), n = own.keys.size(0), keys = Similarity<T>::tile_keys;
  if (!shown(m, n)) return {};
  const Cube<T> weights = compute.zeros<T>(1, m, n);
  const Matrix<T> part = compute.array<T>(1, keys);
  for (Index i = 0; i < m; ++i) {
    if (own.inverse_sum(i) == 0) {
      const Index others = own.leave_out ? n - 1 : n;
      for (Index j = 0; j < n; ++j) weights(0, i, j) = own.leave_out && i == j ? T{0} : 1 / static_cast<T>(others);
      continue;
    }
    for (Index begin = 0; begin < n; begin += keys) {
      const Rows k{begin, std::min(n, begin + keys)};
      const Matrix<T> s(part.data(), 1, k.count());
      tile(own, 0, {i, i + 1}, k, s);
      for (T& x : s.flat()) x -= own.highest(i);
      exp(std::span<const T>(s.flat()), s.flat());
      for (Index j = k.begin; j < k.end; ++j) weights(0, i, j) = s(0, j - k.begin) * own.inverse_sum(i);
    }
  }
  return weights;
}

template class Pooling<float>;
template class Pooling<double>;

namespace {

const RegisterModel<Pooling> pooling_model("pooling",
                                           "answers are averages of values, weighted by how alike query and key are");

}  // namespace

}  // namespace fovea
