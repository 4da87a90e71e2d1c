// Chooses the instruction set of the vector kernels (room math). Every file with kernels in math and nn/simd calls
// choose_simd(). A release contains all sets, a local build the best of its machine and the oldest. The processor's
// best is used, unless the environment variable FOVEA_SIMD caps it (see vector_math.h).
#pragma once

namespace fovea {

// To be called before any HWY_DYNAMIC_DISPATCH. Reads FOVEA_SIMD the first time; throws wrong_input if it names
// nothing.
void choose_simd();

// Whether FOVEA_SIMD names a set.
bool simd_is_capped();

}  // namespace fovea
