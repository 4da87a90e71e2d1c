#include "fovea/data/tasks/addresses/access_windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/data/epochs.h"
#include "fovea/data/tasks/addresses/tables.h"

namespace fovea {

void AccessWindows::window_setting(Fields& fields) {
  fields.integer("window", window_, 1, 1024, "number of accesses from which the next access is predicted");
}

void AccessWindows::take(std::shared_ptr<const AccessTrace> trace, std::uint64_t seed, const std::string& remedy) {
  trace_ = std::move(trace);
  seed_ = seed;
  const std::int64_t accesses = std::ssize(trace_->accesses);
  windows_ = accesses > window_ ? accesses / trace_->episode * windows_each() : 0;
  if (windows_ < 30)
    throw wrong_input(fmt::format("a trace of {} accesses has {} windows of {}", accesses, windows_, window_),
                      remedy + ": 30 are needed");
}

TaskShape AccessWindows::shape() const {
  TaskShape shape;
  shape.kind = Kind::accesses;
  shape.counters = trace_->counters;
  shape.pages = trace_->pages;
  shape.offsets = lines_per_page;
  return shape;
}

void AccessWindows::batch(Split split, std::uint64_t step, int size, Batch& batch) const {
  const std::int64_t count = examples(split);
  Slice slice{0, size};
  if (split != Split::train) slice = slice_of(count, step, size);
  batch.size = slice.size;
  batch.source.resize(slice.size, 3 * window_);
  batch.target.resize(slice.size, 2);
  for (int row = 0; row < slice.size; ++row) {
    std::int64_t example = slice.begin + row;
    if (split == Split::train) example = epoch_example(seed_, "addresses.train", step, size, row, count);
    else if (spreads()) example = spread_example(count, step, size, row);
    const Access* const first = trace_->accesses.data() + begin_of(first_of(split) + example);
    for (int t = 0; t < window_; ++t) {
      const ShownAccess access = shown(first[t]);
      batch.source.at(row, 3 * t) = access.counter;
      batch.source.at(row, 3 * t + 1) = access.page >= 0 ? access.page : trace_->pages - 1;
      batch.source.at(row, 3 * t + 2) = access.offset;
    }
    const ShownAccess next = shown(first[window_]);
    batch.target.at(row, 0) = next.page;
    batch.target.at(row, 1) = next.offset;
  }
}

std::int64_t AccessWindows::examples(Split split) const {
  const std::int64_t tenth = windows_ / 10;
  if (split != Split::train) return tenth;
  return most_trained() > 0 ? std::min(most_trained(), windows_ - 2 * tenth) : windows_ - 2 * tenth;
}

std::vector<TableScore> AccessWindows::table_scores(Split split) const {
  const std::int64_t begin = first_of(split), end = begin + examples(split);
  return score_tables(*trace_, [&](std::int64_t i) {
    const std::int64_t position = i % trace_->episode - window_,
                       window = i / trace_->episode * windows_each() + position;
    return position >= 0 && begin <= window && window < end;
  });
}

void AccessWindows::each_window(Split split, const TakeWindow& take) const {
  const std::int64_t begin = first_of(split), end = begin + examples(split);
  std::vector<ShownAccess> seen;  // the window and what follows
  for (std::int64_t window = begin; window < end; ++window) {
    const Access* const first = trace_->accesses.data() + begin_of(window);
    const bool goes_on = !seen.empty() && window % windows_each() != 0;
    if (goes_on) seen.erase(seen.begin());
    else seen.clear();
    for (int t = goes_on ? window_ : 0; t <= window_; ++t) seen.push_back(shown(first[t]));
    take(std::span(seen).first(static_cast<std::size_t>(window_)), seen.back());
  }
}

AccessRange AccessWindows::accesses_of(Split split) const {
  const std::int64_t begin = first_of(split), last = begin + examples(split) - 1;
  return {begin_of(begin) + window_ + 1, begin_of(last) + window_ + 1};
}

ShownAccess AccessWindows::shown(const Access& access) const {
  return {access.counter, trace_->number_of(access.page()), access.offset()};
}

std::int64_t AccessWindows::begin_of(std::int64_t window) const {
  return window / windows_each() * trace_->episode + window % windows_each();
}

std::int64_t AccessWindows::first_of(Split split) const {
  const std::int64_t tenth = windows_ / 10;
  return split == Split::train ? 0 : windows_ - (split == Split::validation ? 2 * tenth : tenth);
}

}  // namespace fovea
