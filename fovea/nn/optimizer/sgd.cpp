// Optimiser `sgd`: gradient descent, with or without momentum (room nn/optimizer). TrainSettings (lab/spec) makes it
// by name, and Optimizer calls it to change the weights. Formulas and defaults are PyTorch's. w the weight, d its
// gradient, the rest as in UpdateStep:
//
//   g = s d + λ w      u ← momentum u + g      w ← w - η u         (u = g without momentum)
#include <memory>

#include "fovea/nn/optimizer/update_rule.h"
#include "fovea/nn/simd/optimizer_kernels.h"

namespace fovea {

namespace {

class Sgd : public MovesBothPrecisions<Sgd> {
 public:
  void settings(Fields& fields) override {
    fields.number("momentum", momentum_, 0, 1, "sgd: share of the last update in the next one; 0: none");
    fields.in_every_spec();
  }
  int moments() const override { return momentum_ != 0 ? 1 : 0; }
  template <class T>
  double move(const UpdateStep& step, const WeightStretch<T>& stretch) const {
    const optimizer_kernels::Sgd<T> kernel{static_cast<T>(step.rate), static_cast<T>(momentum_),
                                           static_cast<T>(step.weight_decay), static_cast<T>(step.gradient_scale)};
    return optimizer_kernels::sgd(kernel, stretch.gradient, stretch.weight, stretch.first, stretch.n);
  }

 private:
  double momentum_ = 0;
};

const Register<UpdateRule> sgd_rule("sgd", "gradient descent, with or without momentum",
                                    [] { return std::make_unique<Sgd>(); });

}  // namespace

}  // namespace fovea
