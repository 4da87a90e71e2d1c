// The error of linear attention on new tasks after least squares on few tasks, of task `task-diversity` (room
// theory/exact). Pure functions. exact_prediction.cpp of this room and the probe `least-squares` call it. A map G
// answers
//
//   yhat = h' G x_q,      h = d / N sum_n y_n x_n,      d numbers, N pairs
//
// and the published map has one more row, for 1 / N sum_n y_n^2 in h. On new tasks, with b = (1 + noise) d / N + 1 +
// 1 / N and g the row for the squares (E y^2 = 1 + noise, over x ~ N(0, I / d) and w of norm sqrt d):
//
//   E (y_q - yhat)^2 = 1 + noise - 2 / d tr G + b / d |G|^2 + (1 + noise)^2 (1 + 2 / N) / d |g|^2
//
// For d -> infinity with K / d = diversity, N / d = pairs and n / d^2 = samples, the map of least norm among those of
// least squares on n examples has the error below. With x = (1 + noise) / pairs, r = 1 / diversity, s = samples:
//
//   M(r) = 2 / (x + 1 - r + sqrt((x + 1 - r)^2 + 4 x r)),    m = M(r),    u = x M(s r)
//   s < 1:  s (1 + x) / (1 - s) [1 - s (1 - u)^2 - (x - noise) u / x] - 2 s (1 - u) + noise + 1
//   s > 1:  (k - 1 / (s - 1)) (1 + x) (x m)^2 + (3 - 2 s) / (s - 1) m x^2 + [(1 + noise) m / (s - 1) + 1] x
//             + noise m / (s - 1) + noise,      k = 1 / (1 - r (m / (1 + r m))^2)
//
// It has no bound at s = 1, where the map just interpolates the examples. The row for squares changes nothing in this
// limit. (Y. M. Lu, M. Letey, J. A. Zavatone-Veth, A. Maiti, C. Pehlevan, Asymptotic theory of in-context learning by
// linear attention, 2024.)
#pragma once

#include <vector>

#include "fovea/data/batch.h"

namespace fovea {

struct DiversitySetting {
  double diversity = 1;  // infinity: a task of its own for each example
  double pairs = 5, samples = 5, noise = 0.1;
};

// The error in the limit. Throws wrong_input of a setting that cannot be, and of samples = 1.
double diversity_error(const DiversitySetting& setting);

// The least error of any map, in the limit: samples and diversity without bound.
double diversity_least_error(double pairs, double noise);

enum class SquaresRow { absent, present };

// Of a batch of task `task-diversity`: the map of least norm among those of least squares, (d,d) or (d+1,d) row by
// row. Throws wrong_input where the examples do not determine it.
std::vector<double> least_squares_map(const Batch& batch, SquaresRow row);

// The error of a map on new tasks, for finite d and N.
double new_task_error(const std::vector<double>& map, int width, int pairs, double noise);

}  // namespace fovea
