// The rows of a batch at which something is asked. What a model would say elsewhere, on padding or where a stream has
// no answer, has no part in the loss: in training it need not be said.
#pragma once

#include <algorithm>
#include <span>

#include "fovea/nn/compute.h"

namespace fovea {

struct AskedRows {
  std::span<const int> rows;     // ascending
  std::span<const int> answers;  // one for each
};

// Of answers, -1 where nothing is asked.
inline AskedRows asked_rows(Arena& arena, std::span<const int> answers) {
  const auto rows = arena.take<int>(answers.size()), asked = arena.take<int>(answers.size());
  std::size_t count = 0;
  for (std::size_t row = 0; row < answers.size(); ++row) {
    if (answers[row] < 0) continue;
    rows[count] = static_cast<int>(row);
    asked[count++] = answers[row];
  }
  return {rows.first(count), asked.first(count)};
}

template <class T>
Matrix<T> gather(Compute& compute, Matrix<const T> x, std::span<const int> rows) {
  constexpr Index rows_grain = 64;
  const Matrix<T> some = compute.array<T>(static_cast<Index>(rows.size()), x.size(1));
  compute.team.split(some.size(0), rows_grain, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n)
      std::copy_n(x[rows[static_cast<std::size_t>(n)]].data(), x.size(1), some[n].data());
  });
  return some;
}

// The other rows are 0.
template <class T>
Matrix<T> scatter(Compute& compute, Matrix<const T> some, std::span<const int> rows, Index count) {
  const Matrix<T> all = compute.zeros<T>(count, some.size(1));
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(some[static_cast<Index>(i)].data(), some.size(1), all[rows[i]].data());
  return all;
}

}  // namespace fovea
