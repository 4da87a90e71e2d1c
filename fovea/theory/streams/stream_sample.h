// StreamSample: training sequences of a task of token streams, stored so that they can be read several times (room
// theory/streams). lag_statistics.h of this room and theory/exact/causal_tree.h read it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/data/task.h"

namespace fovea {

class StreamSample {
 public:
  // `sequences` of them; where the data are finite, each at most once. Throws wrong_input where the task does not give
  // token streams.
  StreamSample(const Task& task, std::int64_t sequences);

  int vocab() const { return shape_.vocab; }
  int target_vocab() const { return shape_.target_vocab; }
  std::int64_t size() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  std::int64_t positions() const { return starts_.back(); }
  std::int64_t asked() const { return asked_; }  // positions at which something is asked

  std::span<const int> source(std::int64_t n) const { return part(source_, n); }
  std::span<const int> target(std::int64_t n) const { return part(target_, n); }  // -1 where nothing is asked
  // Where the answer stands, -1 for nowhere or not known.
  std::span<const int> alignment(std::int64_t n) const { return part(alignment_, n); }

 private:
  std::span<const int> part(const std::vector<int>& all, std::int64_t n) const {
    const auto begin = static_cast<std::size_t>(starts_[static_cast<std::size_t>(n)]);
    const auto end = static_cast<std::size_t>(starts_[static_cast<std::size_t>(n) + 1]);
    return std::span(all).subspan(begin, end - begin);
  }

  TaskShape shape_;
  std::vector<int> source_, target_, alignment_;
  std::vector<std::int64_t> starts_{0};
  std::int64_t asked_ = 0;
};

}  // namespace fovea
