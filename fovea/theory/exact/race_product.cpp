#include "fovea/theory/exact/race_product.h"

#include <cmath>
#include <vector>

#include "fovea/base/functions/functions.h"
#include "fovea/model/exact/race_product.h"

namespace fovea {

double race_faded_error(const Batch& truths) {
  const RaceVectors<float> truth = race_truths(truths);
  RaceVectors<float> at = truth;
  const std::vector<float> none(truth[0].size(), 0.0f);
  at[0] = none;
  return RaceErrors::of<float>(at, truth).context.value();
}

double race_fade_time(const Batch& truths, double cost, double share) {
  const RaceVectors<float> truth = race_truths(truths);
  const double cells = static_cast<double>(truth[0].size()) * static_cast<double>(truth[3].size());
  return -math::log(1 - std::sqrt(share)) * cells / (cost * OuterError::dot(truth[3], truth[3]));
}

}  // namespace fovea
