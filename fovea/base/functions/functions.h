// exp, log, pow, sin and other functions of one number, with the same bits from every C library and compiler (room
// base/functions). All rooms call them in place of std's. They use additions, products, quotients and square roots of
// IEEE alone. A compiler must not contract these (-ffp-contract=off).
//
// Each result of a double is within 0.8 units in the last place of the truth, subnormal results included
// (tests/base/functions). A float is computed in double and rounded once. Special values are those of C (Annex F).
// Functions that IEEE defines exactly stay those of std: sqrt, fabs, floor, ceil, trunc, round, ldexp, fma.
#pragma once

#include <concepts>

namespace fovea::math {

double exp(double x);
double exp2(double x);
double expm1(double x);
double log(double x);
double log2(double x);
double log10(double x);
double log1p(double x);
double pow(double x, double y);
double cbrt(double x);
double hypot(double x, double y);
double hypot(double x, double y, double z);
double sin(double x);
double cos(double x);
double sinh(double x);
double cosh(double x);
double tanh(double x);
double erfc(double x);

inline float exp(float x) { return static_cast<float>(exp(static_cast<double>(x))); }
inline float log(float x) { return static_cast<float>(log(static_cast<double>(x))); }
inline float log1p(float x) { return static_cast<float>(log1p(static_cast<double>(x))); }
inline float tanh(float x) { return static_cast<float>(tanh(static_cast<double>(x))); }

// Of a count: exp(2), log(32).
double exp(std::integral auto x) { return exp(static_cast<double>(x)); }
double log(std::integral auto x) { return log(static_cast<double>(x)); }

}  // namespace fovea::math
