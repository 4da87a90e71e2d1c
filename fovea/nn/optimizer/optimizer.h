// Optimizer: one update of a whole parameter set, in one loop over the flat buffers (room nn/optimizer). The
// TrainLoop (lab/train) calls it. It changes the weights and its moments. An UpdateRule (nn/optimizer/update_rule.h)
// moves the weights; this class does what all rules share. With ‖d‖ the norm of the gradient over all groups that are
// not frozen,
//
//   s = 1 / ‖d‖ if the gradient is normalised, else 1 if clip = 0, else min(1, clip / (‖d‖ + 1e-6))
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fovea/base/team.h"
#include "fovea/nn/optimizer/update_rule.h"
#include "fovea/nn/parameters.h"

namespace fovea {

// What every rule takes.
struct OptimizerSettings {
  double weight_decay = 0;             // PyTorch's default for adamw is 0.01
  double clip = 0;                     // the most the norm of the whole gradient may be; 0: no limit
  std::optional<bool> normalize = {};  // whether the norm is made 1; left open (no) it stands in no spec
};

// How fast a group goes: its share of the rate. What is frozen is passed over: no weight, no moment, no decay, no step
// count changes, and its gradient takes no part in the norm. Beside whole groups, what belongs to a name is frozen: a
// parameter has a bit for each name that it belongs to, and is so while one of them is in frozen_names.
struct Pace {
  double rate = 1;
  bool frozen = false;
};
struct Paces {
  std::array<Pace, 2> groups;  // by Group: body, attention; statistics never move
  std::uint64_t frozen_names = 0;
};

template <class T>
class Optimizer {
 public:
  // The set is finished; it and the rule outlive the optimiser. The names of each parameter, or none.
  Optimizer(ParameterSet<T>& parameters, const UpdateRule& rule, OptimizerSettings settings = {},
            const std::vector<std::uint64_t>& names = {});

  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // One step at this rate from the gradients there are; does not clear them. Returns the norm, before clipping, of the
  // gradient of the groups that are not frozen. The same bits whatever the team.
  double step(Team& team, double rate, const Paces& paces = {});

  // What a checkpoint must keep: the moments that the rule has (laid out as the parameters; empty where it has fewer)
  // and the steps taken by each part: both groups, then what of them has names.
  std::span<T> first_moments() const { return first_.span(); }
  std::span<T> second_moments() const { return second_.span(); }
  std::span<std::uint64_t> steps_taken() { return steps_; }

 private:
  // What is frozen together, and so has taken the same steps.
  struct Part {
    std::size_t group;
    std::uint64_t names;
    bool frozen(const Paces& paces) const { return paces.groups[group].frozen || (names & paces.frozen_names) != 0; }
    bool operator==(const Part&) const = default;
  };
  // A stretch of the buffers that holds one part; starts on a line and is a whole number of lines.
  struct Piece {
    std::size_t begin, end;
    std::size_t part;
  };
  template <class Work>
  double norm_of_pieces(Team& team, const Paces& paces, const Work& work);

  ParameterSet<T>& parameters_;
  const UpdateRule& rule_;
  OptimizerSettings settings_;
  std::vector<Part> parts_;
  std::vector<Piece> pieces_;
  std::vector<double> sums_;            // of each piece, for the norm
  std::vector<UpdateStep> part_steps_;  // of each part, for the step
  Buffer<T> first_, second_;
  std::vector<std::uint64_t> steps_;  // of each part
};

}  // namespace fovea
