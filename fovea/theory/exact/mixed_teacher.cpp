#include "fovea/theory/exact/mixed_teacher.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "fovea/base/functions/functions.h"
#include "fovea/data/tasks/exact/laws.h"

namespace fovea {

namespace {

// A normal number on a grid, or the number 0 alone.
struct GridNode {
  double value, weight;
};
std::vector<GridNode> normal_grid(bool alone) {
  if (alone) return {{0, 1}};
  constexpr double step = 0.5;
  constexpr int most = 10;
  std::vector<GridNode> nodes;
  double sum = 0;
  for (int k = -most; k <= most; ++k) {
    const double x = step * k;
    nodes.push_back({x, math::exp(-x * x / 2)});
    sum += nodes.back().weight;
  }
  for (GridNode& node : nodes) node.weight /= sum;
  return nodes;
}

// The first vector's weight on itself, of its number and the other's.
double weight_on_itself(double own, double other) { return 1 / (1 + math::exp(own * (other - own))); }

struct WeightMoments {
  double mean = 0, square = 0;
  void add(double value, double weight) {
    mean += weight * value;
    square += weight * value * value;
  }
};

// Of T over the content.
WeightMoments teacher_moments(const MixedTeacher& teacher) {
  WeightMoments moments;
  const std::vector<GridNode> nodes = normal_grid(false);
  for (const GridNode& first : nodes)
    for (const GridNode& second : nodes)
      moments.add(teacher_weight(teacher.positional, teacher.noise * first.value, teacher.noise * second.value),
                  first.weight * second.weight);
  return moments;
}

// Of P over g, at given content.
WeightMoments student_moments(const MixedTeacher& teacher, double position, double meaning, double first, double second,
                              const std::vector<GridNode>& nodes) {
  WeightMoments moments;
  for (const GridNode& one : nodes)
    for (const GridNode& two : nodes)
      moments.add(weight_on_itself(position + teacher.noise * (position * one.value + meaning * first),
                                   -position + teacher.noise * (position * two.value + meaning * second)),
                  one.weight * two.weight);
  return moments;
}

// The least of a function over 0 .. 4: on a grid, then by golden section.
MixedMinimum least_over(const std::function<double(double)>& loss) {
  constexpr double step = 0.1;
  MixedMinimum best{0, loss(0)};
  for (int k = 1; k <= 40; ++k)
    if (const double value = loss(step * k); value < best.loss) best = {step * k, value};
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double low = std::max(0.0, best.at - step), high = best.at + step;
  while (high - low > 1e-6) {
    const double left = high - golden * (high - low), right = low + golden * (high - low);
    if (loss(left) < loss(right)) high = right;
    else low = left;
  }
  best.at = (low + high) / 2;
  best.loss = loss(best.at);
  return best;
}

// The share at which a difference that falls with it is 0.
double share_of_crossing(const std::function<double(double share)>& lead) {
  double low = 0, high = 1;
  if (lead(high) > 0) return 1;
  while (high - low > 1e-4) {
    const double middle = (low + high) / 2;
    (lead(middle) > 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double mixed_loss(const MixedTeacher& teacher, double position, double meaning) {
  const double scale = 2 * teacher.noise * teacher.noise;
  const std::vector<GridNode> spread = normal_grid(position == 0);
  if (meaning == 0) {  // P and T are independent
    const WeightMoments truth = teacher_moments(teacher), student = student_moments(teacher, position, 0, 0, 0, spread);
    return scale * (student.square - 2 * student.mean * truth.mean + truth.square);
  }
  double error = 0;
  const std::vector<GridNode> nodes = normal_grid(false);
  for (const GridNode& first : nodes)
    for (const GridNode& second : nodes) {
      const WeightMoments student = student_moments(teacher, position, meaning, first.value, second.value, spread);
      const double truth =
          teacher_weight(teacher.positional, teacher.noise * first.value, teacher.noise * second.value);
      error += first.weight * second.weight * (student.square - 2 * student.mean * truth + truth * truth);
    }
  return scale * error;
}

double mixed_linear_loss(const MixedTeacher& teacher) {
  const WeightMoments truth = teacher_moments(teacher);
  return 2 * teacher.noise * teacher.noise * (truth.square - truth.mean * truth.mean);
}

double mixed_slope_ratio(const MixedTeacher& teacher) {
  double position = 0, meaning = 0;
  const std::vector<GridNode> nodes = normal_grid(false);
  for (const GridNode& first : nodes)
    for (const GridNode& second : nodes) {
      const double z = teacher.noise * first.value, other = teacher.noise * second.value;
      const double lead = first.weight * second.weight * (teacher_weight(teacher.positional, z, other) - 0.5);
      position += (2 + teacher.noise * teacher.noise) * lead;
      meaning += z * (z - other) * lead;
    }
  return position / meaning;
}

double small_noise_slope_ratio(const MixedTeacher& teacher) {
  constexpr double delta = 0.1;
  const double s2 = teacher.noise * teacher.noise, share = teacher.positional;
  return (2 + s2) * ((1 - share) * s2 / 4 + share * delta) / ((1 - share) * s2 * s2 + share * delta * s2);
}

MixedMinimum best_position(const MixedTeacher& teacher) {
  return least_over([&](double c) { return mixed_loss(teacher, c, 0); });
}

MixedMinimum best_meaning(const MixedTeacher& teacher) {
  return least_over([&](double c) { return mixed_loss(teacher, 0, c); });
}

double meaning_curvature(const MixedTeacher& teacher) {
  constexpr double step = 0.02;
  const MixedMinimum position = best_position(teacher);
  return 2 * (mixed_loss(teacher, position.at, step) - position.loss) / (step * step);
}

double mixed_crossing(double noise) {
  return share_of_crossing([&](double share) {
    const MixedTeacher teacher{noise, share};
    return best_position(teacher).loss - best_meaning(teacher).loss;
  });
}

double mixed_linear_crossing(double noise) {
  return share_of_crossing([&](double share) {
    const MixedTeacher teacher{noise, share};
    return mixed_linear_loss(teacher) - std::min(best_position(teacher).loss, best_meaning(teacher).loss);
  });
}

}  // namespace fovea
