// Model `race-product`: two mechanisms that share parts and compete. Vectors a, b, c (n) and d (m), and the task's a*,
// b*, c*, d*. The first mechanism is like learning in context, the second like learning in weights:
//
//   L_abc  = 1/2 mean (a b c - a* b* c*)^2        of outer products; values and slopes in outer_error.h
//   L_dbc  = 1/2 mean (d b c - d* b* c*)^2
//   loss   = (L_abc + offset) L_dbc + cost / 2 mean (a d)^2,      mean (a d)^2 = |a|^2 |d|^2 / (n m)
//
//   da     = L_dbc dL_abc/da + cost |d|^2 a / (n m)
//   dd     = (L_abc + offset) dL_dbc/dd + cost |a|^2 d / (n m)
//   db     = L_dbc dL_abc/db + (L_abc + offset) dL_dbc/db,        and the like for c
//
// Either product alone nearly suffices. If L_dbc is 0, the loss is the cost alone, and a shrinks. b and c may be
// given: then they are the task's own, and no parameters. (A. K. Singh and others, Strategy Coopetition Explains the
// Emergence and Transience of In-Context Learning, 2025.)
#include "fovea/model/exact/race_product.h"

#include <algorithm>

#include "fovea/model/model.h"

namespace fovea {

namespace {

template <class T>
class RaceProductModel final : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.number("offset", offset_, 0, 1e6, "added to the error of the first product");
    fields.number("cost", cost_, 0, 1e6, "cost of a and d together");
    fields.number("start", start_, 0, 1e6, "standard deviation of the vectors at the start");
    fields.flag("given", given_, "b and c are the task's own, and do not learn");
  }

  Kind takes() const override { return Kind::points; }
  typename Model<T>::Attends attends(const Batch&) const override { return Model<T>::Attends::no; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (shape.width < 2 || shape.most_items != 1 || shape.value_width < 2)
      throw wrong_input("model 'race-product' learns the four vectors of one task", "use task 'race-product'");
    for (std::size_t i = 0; i < 4; ++i)
      if (!given_ || i == 0 || i == 3)
        factors_[i] = &parameters.add(std::string(1, "abcd"[i]), {i == 3 ? shape.width : shape.value_width},
                                      Init::normal(start_));
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override {
    Trace<T> trace(batch, pass);
    TraceArrays own;
    const RaceVectors<float> truths = race_truths(batch);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::span<T> truth = compute.arena.take<T>(truths[i].size());
      std::ranges::transform(truths[i], truth.begin(), [](float x) { return static_cast<T>(x); });
      own.truth[i] = truth;
      own.at[i] = factors_[i] ? std::span<const T>(factors_[i]->values()) : own.truth[i];
    }
    own.errors = RaceErrors::of<T>(own.at, own.truth);
    trace.loss = (own.errors.context.value() + offset_) * own.errors.weights.value() +
                 of_cost(own) * squares(own.at[0]) * squares(own.at[3]) / 2;
    trace.keep(compute, own);
    return trace;
  }

  void backward(Compute&, const Trace<T>& trace) const override {
    const TraceArrays& own = trace.template own<TraceArrays>();
    const double of_context = own.errors.weights.value(), of_weights = own.errors.context.value() + offset_;
    for (std::size_t i = 0; i < 4; ++i) {
      if (!factors_[i]) continue;
      T* const gradient = factors_[i]->gradient;
      const std::size_t part = i == 3 ? 0 : i;  // a and d are the first factors of their products
      if (i != 3) own.errors.context.template add_slope<T>(part, of_context, own.at[i], own.truth[i], gradient);
      if (i != 0) own.errors.weights.template add_slope<T>(part, of_weights, own.at[i], own.truth[i], gradient);
      if (part != 0) continue;
      const double shrink = of_cost(own) * squares(own.at[3 - i]);
      for (std::size_t n = 0; n < own.at[i].size(); ++n)
        gradient[n] += static_cast<T>(shrink * static_cast<double>(own.at[i][n]));
    }
  }

 private:
  struct TraceArrays {
    RaceErrors errors;
    RaceVectors<T> at, truth;
  };

  static double squares(std::span<const T> x) { return OuterError::dot(x, x); }
  double of_cost(const TraceArrays& own) const {
    return cost_ / (static_cast<double>(own.at[0].size()) * static_cast<double>(own.at[3].size()));
  }

  double offset_ = 0.1, cost_ = 0.1, start_ = 1;
  bool given_ = false;
  std::array<const Param<T>*, 4> factors_{};  // null where given
};

const RegisterModel<RaceProductModel> race_product_model(
    "race-product", "two outer products that share two vectors; either nearly suffices alone");

}  // namespace

}  // namespace fovea
