// Stores and reads the arrays of a run (room lab/store). store.cpp and store_query.cpp of this room call it.
//
// An array is stored as IEEE half (io/half.h) if that loses nothing, or if it is attention: it is named "attention",
// "attention_held", or "attention." and more, and every value is in [0, 1]. Attention read back is then within 2^-11
// of its size, and within 2^-25 below 2^-14. Everything else is stored as float, bit for bit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fovea/lab/store/store_state.h"

namespace fovea {

bool fits_half(const ArrayRecord& array);
void keep_arrays(Store::State& state, std::int64_t id, std::span<const ArrayRecord> arrays);
std::vector<ArrayRecord> read_arrays(Store::State& state, std::int64_t id,
                                     const std::string& name);  // in the order kept
std::vector<ArrayShape> read_array_shapes(Store::State& state, std::int64_t id);

}  // namespace fovea
