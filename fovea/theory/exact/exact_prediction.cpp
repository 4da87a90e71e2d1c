#include "fovea/theory/exact/exact_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fovea/data/tasks/exact/laws.h"
#include "fovea/theory/exact/linear_icl.h"
#include "fovea/theory/exact/mixed_teacher.h"
#include "fovea/theory/exact/race_product.h"
#include "fovea/theory/exact/task_diversity.h"
#include "fovea/theory/sparse_emergence.h"

namespace fovea {

namespace {

ExactPrediction of_regression(const RegressionLaw& law) {
  const LinearIclSetting setting{law.pairs(), {law.eigenvalues().begin(), law.eigenvalues().end()}};
  ExactPrediction prediction;
  for (const double height : linear_icl_rungs(setting)) {
    const std::size_t known = prediction.heights.size();
    prediction.heights.push_back({std::to_string(known), fmt::format("{} directions learned", known), height});
  }
  if (std::ranges::count(setting.eigenvalues, setting.eigenvalues.front()) == std::ssize(setting.eigenvalues))
    prediction.times.push_back(
        {"drop", "from 10 to 90 % of the drop, of merged heads; flow of half the loss", linear_icl_duration(setting)});
  return prediction;
}

ExactPrediction of_sparse(const SparseLaw& law) {
  SparseSetting setting{law.positions(), law.width(), law.copies()};
  ExactPrediction prediction;
  prediction.heights = {{"start", "nothing learned", sparse_loss(setting, {})}};
  prediction.times = {{"half", "until the loss is half of that, with a logit for each position", sparse_time(setting)}};
  setting.shared = true;
  prediction.times.push_back({"half_shared", "the same time if the copies share a logit", sparse_time(setting)});
  return prediction;
}

ExactPrediction of_race(const RaceLaw& law) {
  constexpr double cost = 0.1, share = 0.8;
  ExactPrediction prediction;
  prediction.heights_are = "Errors";
  prediction.heights = {
      {"faded", "error of the first product once its own vector is 0", race_faded_error(law.truths())}};
  prediction.times = {
      {"fade",
       fmt::format("until that error is {} of this, from the end of the second's, at a cost of {}", share, cost),
       race_fade_time(law.truths(), cost, share)}};
  return prediction;
}

ExactPrediction of_mixed_teacher(const MixedTeacherLaw& law) {
  const MixedTeacher teacher{law.noise(), law.positional()};
  ExactPrediction prediction;
  prediction.heights = {{"start", "nothing learned", mixed_loss(teacher, 0, 0)},
                        {"position", "attention by position alone, at its best", best_position(teacher).loss},
                        {"meaning", "attention by meaning alone, at its best", best_meaning(teacher).loss},
                        {"linear", "constant weights, at their best", mixed_linear_loss(teacher)}};
  prediction.numbers = {
      {"slope_ratio", "slope of position over slope of meaning at the start", mixed_slope_ratio(teacher)},
      {"small_noise_ratio", "its formula for small noise", small_noise_slope_ratio(teacher)},
      {"curvature", "curvature toward meaning at the best position; below 0, descent leaves it",
       meaning_curvature(teacher)}};
  return prediction;
}

ExactPrediction of_diversity(const DiversityLaw& law, double examples) {
  const double d = law.width();
  DiversitySetting setting{static_cast<double>(law.tasks()) / d, law.pairs() / d, examples / (d * d), law.noise()};
  ExactPrediction prediction;
  prediction.heights_are = "Errors on new tasks";
  prediction.heights = {{"start", "nothing learned", 1 + law.noise()},
                        {"fit", "least squares on the training examples, for large width", diversity_error(setting)}};
  setting.diversity = std::numeric_limits<double>::infinity();
  prediction.heights.push_back(
      {"own_tasks", "the same if each example has a task of its own", diversity_error(setting)});
  prediction.heights.push_back(
      {"least", "least error of linear attention", diversity_least_error(setting.pairs, setting.noise)});
  return prediction;
}

}  // namespace

ExactPrediction predict_exact(const Task& task) {
  if (const RegressionLaw* const law = task.regression_law()) return of_regression(*law);
  if (const SparseLaw* const law = task.sparse_law()) return of_sparse(*law);
  if (const auto* const law = dynamic_cast<const RaceLaw*>(&task)) return of_race(*law);
  if (const auto* const law = dynamic_cast<const MixedTeacherLaw*>(&task)) return of_mixed_teacher(*law);
  if (const auto* const law = dynamic_cast<const DiversityLaw*>(&task))
    return of_diversity(*law, static_cast<double>(task.examples(Split::train)));
  return {};
}

}  // namespace fovea
