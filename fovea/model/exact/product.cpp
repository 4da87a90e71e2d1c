// Model `product` (room model/exact): the outer product of three vectors, which shows how a chain of things to learn
// shapes the loss. lab/spec makes it by name for a run. It writes only traces and gradients. Vectors a, b, c and the
// task's a*, b*, c* (n):
//
//   loss = 1/2 mean_ijk (a_i b_j c_k - a*_i b*_j c*_k)^2
//        = [ |a|^2 |b|^2 |c|^2 - 2 (a . a*)(b . b*)(c . c*) + |a*|^2 |b*|^2 |c*|^2 ] / (2 n^3)
//   da   = [ |b|^2 |c|^2 a - (b . b*)(c . c*) a* ] / n^3,   and the like for b and c
//
// From a small start nothing moves for long, since each gradient is as small as the product of the two others. If one
// or two of the three are given (an intervention clamps them), the plateau is shorter, or absent.
#include <algorithm>
#include <array>

#include "fovea/model/model.h"

namespace fovea {

namespace {

template <class T>
double dot(std::span<const T> x, std::span<const T> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  return sum;
}

template <class T>
class ProductModel final : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.number("start", start_, 0, 1e6, "standard deviation of the vectors at the start");
  }

  Kind takes() const override { return Kind::points; }
  typename Model<T>::Attends attends(const Batch&) const override { return Model<T>::Attends::no; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (shape.width != 1 || shape.most_items != 1 || shape.value_width < 2)
      throw wrong_input("model 'product' learns the three vectors of one task", "use task 'product'");
    for (std::size_t i = 0; i < 3; ++i)
      factors_[i] = &parameters.add(std::string(1, "abc"[i]), {shape.value_width}, Init::normal(start_));
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override {
    Trace<T> trace(batch, pass);
    const Sizes at = sizes(compute, batch);
    trace.loss = (at.square[0] * at.square[1] * at.square[2] - 2 * at.along[0] * at.along[1] * at.along[2] + at.whole) /
                 (2 * at.cells);
    trace.keep(compute, at);
    return trace;
  }

  void backward(Compute&, const Trace<T>& trace) const override {
    const Sizes& at = trace.template own<Sizes>();
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      const double shrink = at.square[j] * at.square[k] / at.cells, pull = at.along[j] * at.along[k] / at.cells;
      for (Index n = 0; n < factors_[i]->count(); ++n)
        factors_[i]->gradient[n] += static_cast<T>(shrink * static_cast<double>(factors_[i]->value[n]) -
                                                   pull * static_cast<double>(at.target(static_cast<Index>(i), n)));
    }
  }

 private:
  struct Sizes {
    std::array<double, 3> square{}, along{};  // |a|^2 and a . a*, and so on
    double whole = 1, cells = 1;              // |a*|^2 |b*|^2 |c*|^2, n^3
    Matrix<T> target;                         // (3,n)
  };

  Sizes sizes(Compute& compute, const Batch& batch) const {
    Sizes at;
    at.target = compute.array<T>(3, factors_[0]->count());
    std::ranges::transform(batch.answers.values, at.target.data(), [](float x) { return static_cast<T>(x); });
    for (std::size_t i = 0; i < 3; ++i) {
      const std::span<const T> factor = factors_[i]->values(), target = at.target[static_cast<Index>(i)].flat();
      at.square[i] = dot(factor, factor);
      at.along[i] = dot(factor, target);
      at.whole *= dot(target, target);
      at.cells *= static_cast<double>(factor.size());
    }
    return at;
  }

  double start_ = 0.1;
  std::array<const Param<T>*, 3> factors_{};
};

const RegisterModel<ProductModel> product_model("product",
                                                "the outer product of three vectors: a plateau in its "
                                                "simplest form");

}  // namespace

}  // namespace fovea
