#include "fovea/data/longest_first.h"

#include <algorithm>
#include <numeric>

namespace fovea {

namespace {

template <class T>
void swap_rows(std::vector<T>& rows, int count, int a, int b) {
  if (rows.empty()) return;
  const auto width = static_cast<std::ptrdiff_t>(rows.size()) / count;
  std::swap_ranges(rows.begin() + a * width, rows.begin() + (a + 1) * width, rows.begin() + b * width);
}

void swap_rows(Tokens& tokens, int a, int b) {
  swap_rows(tokens.ids, tokens.rows, a, b);
  swap_rows(tokens.lengths, tokens.rows, a, b);
}

}  // namespace

void LongestFirst::arrange(Batch& batch) {
  const auto longer = [&](int a, int b) { return is_longer(batch, a, batch, b); };
  if (batch.source.rows == 0) return;
  order_.resize(static_cast<std::size_t>(batch.size));
  std::iota(order_.begin(), order_.end(), 0);
  if (std::is_sorted(order_.begin(), order_.end(), longer)) return;
  std::sort(order_.begin(), order_.end(), [&](int a, int b) { return longer(a, b) || (!longer(b, a) && a < b); });

  // Row i is to hold what stood in row order[i]. That may have been swapped away from there, by the rows before.
  for (int i = 0; i < batch.size; ++i) {
    int from = order_[static_cast<std::size_t>(i)];
    while (from < i) from = order_[static_cast<std::size_t>(from)];
    if (from == i) continue;
    swap_rows(batch.source, i, from);
    swap_rows(batch.target, i, from);
    swap_rows(batch.labels, batch.size, i, from);
    swap_rows(batch.alignment, batch.size, i, from);
    swap_rows(batch.marked, batch.size, i, from);
  }
}

}  // namespace fovea
