#include "fovea/model/pooling.h"

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

}  // namespace

template <class T>
void Pooling<T>::settings(Fields& fields) {
  similarity_.settings(fields);
  fields.choice(
      "train_on", train_on_, {{"leave-one-out", TrainOn::leave_one_out}, {"queries", TrainOn::queries}},
      "what training minimises: the error at each key answered from the others, or at the queries (for values "
      "of which others tell nothing, as those of task 'lookup')");
}

template <class T>
typename Model<T>::Attends Pooling<T>::attends(const Batch& batch) const {
  using Attends = typename Model<T>::Attends;
  if (!shown(batch.queries.columns, batch.items.columns)) return Attends::no;
  return similarity_.even() ? Attends::evenly : Attends::by_score;
}

template <class T>
void Pooling<T>::build(const TaskShape& shape, ParameterSet<T>& parameters) {
  width_ = shape.width;
  value_width_ = shape.value_width;
  similarity_.build(width_, parameters);
}

template <class T>
Index Pooling<T>::grain() const {
  const Index share = (queries_.size(0) + most_pieces - 1) / most_pieces;
  return std::max(tile_queries, (share + tile_queries - 1) / tile_queries * tile_queries);
}

// Calls work(piece, rows) for every tile of queries; a piece is worked through by one thread.
template <class T>
template <class Work>
void Pooling<T>::each_tile(Compute& compute, Work work) {
  const Index m = queries_.size(0), step = grain();
  compute.team.each(static_cast<int>((m + step - 1) / step), [&](int piece) {
    const Rows all{piece * step, std::min(m, (piece + 1) * step)};
    for (Index begin = all.begin; begin < all.end; begin += tile_queries)
      work(piece, Rows{begin, std::min(all.end, begin + tile_queries)});
  });
}

template <class T>
void Pooling<T>::tile(int piece, Rows q, Rows k, Matrix<T> s) const {
  if (uniform_) std::fill_n(s.data(), s.count(), T{0});
  else similarity_.tile(piece, q, k, s);
  if (!leave_out_) return;
  for (Index i = std::max(q.begin, k.begin); i < std::min(q.end, k.end); ++i)
    s(i - q.begin, i - k.begin) = -std::numeric_limits<T>::infinity();
}

template <class T>
void Pooling<T>::pool_tile(int piece, Rows q) {
  const Index n = keys_.size(0), columns = value_width_ + 1;
  const Matrix<T> sums = sums_[piece];
  std::fill_n(sums.data(), sums.count(), T{0});
  if (moment_ == Moment::similarity) std::fill_n(slopes_[piece].data(), sums.count(), T{0});
  const Matrix<T> key_sums = moment_ == Moment::keys ? key_sums_[piece].slice(0, q.count()) : Matrix<T>{};
  std::fill_n(key_sums.data(), key_sums.count(), T{0});
  const Vector<T> high = highest_.slice(q.begin, q.end);
  std::fill_n(high.data(), high.count(), -std::numeric_limits<T>::infinity());
  for (Index begin = 0; begin < n; begin += Similarity<T>::tile_keys) {
    const Rows k{begin, std::min(n, begin + Similarity<T>::tile_keys)};
    const Matrix<T> s(s_[piece].data(), q.count(), k.count());
    tile(piece, q, k, s);
    const ValueColumns<T> values{values_.data() + begin, n, static_cast<std::size_t>(value_width_)};
    for (Index i = 0; i < q.count(); ++i) {
      T* const slopes = moment_ == Moment::similarity ? slopes_[piece][i].data() : nullptr;
      const T shrink = take_in({&high(i), sums[i].data(), slopes}, s[i].flat(), values);
      if (moment_ == Moment::keys && shrink != 1)
        for (T& x : key_sums[i].flat()) x *= shrink;
    }
    if (moment_ != Moment::keys) continue;
    const PackedMatrix<T> factors{keys_by_value_[begin / Similarity<T>::tile_keys].data(), k.count(), columns * width_};
    matmul_packed(plain(s), factors, key_sums, Into::add);
  }
  finish_tile(piece, q);
}

