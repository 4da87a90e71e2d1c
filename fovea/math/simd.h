// Which instruction set the vector kernels run on. One binary holds all of them; the best the processor has is taken,
// unless the environment variable FOVEA_SIMD caps it (see vector_math.h).
#pragma once

namespace fovea {

// To be called before any HWY_DYNAMIC_DISPATCH. Reads FOVEA_SIMD the first time; throws wrong_input if it names
// nothing.
void choose_simd();

// Whether FOVEA_SIMD names a set.
bool simd_is_capped();

}  // namespace fovea
