#include "fovea/nn/attention/self_attention.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fovea/math/matmul.h"
#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

constexpr Index tile_rows = 32;    // rows whose weights are held at a time
constexpr Index most_groups = 32;  // of heads of streams, each with memory of its own for a tile

// Whether a row has its weights from the rule.
bool holds(const HeadRule& rule, std::span<const int> right) {
  return rule.pattern == HeadRule::Pattern::truth ? !right.empty() : rule.pattern != HeadRule::Pattern::learned;
}

template <class T>
void write_held(const HeadRule& rule, std::span<const int> right, Index i, T* a) {
  using Pattern = HeadRule::Pattern;
  std::fill_n(a, i + 1, rule.pattern == Pattern::uniform ? T{1} / static_cast<T>(i + 1) : T{0});
  if (rule.pattern == Pattern::previous) a[std::max<Index>(i - 1, 0)] = 1;
  if (rule.pattern == Pattern::first) a[0] = 1;
  if (rule.pattern == Pattern::truth)
    for (const int place : right) a[place] = T{1} / static_cast<T>(right.size());
}

}  // namespace

// The weights of rows [begin, end) of one head of one stream, over the places before `end`.
template <class T>
struct SelfAttention<T>::Tile {
  Index stream = 0, head = 0, begin = 0, end = 0;
  Operand<T> q, k, v;  // of these rows; of all places before the end, twice
  Matrix<T> a;         // (end - begin, end)
  Matrix<T> shifts;    // as large, for relative positions

  Index rows() const { return end - begin; }
};

template <class T>
typename SelfAttention<T>::Tile SelfAttention<T>::tile(const Pass& pass, Index stream, Index head, Index begin,
                                                       T* scores, T* shifts) const {
  const Index length = pass.lengths[static_cast<std::size_t>(stream)], first = stream * pass.places;
  Tile tile;
  tile.stream = stream;
  tile.head = head;
  tile.begin = begin;
  tile.end = std::min(length, begin + tile_rows);
  const auto operand = [&](Matrix<const T> all, Index width, Index from) {
    return Operand<T>{all[first + from].data() + head * width, tile.end - from, width, all.size(1), false};
  };
  tile.q = operand(pass.q, key_width, begin);
  tile.k = operand(pass.k, key_width, 0);
  tile.v = operand(pass.v, value_width, 0);
  tile.a = Matrix<T>(scores, tile.rows(), tile.end);
  if (!pass.r.empty()) tile.shifts = Matrix<T>(shifts, tile.rows(), tile.end);
  return tile;
}

// a of the tile, without the rule's scale.
template <class T>
void SelfAttention<T>::weigh(const Pass& pass, const Tile& tile) const {
  matmul(tile.q, transposed(tile.k), tile.a);
  if (!pass.r.empty()) {
    const Operand<T> r{pass.r.data() + tile.head * key_width, tile.end, key_width, pass.r.size(1), false};
    matmul(tile.q, transposed(r), tile.shifts);
  }
  const T scale = T{1} / std::sqrt(static_cast<T>(key_width));
  const HeadRule& rule = pass.rules[static_cast<std::size_t>(tile.head)];
  for (Index row = 0; row < tile.rows(); ++row) {
    const Index i = tile.begin + row;
    T* const a = tile.a[row].data();
    std::fill(a + i + 1, a + tile.end, T{0});
    const std::span<const int> right = pass.right.of(tile.stream * pass.places + i);
    if (holds(rule, right)) {
      write_held(rule, right, i, a);
      continue;
    }
    if (!pass.r.empty())
      for (Index j = 0; j <= i; ++j) a[j] += tile.shifts(row, i - j);
    for (Index j = 0; j <= i; ++j) a[j] *= scale;
    if (weighting == Weighting::softmax) {
      const std::span<T> weights(a, static_cast<std::size_t>(i + 1));
      softmax(std::span<const T>(weights), weights);
    } else if (weighting == Weighting::relu) {
      for (Index j = 0; j <= i; ++j) a[j] = std::max(a[j], T{0}) / static_cast<T>(i + 1);
    }
  }
}

