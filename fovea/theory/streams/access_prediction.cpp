#include "fovea/theory/streams/access_prediction.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "fovea/theory/streams/context_table.h"

namespace fovea {

namespace {

using Window = std::span<const ShownAccess>;

constexpr int longest_lag = 8, longest_run = 4, contexts_a_view = longest_lag + longest_run - 1;

// What of an access a context is made of.
enum class View { line, page, offset, step };
constexpr int views = 2 * 4;  // each with the counter and without
constexpr int kinds = views * contexts_a_view + 1;

struct Context {
  int kind = 0;
  std::uint64_t key = 0;
  bool of_page = true, of_offset = true;  // what it predicts
};

std::uint64_t mixed(std::uint64_t key, std::int64_t more) {
  key = (key ^ static_cast<std::uint64_t>(more)) * 0x9e3779b97f4a7c15u;
  return (key ^ key >> 32) * 0xd6e8feb86659fd93u;
}

std::int64_t seen_as(View view, Window window, std::size_t i) {
  const ShownAccess& access = window[i];
  const auto line = [&](const ShownAccess& a) { return std::int64_t{a.page} << 20 | a.offset; };
  switch (view) {
    case View::line:
      return line(access);
    case View::page:
      return access.page;
    case View::offset:
      return access.offset;
    case View::step:
      return (line(access) - line(window[i - 1])) << 20 | access.offset;
  }
  return 0;
}

template <class Take>
void each_context_of(View view, bool counters, Window window, Take take) {
  Context context{0, 0, view == View::line || view == View::page, view != View::page};
  const int first = (2 * static_cast<int>(view) + counters) * contexts_a_view + 1;
  const auto length = static_cast<int>(window.size());
  std::uint64_t run = mixed(0, first);
  const int longest = view == View::step ? 1 : longest_lag;
  for (int d = 1; d <= std::min(longest, length - (view == View::step)); ++d) {
    const auto i = static_cast<std::size_t>(length - d);
    const std::int64_t seen = seen_as(view, window, i);
    const std::int64_t counter = counters ? window[i].counter + 1 : 0;
    context.kind = first + d - 1;
    context.key = mixed(mixed(mixed(0, context.kind), seen), counter);
    take(context);
    if (d > longest_run) continue;
    run = mixed(mixed(run, seen), counter);
    if (d == 1) continue;
    context.kind = first + longest_lag + d - 2;
    context.key = mixed(run, context.kind);
    take(context);
  }
}

template <class Take>
void each_context(bool counters, Window window, Take take) {
  take(Context{0, mixed(0, 0)});  // none: what comes most often
  for (const View view : {View::line, View::page, View::offset, View::step})
    for (int with = 0; with <= static_cast<int>(counters); ++with) each_context_of(view, with == 1, window, take);
}

// How sure a context is of the page, or of the offset, that it says.
class Trust {
 public:
  // A context of the kind is about to learn what came.
  template <class V>
  void count(int kind, const Followed<V>& said, V next) {
    if (said.votes == 0 || said.asked > 0) return;
    Counts& counts = firsts_[static_cast<std::size_t>(kind)];
    ++counts.asked;
    counts.right += said.value == next;
  }
  template <class V>
  double of(int kind, const Followed<V>& said) const {
    const Counts& counts = firsts_[static_cast<std::size_t>(kind)];
    const double first = (counts.right + 0.5) / (counts.asked + 2);
    return (said.right + 2 * first) / (said.asked + 2);
  }

 private:
  struct Counts {
    double asked = 0, right = 0;
  };
  std::array<Counts, kinds> firsts_{};  // of contexts that were asked for the first time
};

class Contexts {
 public:
  Contexts(bool counters, std::int64_t windows, std::int64_t most)
      : counters_(counters), table_(windows * kinds, most) {}

  void learn(Window window, const ShownAccess& next) {
    const auto offset = static_cast<std::uint8_t>(next.offset);
    each_context(counters_, window, [&](const Context& context) {
      ContextTable::Entry& entry = table_.at(context.key);
      if (context.of_page && next.page >= 0) {
        pages_.count(context.kind, entry.page, next.page);
        entry.page.count(next.page);
      }
      if (context.of_offset) {
        offsets_.count(context.kind, entry.offset, offset);
        entry.offset.count(offset);
      }
    });
  }

  // -1 where nothing is known.
  ShownAccess predict(Window window) const {
    ShownAccess said{0, -1, -1};
    double surest_page = 0, surest_offset = 0;
    each_context(counters_, window, [&](const Context& context) {
      const ContextTable::Entry* const entry = table_.find(context.key);
      if (!entry) return;
      const auto consider = [&](const auto& followed, const Trust& trust, double& surest, int& best) {
        if (followed.votes == 0) return;
        const double sure = trust.of(context.kind, followed);
        if (sure > surest) surest = sure, best = followed.value;
      };
      consider(entry->page, pages_, surest_page, said.page);
      consider(entry->offset, offsets_, surest_offset, said.offset);
    });
    return said;
  }

 private:
  bool counters_;
  ContextTable table_;
  Trust pages_, offsets_;
};

ShownAccess looked_up(Window window) {
  const ShownAccess& last = window.back();
  for (std::size_t i = window.size() - 1; i-- > 0;)
    if (window[i].page == last.page && window[i].offset == last.offset) return window[i + 1];
  return {0, -1, -1};
}

void count(AccessShares& counts, const ShownAccess& said, const ShownAccess& next) {
  const bool page = next.page >= 0 && said.page == next.page, offset = said.offset == next.offset;
  counts.page += page;
  counts.offset += offset;
  counts.both += page && offset;
}

}  // namespace

AccessPrediction predict_accesses(const Task& task, std::int64_t most_contexts) {
  const Prefetchers* const trace = task.prefetchers();
  if (!trace) throw wrong_input("the task gives no memory accesses", "choose another");
  AccessPrediction prediction;
  prediction.trained_on = task.examples(Split::train);
  prediction.asked = task.examples(Split::validation);
  prediction.fitted = trace->accesses_of(Split::train);
  prediction.scored = trace->accesses_of(Split::validation);
  Contexts contexts(task.shape().counters > 1, prediction.trained_on, most_contexts);
  std::unordered_set<int> pages;
  trace->each_window(Split::train, [&](Window window, const ShownAccess& next) {
    contexts.learn(window, next);
    pages.insert(next.page);
  });
  trace->each_window(Split::validation, [&](Window window, const ShownAccess& next) {
    count(prediction.told, contexts.predict(window), next);
    count(prediction.in_window, looked_up(window), next);
    prediction.new_pages += next.page < 0 || !pages.contains(next.page);
  });
  for (AccessShares* const shares : {&prediction.told, &prediction.in_window})
    for (double* const share : {&shares->page, &shares->offset, &shares->both})
      *share /= static_cast<double>(prediction.asked);
  prediction.new_pages /= static_cast<double>(prediction.asked);
  prediction.tables = trace->table_scores(Split::validation);
  return prediction;
}

}  // namespace fovea
