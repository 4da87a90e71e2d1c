#include "fovea/theory/causal_induction.h"

#include <algorithm>
#include <limits>

#include "fovea/base/functions/functions.h"
#include "fovea/math/logistic.h"

namespace fovea {

namespace {

// Places of the second layer that are alike: how many, the first layer's weight on the copy, and its slope over a.
struct AlikePlaces {
  double count = 1, seen = 0, slope = 0;
  double alpha = 0;     // weight of each
  double exponent = 0;  // e^(w alpha), by a common factor
};

class CausalPlaces {
 public:
  CausalPlaces(const InductionContext& context, const InductionPoint& point, const InductionClamps& clamps)
      : context_(context), point_(point), clamps_(clamps) {}

  // The answer's place is the first of all().
  void look(int copy) {
    places_.clear();
    const int T = static_cast<int>(context_.places);
    if (clamps_.previous || clamps_.match) {
      places_.push_back({1, 1, 0});
      places_.push_back({static_cast<double>(T - 1), 0, 0});
    } else {
      const double right = logistic(point_.previous - math::log(copy + 1));
      places_.push_back({1, right, right * (1 - right)});
      places_.push_back({static_cast<double>(copy), 0, 0});
      places_.push_back(copy == 0 ? AlikePlaces{1, 1, 0} : elsewhere(copy));
      for (int t = copy + 2; t < T; ++t) places_.push_back(elsewhere(t));
    }
    weigh();
    exponentiate();
  }

  const std::vector<AlikePlaces>& all() const { return places_; }
  double sum() const { return sum_; }  // Z by the common factor
  double loss() const { return top_ + math::log(sum_) - point_.copy * places_.front().alpha; }

 private:
  // 1 / (e + t), as far as e overflows or not.
  AlikePlaces elsewhere(int t) const {
    const double seen = logistic(math::log(t) - point_.previous) / t;
    return {1, seen, -seen * logistic(point_.previous - math::log(t))};
  }

  void weigh() {
    if (clamps_.match) {
      places_.front().alpha = 1;
      return;
    }
    double top = -std::numeric_limits<double>::infinity(), sum = 0;
    for (const AlikePlaces& place : places_)
      if (place.count > 0) top = std::max(top, point_.match * place.seen);
    for (AlikePlaces& place : places_) {
      place.alpha = place.count > 0 ? math::exp(point_.match * place.seen - top) : 0;
      sum += place.count * place.alpha;
    }
    for (AlikePlaces& place : places_) place.alpha /= sum;
  }

  void exponentiate() {
    const double absent = context_.vocabulary - context_.places;
    top_ = 0;
    for (const AlikePlaces& place : places_) top_ = std::max(top_, point_.copy * place.alpha);
    sum_ = absent * math::exp(-top_);
    for (AlikePlaces& place : places_) {
      place.exponent = math::exp(point_.copy * place.alpha - top_);
      sum_ += place.count * place.exponent;
    }
  }

  const InductionContext& context_;
  const InductionPoint& point_;
  const InductionClamps& clamps_;
  std::vector<AlikePlaces> places_;
  double top_ = 0, sum_ = 0;
};

}  // namespace

double causal_induction_loss(const InductionContext& context, const InductionPoint& point,
                             const InductionClamps& clamps) {
  const int copies = static_cast<int>(context.places) - 1;
  CausalPlaces look(context, point, clamps);
  double loss = 0;
  for (int copy = 0; copy < copies; ++copy) {
    look.look(copy);
    loss += look.loss();
  }
  return loss / copies;
}

InductionPoint causal_induction_slope(const InductionContext& context, const InductionPoint& point,
                                      const InductionClamps& clamps) {
  const int copies = static_cast<int>(context.places) - 1;
  CausalPlaces look(context, point, clamps);
  InductionPoint slope;
  for (int copy = 0; copy < copies; ++copy) {
    look.look(copy);
    const AlikePlaces& right = look.all().front();
    // -d loss / d alpha of one place, its mean over the weights, and the mean of the exponentials.
    const auto pull = [&](const AlikePlaces& place) {
      return point.copy * ((&place == &right ? 1 : 0) - place.exponent / look.sum());
    };
    double mean = 0, said = 0;
    for (const AlikePlaces& place : look.all()) {
      mean += place.count * place.alpha * pull(place);
      said += place.count * place.alpha * place.exponent;
    }
    slope.copy += (right.alpha - said / look.sum()) / copies;
    if (clamps.match) continue;
    for (const AlikePlaces& place : look.all()) {
      const double change = place.count * place.alpha * (pull(place) - mean) / copies;
      slope.match += change * place.seen;
      slope.previous += change * point.match * place.slope;
    }
  }
  return slope;
}

}  // namespace fovea