// work(stream, head, scratch) for every head of every stream; `scratch` numbers each.
template <class T>
template <class Work>
void SelfAttention<T>::each_head(Compute& compute, const Pass& pass, Index scratch, Work work) const {
  const Index count = static_cast<Index>(pass.lengths.size()) * heads, groups = std::min(count, most_groups);
  const Matrix<T> memory = compute.array<T>(groups, scratch);
  compute.team.each(static_cast<int>(groups), [&](int group) {
    for (Index n = group; n < count; n += groups) work(n / heads, n % heads, memory[group].data());
  });
}

namespace {

// Multiplies what stands at the right places of a tile's rows.
template <class T>
void scale_right(const RightPlaces& right, const HeadRule& rule, Index first_row, Matrix<T> tile) {
  if (rule.scale == 1) return;
  for (Index row = 0; row < tile.size(0); ++row)
    for (const int place : right.of(first_row + row)) tile(row, Index{place}) *= static_cast<T>(rule.scale);
}

// Rows [begin, T) of a head's columns of a stream.
template <class T>
void clear_rows(Matrix<T> all, Index first, Index last, Index head, Index width) {
  for (Index n = first; n < last; ++n) std::fill_n(all[n].data() + head * width, width, T{0});
}

}  // namespace

template <class T>
void SelfAttention<T>::forward(Compute& compute, const Pass& pass, Matrix<T> y) const {
  const Index T_ = pass.places, part = tile_rows * T_;
  assert(y.size(1) == heads * value_width && pass.q.size(1) == heads * key_width);
  each_head(compute, pass, pass.r.empty() ? part : 2 * part, [&](Index b, Index h, T* scratch) {
    const HeadRule& rule = pass.rules[static_cast<std::size_t>(h)];
    const Index length = rule.ablated ? 0 : pass.lengths[static_cast<std::size_t>(b)];
    for (Index begin = 0; begin < length; begin += tile_rows) {
      const Tile tile = this->tile(pass, b, h, begin, scratch, scratch + part);
      weigh(pass, tile);
      scale_right(pass.right, rule, b * T_ + begin, tile.a);
      matmul(plain(tile.a), tile.v, Matrix<T>(y[b * T_ + begin].data() + h * value_width, tile.rows(), value_width),
             Into::overwrite, y.size(1));
    }
    clear_rows(y, b * T_ + length, (b + 1) * T_, h, value_width);
  });
}

// c ds of a tile, from its weights and dy.
template <class T>
void SelfAttention<T>::slopes(const Pass& pass, const Tile& tile, const Operand<T>& dy, Matrix<T> ds) const {
  const HeadRule& rule = pass.rules[static_cast<std::size_t>(tile.head)];
  const Index first_row = tile.stream * pass.places + tile.begin;
  const T scale = T{1} / std::sqrt(static_cast<T>(key_width));
  matmul(dy, transposed(tile.v), ds);
  scale_right(pass.right, rule, first_row, ds);
  for (Index row = 0; row < tile.rows(); ++row) {
    const Index i = tile.begin + row;
    T *const to = ds[row].data(), *const a = tile.a[row].data();
    std::fill(to + i + 1, to + tile.end, T{0});
    if (holds(rule, pass.right.of(first_row + row))) {
      std::fill_n(to, i + 1, T{0});
    } else if (weighting == Weighting::softmax) {
      const auto n = static_cast<std::size_t>(i + 1);
      const T mean = dot(std::span<const T>(a, n), std::span<const T>(to, n));
      for (Index j = 0; j <= i; ++j) to[j] = scale * a[j] * (to[j] - mean);
    } else if (weighting == Weighting::relu) {
      const T share = scale / static_cast<T>(i + 1);
      for (Index j = 0; j <= i; ++j) to[j] = a[j] > 0 ? share * to[j] : T{0};
    } else {
      for (Index j = 0; j <= i; ++j) to[j] *= scale;
    }
  }
}

