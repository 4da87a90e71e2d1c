// StreamRows and RowMap: the rows that a layer of token streams reads and gives, and the positions that they stand
// for (room nn). nn/attention (multi_head.h, self_attention.h, rotary.h) and the model `seq2seq` use them.
//
// B streams of T positions have N = B T positions, n = b T + t. A layer need not compute a row for each of them:
//
//   - Before the first layer, positions with the same token have the same numbers. With learned positions, those with
//     the same token at the same t do. The first layer computes each distinct row once.
//   - In training, no loss reads the rows of positions without an answer. The last layer gives only the asked rows.
//
//   position n          0  1  2  3 | 4  5  6  7       B = 2 streams, T = 4
//   token               a  b  a  . | b  a  b  .       . is padding
//   answer              -  -  a  - | -  b  a  -       - is no answer
//
//   distinct rows  (D)  a  b  .                       numbered 0, 1, 2
//   distinct[n]    (N)  0  1  0  2 | 1  0  1  2       position n has this distinct row
//
//   asked[i]       (A)        2         5  6          asked row i is this position
//   both[i]        (A)        0         0  1          asked row i has distinct row distinct[asked[i]]
//
//   distinct rows (D) ---distinct---> positions (N) ---asked---> asked rows (A)
//
// Each arrow is a RowMap. In the first layer StreamRows::read is `distinct`. In the last layer, in training,
// StreamRows::given is `asked`. Otherwise the rows that a layer reads, and those that it gives, are the positions.
#pragma once

#include <algorithm>
#include <span>

#include "fovea/nn/compute.h"
#include "fovea/nn/embedding.h"

namespace fovea {

// Row i of a set of rows is row map[i] of another set.
class RowMap {
 public:
  RowMap() = default;  // the two sets are the same
  explicit RowMap(std::span<const int> from) : same_(false), from_(from) {}

  bool same() const { return same_; }
  Index operator[](Index i) const { return same_ ? i : from_[static_cast<std::size_t>(i)]; }
  Index count(Index all) const { return same_ ? all : std::ssize(from_); }  // of a set of `all`
  std::span<const int> from() const { return from_; }                       // empty where the two are the same

 private:
  bool same_ = true;
  std::span<const int> from_;
};

// Row i is row first[i] of rows that are themselves rows second[·].
inline RowMap chain(Arena& arena, RowMap first, RowMap second) {
  if (first.same()) return second;
  if (second.same()) return first;
  const auto from = arena.take<int>(first.from().size());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(second[first.from()[i]]);
  return RowMap(from);
}

// What a layer of streams reads and gives.
struct StreamRows {
  Index positions = 0;           // T
  std::span<const int> lengths;  // (B) positions of each stream; those behind them are padding
  RowMap read = {};              // position n is row read[n] of the D rows that the layer reads
  RowMap given = {};             // row i of the G rows that it gives is position given[i], ascending
  RowMap given_read = {};        // and is made of row given_read[i] of the D rows: chain(given, read)

  Index all() const { return std::ssize(lengths) * positions; }  // N
  Index count() const { return given.count(all()); }             // rows that the layer gives
};

// y_i = x_map[i]; x itself where the map changes nothing.
template <class E>
View<E, 2> gather(Compute& compute, View<E, 2> x, RowMap map) {
  if (map.same()) return x;
  constexpr Index share = 64;  // rows of a thread at a time
  const auto y = compute.array<std::remove_const_t<E>>(map.count(0), x.size(1));
  compute.team.split(y.size(0), share, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) std::copy_n(x[map[i]].data(), x.size(1), y[i].data());
  });
  return y;
}

// Backward of gather: dx_map[i] = dy_i of a map without repetitions, the other of `count` rows 0.
template <class T>
Matrix<T> scatter(Compute& compute, Matrix<T> dy, RowMap map, Index count) {
  if (map.same()) return dy;
  const Matrix<T> dx = compute.zeros<T>(count, dy.size(1));
  for (Index i = 0; i < dy.size(0); ++i) std::copy_n(dy[i].data(), dy.size(1), dx[map[i]].data());
  return dx;
}

// Backward of gather: dx_m = Σ_(i: map[i] = m) dy_i.
template <class T>
Matrix<T> scatter_sum(Compute& compute, Matrix<T> dy, RowMap map, Index count) {
  if (map.same()) return dy;
  const Matrix<T> dx = compute.zeros<T>(count, dy.size(1));
  scatter_add(compute.team, map.from(), Matrix<const T>(dy), dx);
  return dx;
}

struct AskedRows {
  RowMap rows;
  std::span<const int> answers;  // one for each
};

// Of answers, -1 where nothing is asked.
inline AskedRows asked_rows(Arena& arena, std::span<const int> answers) {
  if (std::ranges::none_of(answers, [](int answer) { return answer < 0; })) return {{}, answers};
  const auto rows = arena.take<int>(answers.size()), asked = arena.take<int>(answers.size());
  std::size_t count = 0;
  for (std::size_t row = 0; row < answers.size(); ++row) {
    if (answers[row] < 0) continue;
    rows[count] = static_cast<int>(row);
    asked[count++] = answers[row];
  }
  return {RowMap(rows.first(count)), asked.first(count)};
}

struct DistinctRows {
  std::span<const int> tokens;     // (D), -1 on padding
  std::span<const int> positions;  // (D) in their streams
  RowMap of_positions;             // (N)
};

// Of the tokens of streams of T positions, -1 on padding. `by_position`: positions of the same token differ, too. Rows
// are shared only where at most half as many can differ as there are positions.
inline DistinctRows distinct_rows(Arena& arena, std::span<const int> tokens, Index T, Index vocabulary,
                                  bool by_position) {
  const Index kinds_of_token = vocabulary + 1;  // and padding
  const bool shared = 2 * kinds_of_token * (by_position ? T : 1) <= std::ssize(tokens);
  const auto positions = arena.take<int>(tokens.size());
  for (std::size_t n = 0; n < positions.size(); ++n) positions[n] = static_cast<int>(n % static_cast<std::size_t>(T));
  if (!shared) return {tokens, positions, {}};

  const auto kinds = arena.take<int>(tokens.size());
  for (std::size_t n = 0; n < kinds.size(); ++n) {
    const Index token = tokens[n] < 0 ? vocabulary : tokens[n];
    kinds[n] = static_cast<int>(by_position ? positions[n] * kinds_of_token + token : token);
  }
  const DistinctTokens distinct = distinct_tokens(arena, kinds, kinds_of_token * (by_position ? T : 1));
  const auto token_of = arena.take<int>(distinct.ids.size()), position_of = arena.take<int>(distinct.ids.size());
  for (std::size_t d = 0; d < distinct.ids.size(); ++d) {
    const Index token = distinct.ids[d] % kinds_of_token;
    token_of[d] = token == vocabulary ? -1 : static_cast<int>(token);
    position_of[d] = static_cast<int>(distinct.ids[d] / kinds_of_token);
  }
  return {token_of, position_of, RowMap(distinct.index)};
}

}  // namespace fovea
