#include "fovea/theory/streams/access_prediction.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fovea {

namespace {

constexpr int longest_lag = 8, longest_run = 4, windows_a_batch = 256;

using Line = std::int64_t;

// A window's accesses, each as one number, and what follows; -1 where its page is not told apart.
struct Window {
  std::vector<Line> accesses, lines;
  Line next = 0;
  int next_page = 0;
};

Window window_of(const Batch& batch, int row, int offsets) {
  Window window;
  const auto line = [&](int page, int offset) { return page < 0 ? Line{-1} : Line{page} * offsets + offset; };
  for (int t = 0; t < batch.source.columns / 3; ++t) {
    window.lines.push_back(line(batch.source.at(row, 3 * t + 1), batch.source.at(row, 3 * t + 2)));
    window.accesses.push_back(window.lines.back() << 20 | batch.source.at(row, 3 * t));
  }
  window.next_page = batch.target.at(row, 0);
  window.next = line(window.next_page, batch.target.at(row, 1));
  return window;
}

template <class Take>
std::int64_t each_window(const Task& task, Split split, std::int64_t most, Take take) {
  const int offsets = task.shape().offsets;
  const std::int64_t count = std::min(most, task.examples(split));
  Batch batch;
  for (std::int64_t done = 0, step = 0; done < count; ++step) {
    task.batch(split, static_cast<std::uint64_t>(step), windows_a_batch, batch);
    for (int row = 0; row < batch.size && done < count; ++row, ++done) take(window_of(batch, row, offsets));
  }
  return count;
}

class Contexts {
 public:
  void learn(const Window& window) {
    each(window, [&](std::uint64_t key) {
      Entry& entry = entries_[key];
      if (entry.seen++ > 0) entry.right += entry.next == window.next;
      entry.next = window.next;
    });
  }

  // What the surest says; -1 where there is none.
  Line foretell(const Window& window) const {
    double surest = 0;
    Line next = -1;
    each(window, [&](std::uint64_t key) {
      const auto found = entries_.find(key);
      if (found == entries_.end()) return;
      const double sure = (found->second.right + 0.5) / found->second.seen;
      if (sure > surest) surest = sure, next = found->second.next;
    });
    return next;
  }

 private:
  struct Entry {
    Line next = 0;
    int seen = 0, right = 0;
  };

  static std::uint64_t mixed(std::uint64_t key, Line more) {
    key = (key ^ static_cast<std::uint64_t>(more)) * 0x9e3779b97f4a7c15u;
    return key ^ key >> 29;
  }

  template <class Take>
  static void each(const Window& window, Take take) {
    const auto length = static_cast<int>(window.accesses.size());
    const auto back = [&](int d) { return window.accesses[static_cast<std::size_t>(length - d)]; };
    for (int d = 1; d <= std::min(longest_lag, length); ++d) take(mixed(static_cast<std::uint64_t>(d), back(d)));
    std::uint64_t run = mixed(100, back(1));
    for (int k = 2; k <= std::min(longest_run, length); ++k) take(run = mixed(run, back(k)));
  }

  std::unordered_map<std::uint64_t, Entry> entries_;
};

Line looked_up(const Window& window) {
  for (std::size_t i = window.lines.size() - 1; i-- > 0;)
    if (window.lines[i] == window.lines.back()) return window.lines[i + 1];
  return -1;
}

}  // namespace

AccessPrediction predict_accesses(const Task& task, std::int64_t trained_on) {
  const Prefetchers* const tables = task.prefetchers();
  if (!tables) throw wrong_input("the task gives no memory accesses", "choose another");
  AccessPrediction prediction;
  Contexts contexts;
  std::unordered_set<int> pages;
  prediction.trained_on = each_window(task, Split::train, trained_on, [&](const Window& window) {
    contexts.learn(window);
    pages.insert(window.next_page);
  });
  std::int64_t told = 0, in_window = 0, new_pages = 0;
  prediction.asked = each_window(task, Split::validation, task.examples(Split::validation), [&](const Window& window) {
    const bool known = window.next_page >= 0;
    new_pages += !known || !pages.contains(window.next_page);
    told += known && contexts.foretell(window) == window.next;
    in_window += known && looked_up(window) == window.next;
  });
  const auto share = [&](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(std::max<std::int64_t>(prediction.asked, 1));
  };
  prediction.told = share(told);
  prediction.in_window = share(in_window);
  prediction.new_pages = share(new_pages);
  prediction.tables = tables->table_scores(Split::validation);
  return prediction;
}

}  // namespace fovea
