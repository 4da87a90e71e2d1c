// Task `addresses`: which line of memory is accessed next, in traces that are made (made_traces.h) (room
// data/tasks/addresses). lab/spec makes it by name for a run. It reads its settings and seed only. Cyclic traces
// (`pages`, `list`, `matrix`, `gather`, and strides in the end) have the same windows in training, validation and
// test. There, a test measures memory.
#include <fmt/format.h>

#include "fovea/base/registry.h"
#include "fovea/data/tasks/addresses/access_windows.h"
#include "fovea/data/tasks/addresses/made_traces.h"

namespace fovea {

namespace {

class Addresses final : public AccessWindows {
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
                   "lines in a round of a list, a cycle or a gather; pattern pages: lines on each page");
    fields.only_of("traces \"list\", \"pages\", \"gather\" and \"cycle\"", [this] { return has_nodes(); });
    fields.integer("streams", trace_shape_.streams, 1, 64, "number of strides, which take turns");
    fields.only_of("trace \"strides\"", [this] { return trace_shape_.pattern == strides; });
    fields.integer("length", trace_shape_.length, 100, 10'000'000, "number of accesses in the trace");
    window_setting(fields);
    fields.integer("trained", trained_, 0, 10'000'000,
                   "the first windows of the trace that are trained on; 0: all except held-out windows");
  }

  void prepare(std::uint64_t seed) override {
    trace_shape_.episode = 2 * window();
    check();
    take(std::make_shared<AccessTrace>(make_trace(trace_shape_, seed)), seed,
         "raise task.length, or lower task.window");
  }

 private:
  std::int64_t most_trained() const override { return trained_; }

  bool has_nodes() const {
    using enum TracePattern;
    const TracePattern p = trace_shape_.pattern;
    return p == list || p == pages || p == gather || p == cycle;
  }

  void check() const {
    const int most = most_nodes(trace_shape_.pattern, trace_shape_.pages);
    if (has_nodes() && trace_shape_.nodes > most)
      throw wrong_input(
          fmt::format("task 'addresses' has {} nodes, and its pages have room for {}", trace_shape_.nodes, most),
          "lower task.nodes, or raise task.pages");
    if (trace_shape_.pattern == TracePattern::strides && trace_shape_.streams > trace_shape_.pages)
      throw wrong_input(
          fmt::format("task 'addresses' has {} streams on {} pages", trace_shape_.streams, trace_shape_.pages),
          "raise task.pages: each stream needs its own page");
    if (trace_shape_.pattern == TracePattern::cycle && trace_shape_.nodes > window())
      throw wrong_input(fmt::format("cycles of {} nodes do not fit a window of {}", trace_shape_.nodes, window()),
                        "set task.nodes to task.window or less: the first round predicts the second");
  }

  TraceShape trace_shape_{.length = 20'000};
  std::int64_t trained_ = 0;
};

const Register<Task> addresses("addresses", "which line of memory is accessed next?",
                               [] { return std::make_unique<Addresses>(); });

}  // namespace

}  // namespace fovea
