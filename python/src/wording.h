// The words of the package for errors and remedies: its calls, their arguments, and specs as dicts (folder
// python/src). errors.cpp and others of this folder make exceptions with them.
#pragma once

#include <string>

#include "fovea/base/error/wording.h"

namespace fovea::python {

const Wording& python_wording();

// As Python writes it: True, "text", {"a": 1}.
std::string python_literal(const Value& value);

}  // namespace fovea::python
