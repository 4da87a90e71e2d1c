// Optimisers `adam` and `adamw`, which decays weights apart from the gradient (room nn/optimizer). TrainSettings
// (lab/spec) makes them by name, and Optimizer calls them to change the weights. Formulas and defaults are PyTorch's.
// w the weight, d its gradient, the rest as in UpdateStep:
//
//   adam    g = s d + λ w      m ← β₁ m + (1 - β₁) g   v ← β₂ v + (1 - β₂) g²
//           w ← w - η (m / (1 - β₁^t)) / (√(v / (1 - β₂^t)) + ε)
//   adamw   as adam with g = s d, from (1 - η λ) w
#include <cmath>
#include <memory>

#include "fovea/base/functions/functions.h"
#include "fovea/nn/optimizer/update_rule.h"
#include "fovea/nn/simd/optimizer_kernels.h"

namespace fovea {

namespace {

class Adam : public MovesBothPrecisions<Adam> {
 public:
  explicit Adam(bool decays_apart) : decays_apart_(decays_apart) {}

  void settings(Fields& fields) override {
    fields.number("beta1", beta1_, 0, 1 - 1e-12, "adam: decay of the running mean of the gradient");
    fields.in_every_spec();
    fields.number("beta2", beta2_, 0, 1 - 1e-12, "adam: decay of the running mean of the squared gradient");
    fields.in_every_spec();
    fields.number("epsilon", epsilon_, 0, 1, "adam: number added to the root of the squared gradient");
    fields.in_every_spec();
  }
  int moments() const override { return 2; }
  template <class T>
  double move(const UpdateStep& step, const WeightStretch<T>& stretch) const {
    const optimizer_kernels::Adam<T> kernel{static_cast<T>(step.rate / (1 - math::pow(beta1_, step.count))),
                                            static_cast<T>(1 / std::sqrt(1 - math::pow(beta2_, step.count))),
                                            static_cast<T>(beta1_),
                                            static_cast<T>(beta2_),
                                            static_cast<T>(epsilon_),
                                            static_cast<T>(decays_apart_ ? 0 : step.weight_decay),
                                            static_cast<T>(decays_apart_ ? 1 - step.rate * step.weight_decay : 1),
                                            static_cast<T>(step.gradient_scale)};
    return optimizer_kernels::adam(kernel, stretch.gradient, stretch.weight, stretch.first, stretch.second, stretch.n);
  }

 private:
  bool decays_apart_;
  double beta1_ = 0.9, beta2_ = 0.999, epsilon_ = 1e-8;
};

const Register<UpdateRule> adam_rule("adam", "a rate for each weight, by the running mean of its squared gradient",
                                     [] { return std::make_unique<Adam>(false); });
const Register<UpdateRule> adamw_rule("adamw", "adam, with the decay of the weights apart from the gradient",
                                      [] { return std::make_unique<Adam>(true); });

}  // namespace

}  // namespace fovea
