// Errors and remedies in the words of the package: its calls, their arguments, and specs as dicts.
#pragma once

#include <string>

#include "fovea/base/error/wording.h"

namespace fovea::python {

const Wording& python_wording();

// As Python writes it: True, "text", {"a": 1}.
std::string python_literal(const Value& value);

}  // namespace fovea::python