// Sums become averages and covariances.
template <class T>
void Pooling<T>::finish_tile(int piece, Rows q) {
  const Index per_value = moment_ == Moment::keys ? width_ : 1;
  for (Index i = 0; i < q.count(); ++i) {
    const Index query = q.begin + i;
    const T* const sums = sums_[piece][i].data();
    const bool alone = sums[value_width_] == 0;
    const T inverse = inverse_sum_(query) = alone ? T{0} : 1 / sums[value_width_];
    if (alone) highest_(query) = 0;
    for (Index v = 0; v < value_width_; ++v) predictions_(query, v) = sums[v] * inverse;
    if (moment_ == Moment::none) continue;
    const T* const joint = moment_ == Moment::keys ? key_sums_[piece][i].data() : slopes_[piece][i].data();
    for (Index v = 0; v < value_width_; ++v)
      for (Index j = 0; j < per_value; ++j)
        moments_(query, v * per_value + j) =
            inverse * (joint[v * per_value + j] - predictions_(query, v) * joint[value_width_ * per_value + j]);
  }
}

template <class T>
void Pooling<T>::prepare_moments(Compute& compute, int pieces) {
  const Index n = keys_.size(0), columns = value_width_ + 1, tile = Similarity<T>::tile_keys;
  moments_ = compute.array<T>(queries_.size(0), value_width_ * (moment_ == Moment::keys ? width_ : 1));
  if (moment_ == Moment::similarity) {
    slopes_ = compute.array<T>(pieces, tile_queries, columns);
    return;
  }
  key_sums_ = compute.array<T>(pieces, tile_queries, columns * width_);
  const Matrix<T> part = compute.array<T>(tile, columns * width_);
  keys_by_value_ = compute.array<T>((n + tile - 1) / tile, static_cast<Index>(packed_size(plain(part))));
  for (Index begin = 0; begin < n; begin += tile) {
    const Index count = std::min(tile, n - begin);
    for (Index i = 0; i < count; ++i)
      for (Index v = 0; v < columns; ++v) {
        const T value = v == value_width_ ? T{1} : values_(v, begin + i);
        for (Index j = 0; j < width_; ++j) part(i, v * width_ + j) = value * keys_(begin + i, j);
      }
    const Operand<T> rows = plain(part.slice(0, count));
    pack_panels(rows, 0, panels_of(rows), keys_by_value_[begin / tile].data());
  }
}

template <class T>
void Pooling<T>::pool(Compute& compute) {
  const Index m = queries_.size(0), n = keys_.size(0), step = grain();
  const auto pieces = static_cast<int>((m + step - 1) / step);
  similarity_.prepare(compute, queries_, keys_, pieces);
  s_ = compute.array<T>(pieces, tile_queries, Similarity<T>::tile_keys);
  sums_ = compute.array<T>(pieces, tile_queries, value_width_ + 1);
  if (moment_ != Moment::none) prepare_moments(compute, pieces);
  each_tile(compute, [this](int piece, Rows q) { pool_tile(piece, q); });

  // Queries without a neighbour: the average of all values (but the one left out).
  const Vector<double> totals = compute.zeros<double>(value_width_);
  for (Index i = 0; i < n; ++i)
    for (Index v = 0; v < value_width_; ++v) totals(v) += static_cast<double>(values_(v, i));
  const Index others = leave_out_ ? n - 1 : n;
  for (Index i = 0; i < m && others > 0; ++i) {
    if (inverse_sum_(i) != 0) continue;
    for (Index v = 0; v < value_width_; ++v) {
      const double own = leave_out_ ? static_cast<double>(values_(v, i)) : 0;
      predictions_(i, v) = static_cast<T>((totals(v) - own) / static_cast<double>(others));
    }
  }
}

template <class T>
Outcome<T> Pooling<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) {
  assert(batch.items.rows == 1 && batch.queries.rows == 1);
  leave_out_ = pass.training && train_on_ == TrainOn::leave_one_out;
  uniform_ = pass.attend == Attend::uniform;
  keys_ = from_items<T>(compute, batch.items, width_);
  values_ = compute.array<T>(value_width_, keys_.size(0));
  for (Index i = 0; i < keys_.size(0); ++i)
    for (Index v = 0; v < value_width_; ++v)
      values_(v, i) = static_cast<T>(batch.values.item(0, static_cast<int>(i))[v]);
  moment_ = pass.training && !uniform_ ? similarity_.moment() : Moment::none;
  queries_ = leave_out_ ? keys_ : from_items<T>(compute, batch.queries, width_);
  const Index m = queries_.size(0);
  predictions_ = compute.array<T>(m, value_width_);
  highest_ = compute.array<T>(m);
  inverse_sum_ = compute.array<T>(m);
  pool(compute);

  Outcome<T> outcome;
  outcome.predictions = predictions_;
  outcome.attention = attention(compute);
  const Items& truth = leave_out_ ? batch.values : batch.answers;
  d_predictions_ = {};
  if (truth.columns == m && m > 0) {
    const Matrix<T> wanted = from_items<T>(compute, truth, value_width_);
    d_predictions_ = compute.array<T>(m, value_width_);
    outcome.loss = squared_error(compute, std::span<const T>(predictions_.flat()), std::span<const T>(wanted.flat()),
                                 d_predictions_.flat());
  }
  return outcome;
}

