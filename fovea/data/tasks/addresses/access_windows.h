// AccessWindows: base class of the tasks on memory accesses, `addresses` and `address-trace` (room
// data/tasks/addresses). The question is which line is accessed next, after a window of accesses. Of the windows of a
// trace, in its order, eight tenths are trained on (or the first of them), the next tenth is validation and the last
// is the test. Windows do not cross the end of an episode.
#pragma once

#include <memory>

#include "fovea/data/prefetchers.h"
#include "fovea/data/tasks/addresses/access_trace.h"

namespace fovea {

class AccessWindows : public Task, public Prefetchers {
 public:
  TaskShape shape() const override;
  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override;
  std::int64_t examples(Split split) const override;
  const Prefetchers* prefetchers() const override { return this; }
  std::vector<TableScore> table_scores(Split split) const override;
  void each_window(Split split, const TakeWindow& take) const override;
  AccessRange accesses_of(Split split) const override;

 protected:
  // Whether a batch of validation or test lies evenly over the whole of it, and not on neighbours, which are much alike
  // where a program does one thing after another.
  virtual bool spreads() const { return false; }
  // How many windows are trained on at most; 0: all that are for it.
  virtual std::int64_t most_trained() const { return 0; }
  void window_setting(Fields& fields);
  int window() const { return window_; }
  // What the task is about. Throws wrong_input where it has too few windows.
  void take(std::shared_ptr<const AccessTrace> trace, std::uint64_t seed, const std::string& remedy);

 private:
  std::int64_t first_of(Split split) const;
  std::int64_t begin_of(std::int64_t window) const;  // its first access in the trace
  ShownAccess shown(const Access& access) const;
  std::int64_t windows_each() const { return trace_->episode - window_; }  // of an episode

  int window_ = 16;
  std::uint64_t seed_ = 0;
  std::shared_ptr<const AccessTrace> trace_;
  std::int64_t windows_ = 0;
};

}  // namespace fovea
