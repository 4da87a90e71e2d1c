// Task `addresses`: which line of memory is accessed next, from a window of accesses. The traces are those of
// made_traces.h. Of the windows of a trace, in its order, eight tenths are trained on, the next tenth is validation and
// the last is the test. Traces that go round (`pages`, `list`, `matrix`, `gather`, and strides in the end) have the
// same windows in all three: there a test is one of memory. Windows do not reach over the end of an episode.
#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/registry.h"
#include "fovea/data/epochs.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/addresses/made_traces.h"
#include "fovea/data/tasks/addresses/tables.h"

namespace fovea {

namespace {

class Addresses final : public Task, public Prefetchers {
 public:
  void settings(Fields& fields) override {
    using enum TracePattern;
    fields.choice("trace", trace_shape_.pattern,
                  {{"strides", strides},
                   {"matrix", matrix},
                   {"list", list},
                   {"pages", pages},
                   {"gather", gather},
                   {"cycle", cycle},
                   {"random", random}},
                  "the pattern of the accesses");
    fields.integer("pages", trace_shape_.pages, 1, 4096, "pages of 64 lines that are accessed");
    fields.integer("nodes", trace_shape_.nodes, 2, 1 << 18,
                   "lines in a round of a list, a cycle or a gather; of pages, on each");
    fields.only_of("traces \"list\", \"pages\", \"gather\" and \"cycle\"", [this] { return has_nodes(); });
    fields.integer("streams", trace_shape_.streams, 1, 64, "strides in turn");
    fields.only_of("trace \"strides\"", [this] { return trace_shape_.pattern == strides; });
    fields.integer("length", trace_shape_.length, 100, 10'000'000, "accesses of the trace");
    fields.integer("window", window_, 1, 1024, "accesses that the next is foretold from");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    trace_shape_.episode = 2 * window_;
    check();
    trace_ = make_trace(trace_shape_, seed);
    const std::int64_t each = trace_.episode - window_;
    windows_ = std::ssize(trace_.accesses) / trace_.episode * each;
    if (windows_ < 30)
      throw wrong_input(fmt::format("a trace of {} accesses has {} windows of {}", trace_shape_.length,
                                    std::max<std::int64_t>(windows_, 0), window_),
                        "set task.length to more, or task.window to less: 30 are needed");
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::accesses;
    shape.counters = trace_.counters;
    shape.pages = trace_.pages;
    shape.offsets = lines_per_page;
    return shape;
  }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    const std::int64_t count = examples(split);
    Slice slice{0, size};
    if (split != Split::train) slice = slice_of(count, step, size);
    batch.size = slice.size;
    batch.source.resize(slice.size, 3 * window_);
    batch.target.resize(slice.size, 2);
    for (int row = 0; row < slice.size; ++row) {
      const std::int64_t example =
          split == Split::train ? epoch_example(seed_, "addresses.train", step, size, row, count) : slice.begin + row;
      const Access* const first = trace_.accesses.data() + begin_of(first_of(split) + example);
      for (int t = 0; t < window_; ++t) {
        batch.source.at(row, 3 * t) = first[t].counter;
        batch.source.at(row, 3 * t + 1) = first[t].page();
        batch.source.at(row, 3 * t + 2) = first[t].offset();
      }
      batch.target.at(row, 0) = first[window_].page();
      batch.target.at(row, 1) = first[window_].offset();
    }
  }

  std::int64_t examples(Split split) const override {
    const std::int64_t tenth = windows_ / 10;
    return split == Split::train ? windows_ - 2 * tenth : tenth;
  }

  const Prefetchers* prefetchers() const override { return this; }
  std::vector<TableScore> table_scores(Split split) const override {
    const std::int64_t each = trace_.episode - window_, begin = first_of(split), end = begin + examples(split);
    return score_tables(trace_, [&](std::int64_t i) {
      const std::int64_t place = i % trace_.episode - window_, window = i / trace_.episode * each + place;
      return place >= 0 && begin <= window && window < end;
    });
  }

 private:
  bool has_nodes() const {
    using enum TracePattern;
    const TracePattern p = trace_shape_.pattern;
    return p == list || p == pages || p == gather || p == cycle;
  }

  void check() const {
    const int most = most_nodes(trace_shape_.pattern, trace_shape_.pages);
    if (has_nodes() && trace_shape_.nodes > most)
      throw wrong_input(fmt::format("task 'addresses' has {} nodes and room for {}", trace_shape_.nodes, most),
                        "set task.nodes to less, or task.pages to more");
    if (trace_shape_.pattern == TracePattern::strides && trace_shape_.streams > trace_shape_.pages)
      throw wrong_input(
          fmt::format("task 'addresses' has {} streams on {} pages", trace_shape_.streams, trace_shape_.pages),
          "each needs a page of its own: set task.pages to more");
    if (trace_shape_.pattern == TracePattern::cycle && trace_shape_.nodes > window_)
      throw wrong_input(fmt::format("cycles of {} nodes do not fit a window of {}", trace_shape_.nodes, window_),
                        "set task.nodes to task.window or less: the second round is asked of the first");
  }

  std::int64_t first_of(Split split) const {
    if (split == Split::train) return 0;
    return examples(Split::train) + (split == Split::test ? examples(Split::validation) : 0);
  }
  // Where a window of the trace begins.
  std::int64_t begin_of(std::int64_t window) const {
    const std::int64_t each = trace_.episode - window_;
    return window / each * trace_.episode + window % each;
  }

  TraceShape trace_shape_{.length = 20'000};
  int window_ = 16;
  std::uint64_t seed_ = 0;
  AccessTrace trace_;
  std::int64_t windows_ = 0;
};

const Register<Task> addresses("addresses", "which line of memory is accessed next?",
                               [] { return std::make_unique<Addresses>(); });

}  // namespace

}  // namespace fovea
