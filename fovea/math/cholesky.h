// The Cholesky factor of a symmetric positive definite matrix, and systems solved by it (room math). The probe
// `locality` calls it. It writes over its arguments.
#pragma once

#include "fovea/math/view.h"

namespace fovea {

// a (N,N), its lower triangle becomes L with L Lᵀ = a. False where a is not positive definite; a is spent then.
bool cholesky(Matrix<double> a);

// b (N,M) becomes x with L Lᵀ x = b.
void cholesky_solve(Matrix<const double> l, Matrix<double> b);

}  // namespace fovea