// d loss / d s = α (df · v - df · f), tile by tile, from similarities computed once more.
template <class T>
void Pooling<T>::backward_tile(int piece, Rows q) {
  const Index n = keys_.size(0);
  for (Index begin = 0; begin < n; begin += Similarity<T>::tile_keys) {
    const Rows k{begin, std::min(n, begin + Similarity<T>::tile_keys)};
    const Matrix<T> s(s_[piece].data(), q.count(), k.count());
    const Matrix<T> ds(ds_[piece].data(), q.count(), k.count());
    tile(piece, q, k, s);
    for (Index i = 0; i < q.count(); ++i) {
      const Index query = q.begin + i;
      T along = 0;
      for (Index v = 0; v < value_width_; ++v) along += d_predictions_(query, v) * predictions_(query, v);
      std::fill_n(ds[i].data(), k.count(), -along);
      for (Index v = 0; v < value_width_; ++v)
        add_scaled(d_predictions_(query, v), std::span<const T>(values_[v].slice(k.begin, k.end).flat()), ds[i].flat());
      for (T& x : s[i].flat()) x -= highest_(query);
      exp(std::span<const T>(s[i].flat()), s[i].flat());
      for (Index j = 0; j < k.count(); ++j) ds(i, j) *= s(i, j) * inverse_sum_(query);
    }
    similarity_.tile_backward(piece, q, k, ds);
  }
}

template <class T>
void Pooling<T>::backward(Compute& compute) {
  if (!similarity_.learns() || uniform_ || d_predictions_.empty()) return;
  if (moment_ != Moment::none) {
    const Index per_value = moments_.size(1) / value_width_;
    const Matrix<T> sums = compute.zeros<T>(moments_.size(0), per_value);
    for (Index i = 0; i < sums.size(0); ++i)
      for (Index v = 0; v < value_width_; ++v)
        for (Index j = 0; j < per_value; ++j) sums(i, j) += d_predictions_(i, v) * moments_(i, v * per_value + j);
    similarity_.backward(compute, sums);
    return;
  }
  ds_ = compute.array<T>(s_.size(0), s_.size(1), s_.size(2));
  similarity_.begin_backward(compute);
  each_tile(compute, [this](int piece, Rows q) { backward_tile(piece, q); });
  similarity_.finish_backward(compute);
}

// (1,m,n), where it is small; rows without a neighbour are even, as their answer is.
template <class T>
Cube<T> Pooling<T>::attention(Compute& compute) const {
  const Index m = queries_.size(0), n = keys_.size(0), keys = Similarity<T>::tile_keys;
  if (!shown(m, n)) return {};
  const Cube<T> weights = compute.zeros<T>(1, m, n);
  const Matrix<T> part = compute.array<T>(1, keys);
  for (Index i = 0; i < m; ++i) {
    if (inverse_sum_(i) == 0) {
      const Index others = leave_out_ ? n - 1 : n;
      for (Index j = 0; j < n; ++j) weights(0, i, j) = leave_out_ && i == j ? T{0} : 1 / static_cast<T>(others);
      continue;
    }
    for (Index begin = 0; begin < n; begin += keys) {
      const Rows k{begin, std::min(n, begin + keys)};
      const Matrix<T> s(part.data(), 1, k.count());
      tile(0, {i, i + 1}, k, s);
      for (T& x : s.flat()) x -= highest_(i);
      exp(std::span<const T>(s.flat()), s.flat());
      for (Index j = k.begin; j < k.end; ++j) weights(0, i, j) = s(0, j - k.begin) * inverse_sum_(i);
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
