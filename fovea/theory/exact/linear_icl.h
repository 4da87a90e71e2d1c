// The course of linear attention that learns regression in context, from D, N and Lambda alone (room theory/exact).
// Pure functions. exact_prediction.cpp of this room calls it. An example has a map w ~ N(0, 1) of its own, N pairs
// (x_n, y_n = w . x_n) with x_n ~ N(0, Lambda), and a query x_q ~ N(0, Lambda) of which y_q = w . x_q is asked. l_1
// >= .. >= l_D are the eigenvalues of Lambda, tr their sum. Linear attention can answer yhat = beta' M x_q with beta
// = 1/N sum_n y_n x_n and M (D,D) its own. Along the d-th eigenvector
//
//   E[y_q beta_d x_qd]    = l_d^2
//   E[(beta_d x_qd)^2]    = l_d^2 (l_d + (l_d + tr) / N)         the fourth moments of x_n give the 1/N
//
// and nothing off the diagonal is of use, so that with the m largest eigenvalues learned, each as well as can be,
//
//   L_m = E[(y_q - yhat)^2] = tr - sum_{d <= m} l_d / (1 + (1 + tr / l_d) / N),     L_0 = tr
//
// Heads of separate rank-one keys and queries learn one direction at a time: L_0, L_1 .. L_D are plateaus. Heads of
// merged ones leave L_0 along all directions at once, early with M = s Lambda^2 / |Lambda^2|; of Lambda = l 1 they
// fall to L_D in one drop. There, with c = l^2 sqrt D and s in units of its end, the flow of half the loss from a
// small balanced start is
//
//   s' = 2 c s (1 - s),     L = L_D + (L_0 - L_D) (1 - s)^2
//
// so that the share f of the drop is done where s = 1 - sqrt(1 - f): from 10 to 90 % it takes 3.688 / (2 c). (Zhang,
// Singh, Latham and Saxe, Training dynamics of in-context learning in linear attention, 2025.)
#pragma once

#include <vector>

namespace fovea {

struct LinearIclSetting {
  int pairs = 0;                    // N, 1 or more
  std::vector<double> eigenvalues;  // of Lambda, all above 0
};

// L_0 .. L_D. Throws wrong_input of a setting that cannot be; so do the others.
std::vector<double> linear_icl_rungs(const LinearIclSetting& setting);

// How long the one drop of merged heads takes from a share of it to another, in the time of the flow of half the loss.
// Of equal eigenvalues only.
double linear_icl_duration(const LinearIclSetting& setting, double from = 0.1, double to = 0.9);

}  // namespace fovea
