// Two ways to attend, of model `rank-one-attention` on task `position-or-meaning` with many samples, from noise and
// share alone (room theory/exact). In high dimension and with many samples q = c1 1 + c2 q*: c1 is position, c2 is
// meaning. Then
//
//   s_i    = u_i c1 + noise (c1 g_i + c2 h_i),      z_i = noise h_i,      g, h ~ N(0, 1) of i = 1, 2,  u = (1, -1)
//   P      = sigma(s_1 (s_1 - s_2)),                T = (1 - positional) sigma(z_1 (z_1 - z_2)) + 0.6 positional
//   loss   = 2 noise^2 E (P - T)^2
//
// where the weights of the first vector on itself are enough for all four: each row sums to 1, and the second row is
// the first with signs turned. c1 = 0 and c2 = 0 are kept by descent. Near c = 0, with w = z_1 (z_1 - z_2),
//
//   loss   = loss(0) - noise^2 (2 + noise^2) E[T - 1/2] c1^2 - noise^2 E[(T - 1/2) w] c2^2
//
// so position grows first if and only if its slope is larger. For small noise T - 1/2 is (1 - positional) w / 4 + 0.1
// positional, and the ratio of slopes is a formula:
//
//   (2 + noise^2) [(1 - positional) noise^2 / 4 + 0.1 positional]
//     / [(1 - positional) noise^4 + 0.1 positional noise^2]
//
// The best constant weights are the linear rival: loss = 2 noise^2 Var T. Expectations are sums over a grid, whose
// error falls faster than any power of its step, since what is summed is smooth and ends in the tails of the normal
// law.
#pragma once

namespace fovea {

struct MixedTeacher {
  double noise = 0.5, positional = 0.3;
};

double mixed_loss(const MixedTeacher& teacher, double position, double meaning);
// Of the linear rival.
double mixed_linear_loss(const MixedTeacher& teacher);
// The slope of position at the start over that of meaning, and its formula for small noise.
double mixed_slope_ratio(const MixedTeacher& teacher);
double small_noise_slope_ratio(const MixedTeacher& teacher);

// The least loss along one way alone, and where it is.
struct MixedMinimum {
  double at = 0, loss = 0;
};
MixedMinimum best_position(const MixedTeacher& teacher);
MixedMinimum best_meaning(const MixedTeacher& teacher);

// d^2 loss / d meaning^2 where position alone is best: below 0, descent on many samples leaves that position.
double meaning_curvature(const MixedTeacher& teacher);

// The share at which the best of two ways changes, between 0 and 1; 1 if it does not: from meaning to position, and
// from the better of both to the linear rival.
double mixed_crossing(double noise);
double mixed_linear_crossing(double noise);

}  // namespace fovea
