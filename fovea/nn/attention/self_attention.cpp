#include "fovea/nn/attention/self_attention.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fovea/base/functions/functions.h"
#include "fovea/math/logistic.h"
#include "fovea/math/matmul.h"
#include "fovea/math/vector_math.h"
#include "fovea/nn/attention/self_attention_tiles.h"

namespace fovea {

namespace {

using attention_rows::Rows;
using attention_rows::stride_of;

constexpr Index most_groups = 32;  // of heads of streams, each with memory of its own

// Numbers of a head's tiles before the one that begins here, each as wide as its last row.
Index tiles_before(Index begin) { return begin * (begin + tile_rows) / 2; }

template <class T>
PackedMatrix<T> pack_into(Products products, const Operand<T>& b, T* panels) {
  pack_panels(products, b, 0, panels_of(b), panels);
  return {products, panels, b.rows, b.columns};
}

// Row r, up to its position.
template <class T>
std::span<T> part_of_row(const Rows<T>& rows, Index r) {
  return {rows.row(r), static_cast<std::size_t>(rows.positions[r] + 1)};
}

// Rows [first, last) of a head's columns.
template <class T>
void clear_rows(Matrix<T> all, Index first, Index last, Index head, Index width) {
  if (all.empty()) return;
  for (Index n = first; n < last; ++n) std::fill_n(all[n].data() + head * width, width, T{0});
}

}  // namespace

template <class T>
Index SelfAttention<T>::kept_size(Index streams, Index positions) const {
  const Index last = (positions - 1) / tile_rows * tile_rows;
  return streams * heads * (tiles_before(last) + (positions - last) * stride_of(positions));
}

template <class T>
typename SelfAttention<T>::Tile SelfAttention<T>::tile(const Inputs& inputs, const Head& head, Index begin,
                                                       Index end) const {
  const Index reach = head.position(end - 1) + 1, stride = stride_of(reach), rows = end - begin;
  const int* const positions = head.positions.data() + begin;
  T* a = head.part(head.at.a);
  if (!inputs.kept.empty())
    a = inputs.kept.data() + (head.stream * heads + head.number) * kept_size(1, inputs.rows.positions) / heads +
        tiles_before(*positions / tile_rows * tile_rows);
  return {begin,
          end,
          reach,
          {inputs.q[head.row + begin].data() + head.number * key_width, rows, key_width, inputs.q.size(1), false},
          {a, rows, stride, positions},
          {head.part(head.at.ds), rows, stride, positions},
          {head.part(head.at.shifts), rows, stride, positions}};
}

// a of the tile, without the rule's scale. Needs Kᵀ packed.
template <class T>
void SelfAttention<T>::weigh(const Inputs& inputs, const Head& head, const Tile& tile) const {
  const Index rows = tile.rows(), stride = tile.a.stride;
  // Whole panels: what they give behind the end is never read.
  const auto scores = [&](const PackedMatrix<T>& turned, T* to) {
    matmul_packed(tile.q, turned.columns_from(0, stride), Matrix<T>(to, rows, stride));
  };
  scores(head.packed(head.at.k_turned, key_width, stride), tile.a.first);
  const bool relative = !inputs.r.empty();
  if (relative) scores(head.r_turned, tile.shifts.first);
  const T scale = T{1} / std::sqrt(static_cast<T>(key_width));
  const auto by_score = [&](Index row, Index count) {
    const Rows<T> a = tile.a.slice(row, count);
    T* const shifts = relative ? tile.shifts.row(row) : nullptr;
    for (Index r = 0; head.rule.changes_scores() && r < count; ++r)
      change_scores(head.rule, head.stream, a.positions[r], part_of_row(a, r), scale,
                    relative ? part_of_row(tile.shifts, row + r) : std::span<T>());
    if (weighting == Weighting::softmax) return attention_rows::softmax_rows(a, scale, shifts);
    if (weighting == Weighting::one || weighting == Weighting::sink) return leave_room(inputs, head, a, scale, shifts);
    attention_rows::score_rows(a, scale, shifts);
    if (weighting == Weighting::linear) return;
    for (Index r = 0; r < count; ++r)
      for (Index j = 0, i = a.positions[r]; j <= i; ++j)
        a.row(r)[j] = std::max(a.row(r)[j], T{0}) / static_cast<T>(i + 1);
  };
  if (head.rule.pattern == AttentionRule::Pattern::learned) return by_score(0, rows);
  for (Index row = 0; row < rows; ++row) {
    const std::span<const int> right = inputs.right.of(head.first + tile.a.positions[row]);
    const Index i = tile.a.positions[row];
    if (head.rule.holds(right))
      write_pattern(head.rule.pattern, i, i + 1, right,
                    std::span<T>(tile.a.row(row), static_cast<std::size_t>(stride)));
    else by_score(row, 1);
  }
}

// A softmax that leaves a share of each row to a score of its own, z: a_ij = p_ij / (1 + exp(z - log Σ_m exp s_im))
// with the softmax p, and the logarithm from the largest score and its p.
template <class T>
void SelfAttention<T>::leave_room(const Inputs& inputs, const Head& head, const Rows<T>& a, T scale,
                                  const T* shifts) const {
  const T sink = weighting == Weighting::sink ? inputs.sinks[static_cast<std::size_t>(head.number)] : T{0};
  attention_rows::score_rows(a, scale, shifts);
  for (Index r = 0; r < a.count; ++r) {
    T *const row = a.row(r), *const end = row + a.positions[r] + 1, *const most = std::max_element(row, end);
    const T score = *most;
    attention_rows::softmax_rows(a.slice(r, 1), T{1}, nullptr);
    const T share = logistic(score - math::log(*most) - sink);
    for (T* x = row; x < end; ++x) *x *= share;
  }
}

// What a tile adds to dz, from its weights, with da in ds.
template <class T>
T SelfAttention<T>::sink_slope(const Inputs& inputs, const Head& head, const Tile& tile, const T* a) const {
  T slope = 0;
  for (Index r = 0; r < tile.rows(); ++r) {
    if (head.rule.holds(inputs.right.of(head.first + tile.ds.positions[r]))) continue;
    T sum = 0, mean = 0;
    for (Index j = 0; j <= tile.ds.positions[r]; ++j) {
      sum += a[r * tile.a.stride + j];
      mean += a[r * tile.a.stride + j] * tile.ds.row(r)[j];
    }
    slope -= (1 - sum) * mean;
  }
  return slope;
}

// A of the tile from a: a itself, or a copy in the memory of ds.
template <class T>
const T* SelfAttention<T>::weights(const Inputs& inputs, const Head& head, const Tile& tile) const {
  if (!head.rule.changes_weights()) return tile.a.first;
  std::copy_n(tile.a.first, tile.rows() * tile.a.stride, tile.ds.first);
  for (Index r = 0; r < tile.rows(); ++r)
    change_weights(head.rule, inputs.right.of(head.first + tile.ds.positions[r]), part_of_row(tile.ds, r));
  return tile.ds.first;
}

template <class T>
typename SelfAttention<T>::Given SelfAttention<T>::given(Compute& compute, const Inputs& inputs) const {
  const Index B = static_cast<Index>(inputs.rows.lengths.size()), T_ = inputs.rows.positions,
              count = inputs.rows.count();
  const auto positions = compute.arena.take<int>(static_cast<std::size_t>(count));
  const auto begins = compute.arena.take<Index>(static_cast<std::size_t>(B + 1));
  Index stream = 0;
  for (Index n = 0; n < count; ++n) {
    const Index position = inputs.rows.given[n];
    for (; stream * T_ <= position; ++stream) begins[static_cast<std::size_t>(stream)] = n;
    positions[static_cast<std::size_t>(n)] = static_cast<int>(position - (stream - 1) * T_);
  }
  std::fill(begins.begin() + stream, begins.end(), count);
  return {positions, begins};
}

template <class T>
typename SelfAttention<T>::Head SelfAttention<T>::head(const Inputs& inputs, const Given& given, Index stream,
                                                       Index number, Products products, T* memory) const {
  const auto s = static_cast<std::size_t>(stream);
  const Index row = given.begins[s], behind = given.begins[s + 1];
  const std::span<const int> rows =
      given.positions.subspan(static_cast<std::size_t>(row), static_cast<std::size_t>(behind - row));
  const auto there = std::ranges::lower_bound(rows, inputs.rows.lengths[s]) - rows.begin();
  return {stream,
          number,
          stream * inputs.rows.positions,
          row,
          behind,
          rows.first(static_cast<std::size_t>(there)),
          inputs.rules[static_cast<std::size_t>(number)],
          products,
          Panels(*this, inputs.rows.positions, products),
          memory,
          {},
          {}};
}

// work(head) for every head of the first streams, with memory for its parts and relative positions packed.
template <class T>
template <class Work>
void SelfAttention<T>::each_head(Compute& compute, const Inputs& inputs, Index streams, Work work) const {
  const Index count = streams * heads, groups = std::min(count, most_groups), T_ = inputs.rows.positions;
  const Products products = compute.products;
  const Matrix<T> memory = compute.array<T>(groups, Panels(*this, T_, products).end);
  const Given given = this->given(compute, inputs);
  Matrix<T> of_turned, of_plain;
  if (!inputs.r.empty()) {
    of_turned = compute.array<T>(heads, Panels::size_of(products, key_width, T_));
    of_plain = compute.array<T>(heads, stride_of(Panels::size_of(products, T_, key_width)));
    for (Index h = 0; h < heads; ++h) {
      const Operand<T> r{inputs.r.data() + h * key_width, T_, key_width, inputs.r.size(1), false};
      pack_into(products, transposed(r), of_turned[h].data());
      pack_into(products, r, of_plain[h].data());
    }
  }
  compute.team.each(static_cast<int>(groups), [&](int group) {
    for (Index n = group; n < count; n += groups) {
      Head head = this->head(inputs, given, n / heads, n % heads, products, memory[group].data());
      if (!inputs.r.empty()) {
        head.r_turned = {products, of_turned[head.number].data(), key_width, T_};
        head.r = {products, of_plain[head.number].data(), T_, key_width};
      }
      work(head);
    }
  });
}

namespace {

// Rows from `first` on of a head's columns.
template <class T>
Operand<T> part_of(Matrix<const T> all, Index first, Index rows, Index head, Index width) {
  return {all[first].data() + head * width, rows, width, all.size(1), false};
}

}  // namespace

template <class T>
void SelfAttention<T>::forward(Compute& compute, const Inputs& inputs, Matrix<T> y) const {
  const Index B = static_cast<Index>(inputs.rows.lengths.size()), U = value_width;
  assert(y.size(1) == heads * U && inputs.q.size(1) == heads * key_width && inputs.q.size(0) == y.size(0));
  each_head(compute, inputs, B, [&](const Head& head) {
    const Index rows = head.rule.ablated ? 0 : head.rows(), h = head.number;
    clear_rows(y, head.row + rows, head.behind, h, U);
    if (rows == 0) return;
    const Index length = head.length();
    const PackedMatrix<T> v =
        pack_into(head.products, part_of(inputs.v, head.first, length, h, U), head.part(head.at.v));
    pack_into(head.products, transposed(part_of(inputs.k, head.first, length, h, key_width)),
              head.part(head.at.k_turned));
    for (Index begin = 0, end = 0; begin < rows; begin = end) {
      end = head.tile_end(begin);
      const Tile tile = this->tile(inputs, head, begin, end);
      weigh(inputs, head, tile);
      const Operand<T> weights{this->weights(inputs, head, tile), tile.rows(), tile.reach, tile.a.stride, false};
      matmul_packed(weights, v.first_rows(tile.reach), Matrix<T>(y[head.row + begin].data() + h * U, tile.rows(), U),
                    Into::overwrite, y.size(1));
    }
  });
}

// f c ds of a tile, from its weights, with dy V already in ds.
template <class T>
void SelfAttention<T>::slopes(const Inputs& inputs, const Head& head, const Tile& tile, const T* a) const {
  const T scale = score_slope<T>(head.rule) / std::sqrt(static_cast<T>(key_width));
  if (weighting != Weighting::linear && weighting != Weighting::relu) {
    attention_rows::softmax_slopes(tile.ds, a, scale);
  } else {
    attention_rows::score_rows(tile.ds, scale, nullptr);
    if (weighting == Weighting::relu)
      for (Index r = 0; r < tile.rows(); ++r)
        for (Index j = 0, i = tile.ds.positions[r]; j <= i; ++j)
          tile.ds.row(r)[j] = a[r * tile.a.stride + j] > 0 ? tile.ds.row(r)[j] / static_cast<T>(i + 1) : T{0};
  }
  if (head.rule.pattern == AttentionRule::Pattern::learned) return;
  for (Index r = 0; r < tile.rows(); ++r)
    if (head.rule.holds(inputs.right.of(head.first + tile.ds.positions[r])))
      std::fill_n(tile.ds.row(r), tile.ds.stride, T{0});
}

// Gives what the tile adds to dz.
template <class T>
T SelfAttention<T>::tile_backward(const Inputs& inputs, const Head& head, const Tile& tile, Matrix<const T> dy,
                                  const InputGradients& gradients, Matrix<T> dr) const {
  const Index first = head.first, h = head.number, rows = tile.rows(), stride = tile.a.stride, K = key_width;
  const Operand<T> d{dy[head.row + tile.begin].data() + h * value_width, rows, value_width, dy.size(1), false};
  T* const packed = head.part(head.at.rows);
  // The last tile comes first and reaches all positions.
  const Into into = tile.end == head.rows() ? Into::overwrite : Into::add;
  const auto turned = [&](const T* x) { return Operand<T>{x, tile.reach, rows, stride, true}; };
  if (!gradients.v.empty()) {
    matmul_packed(turned(weights(inputs, head, tile)), pack_into(head.products, d, packed),
                  Matrix<T>(gradients.v[first].data() + h * value_width, tile.reach, value_width), into,
                  gradients.v.size(1));
  }
  if (gradients.q.empty() && gradients.k.empty() && dr.empty() && gradients.sinks.empty()) return 0;
  matmul_packed(d, head.packed(head.at.v_turned, value_width, stride), Matrix<T>(tile.ds.first, rows, stride));
  for (Index r = 0; head.rule.changes_weights() && r < rows; ++r)
    change_weights_backward(head.rule, inputs.right.of(first + tile.ds.positions[r]), part_of_row(tile.ds, r));
  const T slope = gradients.sinks.empty() ? T{0} : sink_slope(inputs, head, tile, tile.a.first);
  slopes(inputs, head, tile, tile.a.first);
  const Operand<T> ds{tile.ds.first, rows, tile.reach, stride, false};
  const bool relative = !inputs.r.empty();
  if (relative) attention_rows::by_distance(tile.shifts, tile.ds.first);
  if (!gradients.q.empty()) {
    const Matrix<T> dq(gradients.q[head.row + tile.begin].data() + h * K, rows, K);
    matmul_packed(ds, head.packed(head.at.k, head.length(), K).first_rows(tile.reach), dq, Into::overwrite,
                  gradients.q.size(1));
    if (relative)
      matmul_packed(Operand<T>{tile.shifts.first, rows, tile.reach, stride, false}, head.r.first_rows(tile.reach), dq,
                    Into::add, gradients.q.size(1));
  }
  if (gradients.k.empty() && dr.empty()) return slope;
  const PackedMatrix<T> q = pack_into(head.products, tile.q, packed);
  if (!gradients.k.empty())
    matmul_packed(turned(tile.ds.first), q, Matrix<T>(gradients.k[first].data() + h * K, tile.reach, K), into,
                  gradients.k.size(1));
  if (!dr.empty()) matmul_packed(turned(tile.shifts.first), q, dr.slice(0, tile.reach), Into::add, K);
  return slope;
}

template <class T>
void SelfAttention<T>::backward(Compute& compute, const Inputs& inputs, Matrix<const T> dy,
                                const InputGradients& gradients) const {
  const Index B = static_cast<Index>(inputs.rows.lengths.size()), T_ = inputs.rows.positions, K = key_width,
              U = value_width;
  const bool wants_r = !gradients.r.empty(), makes = inputs.kept.empty();
  const Cube<T> dr = wants_r ? compute.zeros<T>(B * heads, T_, K) : Cube<T>();
  const Matrix<T> of_sinks = compute.zeros<T>(B, heads);
  each_head(compute, inputs, B, [&](const Head& head) {
    const Index h = head.number, rows = head.rule.ablated ? 0 : head.rows(), length = rows == 0 ? 0 : head.length();
    clear_rows(gradients.q, head.row + rows, head.behind, h, K);
    clear_rows(gradients.k, head.first + length, head.first + T_, h, K);
    clear_rows(gradients.v, head.first + length, head.first + T_, h, U);
    if (length == 0) return;
    const Operand<T> k = part_of(inputs.k, head.first, length, h, K), v = part_of(inputs.v, head.first, length, h, U);
    if (makes) pack_into(head.products, transposed(k), head.part(head.at.k_turned));
    pack_into(head.products, k, head.part(head.at.k));
    pack_into(head.products, transposed(v), head.part(head.at.v_turned));
    for (Index end = rows, begin = 0; end > 0; end = begin) {
      begin = head.tile_begin(end);
      const Tile tile = this->tile(inputs, head, begin, end);
      if (makes) weigh(inputs, head, tile);
      of_sinks(head.stream, h) +=
          tile_backward(inputs, head, tile, dy, gradients, wants_r ? dr[head.stream * heads + h] : Matrix<T>());
    }
  });
  for (Index b = 0; b < B && !gradients.sinks.empty(); ++b)
    add_scaled(T{1}, std::span<const T>(of_sinks[b].flat()), gradients.sinks);
  if (!wants_r) return;
  compute.team.each(static_cast<int>(heads), [&](int h) {
    for (Index b = 0; b < B; ++b)
      for (Index delta = 0; delta < T_; ++delta)
        add_scaled(T{1}, std::span<const T>(dr[b * heads + h][delta].flat()),
                   std::span<T>(gradients.r[delta].data() + h * K, static_cast<std::size_t>(K)));
  });
}

template <class T>
void SelfAttention<T>::map(Compute& compute, const Inputs& inputs, Index number, Cube<T> weights) const {
  const Index T_ = inputs.rows.positions;
  Inputs again = inputs;
  again.kept = {};
  each_head(compute, again, weights.size(0), [&](const Head& head) {
    if (head.number != number) return;
    const Matrix<T> map = weights[head.stream];
    std::fill_n(map.data(), T_ * T_, T{0});
    if (head.rows() == 0) return;
    pack_into(head.products, transposed(part_of(inputs.k, head.first, head.length(), number, key_width)),
              head.part(head.at.k_turned));
    for (Index begin = 0, end = 0; begin < head.rows(); begin = end) {
      end = head.tile_end(begin);
      const Tile tile = this->tile(again, head, begin, end);
      weigh(again, head, tile);
      const T* const from = this->weights(again, head, tile);
      for (Index row = 0; row < tile.rows(); ++row)
        std::copy_n(from + row * tile.a.stride, tile.reach, map[tile.a.positions[row]].data());
    }
  });
}

template struct SelfAttention<float>;
template struct SelfAttention<double>;

}  // namespace fovea
