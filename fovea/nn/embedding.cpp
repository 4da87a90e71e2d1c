#include "fovea/nn/embedding.h"

#include <algorithm>

#include "fovea/math/vector_math.h"

namespace fovea {

DistinctTokens distinct_tokens(Arena& arena, std::span<const int> tokens, Index vocabulary) {
  const std::span<int> position =
      arena.take<int>(static_cast<std::size_t>(vocabulary));  // of each id among the distinct
  std::fill(position.begin(), position.end(), -1);
  std::size_t count = 0;
  for (const int token : tokens) {
    assert(token >= -1 && token < vocabulary);
    if (token < 0 || position[static_cast<std::size_t>(token)] == 0) continue;
    position[static_cast<std::size_t>(token)] = 0;
    ++count;
  }

  const std::span<int> ids = arena.take<int>(count);
  std::size_t next = 0;
  for (std::size_t id = 0; id < position.size(); ++id) {
    if (position[id] < 0) continue;
    position[id] = static_cast<int>(next);
    ids[next++] = static_cast<int>(id);
  }

  const std::span<int> index = arena.take<int>(tokens.size());
  std::transform(tokens.begin(), tokens.end(), index.begin(),
                 [&](int token) { return token < 0 ? -1 : position[static_cast<std::size_t>(token)]; });
  return {ids, index};
}

std::span<const int> time_major(Arena& arena, std::span<const int> tokens, Index rows, Index columns) {
  assert(static_cast<Index>(tokens.size()) == rows * columns);
  const std::span<int> out = arena.take<int>(tokens.size());
  for (Index b = 0; b < rows; ++b)
    for (Index t = 0; t < columns; ++t)
      out[static_cast<std::size_t>(t * rows + b)] = tokens[static_cast<std::size_t>(b * columns + t)];
  return out;
}

template <class T>
Embedding<T> Embedding<T>::declare(ParameterSet<T>& parameters, const std::string& prefix, Index vocabulary,
                                   Index width, Init init, Group group) {
  return {vocabulary, width, &parameters.add(under(prefix, "weight"), {vocabulary, width}, init, group)};
}

template <class T>
Matrix<T> Embedding<T>::forward(Compute& compute, std::span<const int> tokens) const {
  const Matrix<T> table = weight->matrix();
  const Matrix<T> rows = compute.array<T>(tokens.size(), width);
  for (std::size_t p = 0; p < tokens.size(); ++p) {
    const std::span<T> row = rows[static_cast<Index>(p)].flat();
    if (tokens[p] < 0) std::fill(row.begin(), row.end(), T{0});
    else std::ranges::copy(table[tokens[p]].flat(), row.begin());
  }
  return rows;
}

template <class T>
void Embedding<T>::backward(Compute& compute, std::span<const int> tokens, Matrix<const T> d_rows) const {
  if (compute.trains() && weight->learns()) scatter_add(compute.team, tokens, d_rows, weight->matrix_gradient());
}

template <class T>
void scatter_add(Team& team, std::span<const int> index, Matrix<const T> in, Matrix<T> sums) {
  assert(in.size(0) == static_cast<Index>(index.size()) && in.size(1) == sums.size(1));
  const Index width = in.size(1);
  // Cut by columns: every piece sees all positions in the same order, and its part of the sums stays in the cache.
  team.split(width, 64, [&](Index begin, Index end) {
    const auto count = static_cast<std::size_t>(end - begin);
    for (std::size_t p = 0; p < index.size(); ++p) {
      if (index[p] < 0) continue;
      const std::span<const T> row(in.data() + static_cast<Index>(p) * width + begin, count);
      add_scaled(T{1}, row, std::span<T>(sums.data() + index[p] * width + begin, count));
    }
  });
}

template struct Embedding<float>;
template struct Embedding<double>;
template void scatter_add(Team&, std::span<const int>, Matrix<const float>, Matrix<float>);
template void scatter_add(Team&, std::span<const int>, Matrix<const double>, Matrix<double>);

}  // namespace fovea
