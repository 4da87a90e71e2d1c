// The library's messages as Python says them. Their remedies name words of the command line and of spec files; who
// calls from Python gets calls and dicts instead.
#pragma once

#include <string>

#include "fovea/base/error.h"

namespace fovea::python {

// "see: fovea runs" becomes "see: fovea.store().runs()", "--set train.rate=1" becomes set={"train.rate": 1}, and so on.
std::string in_python(const std::string& text);

// A dict has no lines, and what was a word of the command line is an argument. What is wrong in a file is said in the
// file's own words.
Error in_python(const Error& error);

}  // namespace fovea::python
