#include "fovea/theory/course.h"

#include <algorithm>
#include <span>

#include "fovea/base/functions/functions.h"

namespace fovea {

namespace {

// First time at which the curve is at `level`, straight between points in the logarithm of time.
double first_time(const std::vector<double>& times, const std::vector<double>& curve, double level) {
  for (std::size_t k = 0; k < curve.size(); ++k) {
    if (!(curve[k] >= level)) continue;
    if (k == 0) return 0;
    const double share = (level - curve[k - 1]) / (curve[k] - curve[k - 1]);
    if (times[k - 1] == 0) return share * times[k];
    return times[k - 1] * math::pow(times[k] / times[k - 1], share);
  }
  return Course::never;
}

}  // namespace

void Course::add(double time, double knowledge_now, double attention_now, double correct_now) {
  times.push_back(time);
  knowledge.push_back(knowledge_now);
  attention.push_back(attention_now);
  correct.push_back(correct_now);
}

void Course::finish() {
  if (times.empty()) return;
  horizon = times.back();
  knowledge_half = first_time(times, knowledge, (knowledge.front() + 1) / 2);
  attention_half = first_time(times, attention, (attention.front() + 1) / 2);
  correct_90 = first_time(times, correct, 0.9);
  accuracy_90 = first_time(times, accuracy, 0.9);
  auc_95 = first_time(times, auc, 0.95);
}

std::vector<double> Course::evenly(const std::vector<double>& curve, int points) const {
  std::vector<double> even;
  std::size_t k = 0;
  for (int point = 0; point < points; ++point) {
    const double time = times.back() * point / (points - 1);
    while (k + 2 < times.size() && times[k + 1] < time) ++k;
    const double share = (time - times[k]) / (times[k + 1] - times[k]);
    even.push_back(curve[k] + std::clamp(share, 0.0, 1.0) * (curve[k + 1] - curve[k]));
  }
  return even;
}

bool Course::over() const {
  if (times.empty() || knowledge.back() < 0.9 || attention.back() < 0.9) return false;
  if (correct.back() >= 0.9) return true;
  // It may stay below for ever. 16 times as long as both stages took is long enough.
  const double both = std::max(first_time(times, knowledge, 0.9), first_time(times, attention, 0.9));
  return times.back() > 16 * both;
}

std::vector<double> course_times() {
  std::vector<double> times{0};
  for (int k = -4 * 8; k <= 24 * 8; ++k) times.push_back(math::exp2(k / 8.0));
  return times;
}

}  // namespace fovea
