// Names the axes of a picture of one example's attention (room view/terminal). attention_text.cpp of this room and
// the Python package print it. Reads the run's spec.
#pragma once

#include <string>

#include "fovea/lab/record/run_spec.h"

namespace fovea {

// "outputs down, inputs across", "its words across" and the like, by what the run's model says its rows are.
std::string attention_axes(const RunSpec& spec);

}  // namespace fovea
