#include "fovea/theory/causal_induction.h"

#include <algorithm>
#include <limits>

#include "fovea/base/functions/functions.h"
#include "fovea/math/logistic.h"

namespace fovea {

namespace {

// Places of the second layer that are alike: how many, the first layer's weight on the copy, and its slope over a.
struct AlikePositions {
  double count = 1, seen = 0, slope = 0;
  double alpha = 0;     // weight of each
  double exponent = 0;  // e^(w alpha), by a common factor
};

class CausalPositions {
 public:
  CausalPositions(const InductionContext& context, const InductionPoint& point, const InductionClamps& clamps)
      : context_(context), point_(point), clamps_(clamps) {}

  // The answer's position is the first of all().
  void look(int copy) {
    positions_.clear();
    const int T = static_cast<int>(context_.positions);
    if (clamps_.previous || clamps_.match) {
      positions_.push_back({1, 1, 0});
      positions_.push_back({static_cast<double>(T - 1), 0, 0});
    } else {
      const double right = logistic(point_.previous - math::log(copy + 1));
      positions_.push_back({1, right, right * (1 - right)});
      positions_.push_back({static_cast<double>(copy), 0, 0});
      positions_.push_back(copy == 0 ? AlikePositions{1, 1, 0} : elsewhere(copy));
      for (int t = copy + 2; t < T; ++t) positions_.push_back(elsewhere(t));
    }
    weigh();
    exponentiate();
  }

  const std::vector<AlikePositions>& all() const { return positions_; }
  double sum() const { return sum_; }  // Z by the common factor
  double loss() const { return top_ + math::log(sum_) - point_.copy * positions_.front().alpha; }

 private:
  // 1 / (e + t), as far as e overflows or not.
  AlikePositions elsewhere(int t) const {
    const double seen = logistic(math::log(t) - point_.previous) / t;
    return {1, seen, -seen * logistic(point_.previous - math::log(t))};
  }

  void weigh() {
    if (clamps_.match) {
      positions_.front().alpha = 1;
      return;
    }
    double top = -std::numeric_limits<double>::infinity(), sum = 0;
    for (const AlikePositions& position : positions_)
      if (position.count > 0) top = std::max(top, point_.match * position.seen);
    for (AlikePositions& position : positions_) {
      position.alpha = position.count > 0 ? math::exp(point_.match * position.seen - top) : 0;
      sum += position.count * position.alpha;
    }
    for (AlikePositions& position : positions_) position.alpha /= sum;
  }

  void exponentiate() {
    const double absent = context_.vocabulary - context_.positions;
    top_ = 0;
    for (const AlikePositions& position : positions_) top_ = std::max(top_, point_.copy * position.alpha);
    sum_ = absent * math::exp(-top_);
    for (AlikePositions& position : positions_) {
      position.exponent = math::exp(point_.copy * position.alpha - top_);
      sum_ += position.count * position.exponent;
    }
  }

  const InductionContext& context_;
  const InductionPoint& point_;
  const InductionClamps& clamps_;
  std::vector<AlikePositions> positions_;
  double top_ = 0, sum_ = 0;
};

}  // namespace

double causal_induction_loss(const InductionContext& context, const InductionPoint& point,
                             const InductionClamps& clamps) {
  const int copies = static_cast<int>(context.positions) - 1;
  CausalPositions look(context, point, clamps);
  double loss = 0;
  for (int copy = 0; copy < copies; ++copy) {
    look.look(copy);
    loss += look.loss();
  }
  return loss / copies;
}

InductionPoint causal_induction_slope(const InductionContext& context, const InductionPoint& point,
                                      const InductionClamps& clamps) {
  const int copies = static_cast<int>(context.positions) - 1;
  CausalPositions look(context, point, clamps);
  InductionPoint slope;
  for (int copy = 0; copy < copies; ++copy) {
    look.look(copy);
    const AlikePositions& right = look.all().front();
    // -d loss / d alpha of one position, its mean over the weights, and the mean of the exponentials.
    const auto pull = [&](const AlikePositions& position) {
      return point.copy * ((&position == &right ? 1 : 0) - position.exponent / look.sum());
    };
    double mean = 0, said = 0;
    for (const AlikePositions& position : look.all()) {
      mean += position.count * position.alpha * pull(position);
      said += position.count * position.alpha * position.exponent;
    }
    slope.copy += (right.alpha - said / look.sum()) / copies;
    if (clamps.match) continue;
    for (const AlikePositions& position : look.all()) {
      const double change = position.count * position.alpha * (pull(position) - mean) / copies;
      slope.match += change * position.seen;
      slope.previous += change * point.match * position.slope;
    }
  }
  return slope;
}

}  // namespace fovea
