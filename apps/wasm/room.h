// Checks that a training fits into the memory of a browser (folder apps/wasm). engine.cpp calls it before a training
// starts. Reads the spec; changes nothing.
#pragma once

#include "fovea/base/error/error.h"
#include "fovea/lab/record/run_spec.h"

namespace fovea::page {

// What a person is told where there is too little.
Error no_room();

// Throws no_room() where one array of the training would alone take all of it. A size that large does not fail on 32
// bits: it wraps around.
void refuse_without_room(const RunSpec& spec);

}  // namespace fovea::page
