// UpdateRule: how an optimiser moves a stretch of weights, given its gradient (room nn/optimizer). Optimizer calls it
// (optimizer.h, which also has what all rules share: clipping, groups, names, the norm). Each rule is one file of
// this room that registers itself by its name in specs, with settings of its own:
//
//   namespace {
//   class Sign : public MovesBothPrecisions<Sign> { … };
//   const Register<UpdateRule> sign("sign", "by the sign of the gradient", [] { return std::make_unique<Sign>(); });
//   }
#pragma once

#include <cstddef>

#include "fovea/base/registry.h"
#include "fovea/base/settings.h"

namespace fovea {

// Neighbouring weights that move alike. Each array has n numbers, whole lines of 64 bytes.
template <class T>
struct WeightStretch {
  const T* gradient;
  T* weight;
  T *first, *second;  // moments, 0 before the first step; nullptr where the rule keeps fewer
  std::size_t n;
};

struct UpdateStep {
  double rate;            // η: the schedule's, times the group's
  double count;           // t: the steps that these weights have taken, this one counted
  double weight_decay;    // λ
  double gradient_scale;  // s: what clipping leaves of the gradient
};

class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  virtual void settings(Fields&) {}
  // How many moments it keeps of each weight: 0, 1 or 2.
  virtual int moments() const = 0;
  // Moves the weights and returns the sum of the squares of their gradient, unscaled. Allocates nothing.
  virtual double update(const UpdateStep& step, const WeightStretch<float>& stretch) const = 0;
  virtual double update(const UpdateStep& step, const WeightStretch<double>& stretch) const = 0;
};

// A rule with one template for both precisions: double move(step, stretch).
template <class Rule>
class MovesBothPrecisions : public UpdateRule {
 public:
  double update(const UpdateStep& step, const WeightStretch<float>& stretch) const final { return move(step, stretch); }
  double update(const UpdateStep& step, const WeightStretch<double>& stretch) const final {
    return move(step, stretch);
  }

 private:
  template <class T>
  double move(const UpdateStep& step, const WeightStretch<T>& stretch) const {
    return static_cast<const Rule&>(*this).move(step, stretch);
  }
};

}  // namespace fovea
