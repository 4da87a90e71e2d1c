// SweepPlan: the points of a sweep, the product of its axes, with random draws as one axis more (room
// lab/experiment). Commands, the server and the Python package make it for lab/sweep.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fovea/lab/experiment/run_list.h"
#include "fovea/lab/experiment/unresolved_spec.h"

namespace fovea {

// What a run by itself is, of an experiment that is a sweep: the first value of each axis of settings, in their order.
// Overrides go before them, also those of a whole part or of which part it is; seeds, and what is drawn, are not taken.
std::vector<Override> first_values(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides);

class SweepPlan : public RunList {
 public:
  // `axes` replace the experiment's own of the same key, and so do overrides. Settings that are drawn
  // (lab/experiment/random_axis.h) are drawn together, as often as the experiment says, and each draw meets every point
  // of the other axes. Without an axis of seeds the seed is the experiment's. Throws wrong_input where axes and draws
  // make no sweep.
  SweepPlan(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides,
            const std::vector<Axis>& axes = {});

  bool draws() const { return !drawn_.empty(); }  // whether anything is drawn at random

  std::size_t size() const override { return size_; }
  ResolvedRun at(std::size_t index) const override;     // throws wrong_input for an impossible setting
  std::string label(std::size_t index) const override;  // "task.vocab 60, seed 3"
  std::string shape() const;                            // "task.vocab 3 × draws 20 × seed 10"

  // Takes every value of every axis once, and every point where they are few, to see that task and model fit. What is
  // wrong elsewhere shows when the run's turn comes.
  void check() const;

  // All of its runs, checked as by check(). Only the first few keep the task and model that the check made.
  std::vector<ResolvedRun> all() const;

  // Only every `of`-th run, from number `shard` of 1 … of: shards are disjoint, and together they are the whole.
  void keep_shard(std::int64_t shard, std::int64_t of);

 private:
  struct Drawn {
    std::string key;
    RandomAxis draw;
    bool whole = false;
  };
  // One dimension of the product, the last running fastest: an axis, or all that is drawn.
  struct Dimension {
    std::optional<Axis> axis;
    std::size_t size = 0;
  };

  void set_up_draws(std::int64_t count);
  // A point is the number of a run in the whole product, and a location its number in this shard of it.
  std::size_t point_of(std::size_t index) const { return first_ + index * stride_; }
  std::vector<std::size_t> coordinates(std::size_t point) const;
  std::vector<Override> settings_at(const std::vector<std::size_t>& coordinates) const;
  ResolvedRun at_point(std::size_t point) const;
  std::vector<std::size_t> points_to_check() const;

  UnresolvedSpec base_;
  std::vector<Dimension> dimensions_;
  std::vector<Drawn> drawn_;
  std::uint64_t draw_seed_ = 0;
  std::size_t size_ = 1, first_ = 0, stride_ = 1;
};

}  // namespace fovea
