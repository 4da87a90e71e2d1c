#include "fovea/data/batch_rows.h"

#include <cassert>

namespace fovea {

namespace {

// Rows of `width` values each; a part that the batch does not have stays empty.
template <class T>
void take(const std::vector<T>& all, int rows, int begin, int end, std::vector<T>& part) {
  part.clear();
  if (all.empty() || rows == 0) return;
  const auto width = static_cast<std::ptrdiff_t>(all.size()) / rows;
  part.assign(all.begin() + begin * width, all.begin() + end * width);
}

void take(const Tokens& all, int begin, int end, Tokens& part) {
  part.rows = all.rows == 0 ? 0 : end - begin;
  part.columns = all.columns;
  take(all.ids, all.rows, begin, end, part.ids);
  take(all.lengths, all.rows, begin, end, part.lengths);
}

void take(const Items& all, int begin, int end, Items& part) {
  part.rows = all.rows == 0 ? 0 : end - begin;
  part.columns = all.columns;
  part.width = all.width;
  take(all.values, all.rows, begin, end, part.values);
  take(all.lines, all.rows, begin, end, part.lines);
  take(all.lengths, all.rows, begin, end, part.lengths);
}

}  // namespace

void take_rows(const Batch& batch, int begin, int end, Batch& part) {
  assert(0 <= begin && begin <= end && end <= batch.size);
  part.size = end - begin;
  take(batch.source, begin, end, part.source);
  take(batch.target, begin, end, part.target);
  take(batch.items, begin, end, part.items);
  part.feature_width = batch.feature_width;
  take(batch.features, batch.size, begin, end, part.features);
  take(batch.labels, batch.size, begin, end, part.labels);
  take(batch.alignment, batch.size, begin, end, part.alignment);
  take(batch.marked, batch.size, begin, end, part.marked);
  part.pattern_width = batch.pattern_width;
  take(batch.pattern, batch.size, begin, end, part.pattern);
  take(batch.truth, batch.size, begin, end, part.truth);
}

}  // namespace fovea