template <class T>
void SelfAttention<T>::tile_backward(const Pass& pass, const Tile& tile, Matrix<const T> dy, Matrix<T> ds,
                                     const Gradients& gradients, Matrix<T> dr) const {
  const Index first = tile.stream * pass.places, h = tile.head;
  const Operand<T> d{dy[first + tile.begin].data() + h * value_width, tile.rows(), value_width, dy.size(1), false};
  weigh(pass, tile);
  slopes(pass, tile, d, ds);
  scale_right(pass.right, pass.rules[static_cast<std::size_t>(h)], first + tile.begin, tile.a);
  const auto rows_of = [&](Matrix<T> all, Index from, Index width) {
    return Matrix<T>(all[first + from].data() + h * width, tile.end - from, width);
  };
  matmul(transposed(plain(tile.a)), d, rows_of(gradients.v, 0, value_width), Into::add, gradients.v.size(1));
  matmul(plain(ds), tile.k, rows_of(gradients.q, tile.begin, key_width), Into::overwrite, gradients.q.size(1));
  matmul(transposed(plain(ds)), tile.q, rows_of(gradients.k, 0, key_width), Into::add, gradients.k.size(1));
  if (pass.r.empty()) return;
  for (Index row = 0; row < tile.rows(); ++row) {  // by distance: shifts_iδ = ds_i(i-δ)
    const Index i = tile.begin + row;
    T* const by = tile.shifts[row].data();
    for (Index delta = 0; delta <= i; ++delta) by[delta] = ds(row, i - delta);
    std::fill(by + i + 1, by + tile.end, T{0});
  }
  const Operand<T> r{pass.r.data() + h * key_width, tile.end, key_width, pass.r.size(1), false};
  matmul(plain(tile.shifts), r, rows_of(gradients.q, tile.begin, key_width), Into::add, gradients.q.size(1));
  if (!dr.empty()) matmul(transposed(plain(tile.shifts)), tile.q, dr.slice(0, tile.end), Into::add, key_width);
}

template <class T>
void SelfAttention<T>::backward(Compute& compute, const Pass& pass, Matrix<const T> dy,
                                const Gradients& gradients) const {
  const Index T_ = pass.places, part = tile_rows * T_, B = static_cast<Index>(pass.lengths.size());
  const bool relative = !pass.r.empty(), wants_r = !gradients.r.empty();
  const Cube<T> dr = wants_r ? compute.zeros<T>(B * heads, T_, key_width) : Cube<T>();
  each_head(compute, pass, (relative ? 3 : 2) * part, [&](Index b, Index h, T* scratch) {
    clear_rows(gradients.q, b * T_, (b + 1) * T_, h, key_width);
    clear_rows(gradients.k, b * T_, (b + 1) * T_, h, key_width);
    clear_rows(gradients.v, b * T_, (b + 1) * T_, h, value_width);
    if (pass.rules[static_cast<std::size_t>(h)].ablated) return;
    for (Index begin = 0; begin < pass.lengths[static_cast<std::size_t>(b)]; begin += tile_rows) {
      const Tile tile = this->tile(pass, b, h, begin, scratch, scratch + 2 * part);
      tile_backward(pass, tile, dy, Matrix<T>(scratch + part, tile.rows(), tile.end), gradients,
                    wants_r ? dr[b * heads + h] : Matrix<T>());
    }
  });
  if (!wants_r) return;
  compute.team.each(static_cast<int>(heads), [&](int h) {
    for (Index b = 0; b < B; ++b)
      for (Index delta = 0; delta < T_; ++delta)
        add_scaled(T{1}, std::span<const T>(dr[b * heads + h][delta].flat()),
                   std::span<T>(gradients.r[delta].data() + h * key_width, static_cast<std::size_t>(key_width)));
  });
}

template <class T>
void SelfAttention<T>::map(Compute& compute, const Pass& pass, Index head, Cube<T> weights) const {
  const Index B = weights.size(0), T_ = pass.places, part = tile_rows * T_;
  const Matrix<T> memory = compute.array<T>(B, 2 * part);
  compute.team.each(static_cast<int>(B), [&](int b) {
    const Index length = pass.lengths[static_cast<std::size_t>(b)];
    std::fill_n(weights[b].data(), T_ * T_, T{0});
    for (Index begin = 0; begin < length; begin += tile_rows) {
      const Tile tile = this->tile(pass, b, head, begin, memory[b].data(), memory[b].data() + part);
      weigh(pass, tile);
      scale_right(pass.right, pass.rules[static_cast<std::size_t>(head)], b * T_ + begin, tile.a);
      for (Index row = 0; row < tile.rows(); ++row)
        std::copy_n(tile.a[row].data(), tile.end, weights[b][begin + row].data());
    }
  });
}

template struct SelfAttention<float>;
template struct SelfAttention<double>;

}  // namespace fovea
