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

#include "fovea/model/exact/outer_error.h"
#include "fovea/model/model.h"

namespace fovea {

namespace {

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
    TraceArrays own{{}, compute.array<T>(3, factors_[0]->count())};
    std::ranges::transform(batch.answers.values, own.truth.data(), [](float x) { return static_cast<T>(x); });
    for (std::size_t i = 0; i < 3; ++i) own.error.template set<T>(i, factors_[i]->values(), truth_of(own, i));
    trace.loss = own.error.value();
    trace.keep(compute, own);
    return trace;
  }

  void backward(Compute&, const Trace<T>& trace) const override {
    const TraceArrays& own = trace.template own<TraceArrays>();
    for (std::size_t i = 0; i < 3; ++i)
      own.error.template add_slope<T>(i, 1, factors_[i]->values(), truth_of(own, i), factors_[i]->gradient);
  }

 private:
  struct TraceArrays {
    OuterError error;
    Matrix<T> truth;  // (3,n)
  };
  static std::span<const T> truth_of(const TraceArrays& own, std::size_t i) {
    return own.truth[static_cast<Index>(i)].flat();
  }

  double start_ = 0.1;
  std::array<const Param<T>*, 3> factors_{};
};

const RegisterModel<ProductModel> product_model("product",
                                                "the outer product of three vectors: a plateau in its "
                                                "simplest form");

}  // namespace

}  // namespace fovea
