// Converts settings between Python and the library: bool, int, float, str, lists and dicts, NumPy's numbers and
// arrays too (folder python/src). The bindings of this folder call it.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "fovea/base/error/value.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/record/record.h"

namespace fovea::python {

namespace py = pybind11;

// A str in UTF-8. Throws wrong_input where it holds half of a pair of surrogates, which has no letter; `name` says
// whose it is.
std::string text_of(py::handle text, const std::string& name);

// `name` is the setting's, for messages. Throws wrong_input for what no setting can be (None, functions, …).
Value value_of(py::handle object, const std::string& name);
py::object object_of(const Value& value);

// {"task.vocab": 60, …}, in its order.
std::vector<Override> overrides_of(const py::dict& settings);
py::dict dict_of(const std::vector<Override>& settings);

// "done", "stopped" or "running"; anything else is a run that failed.
RunState state_named(const std::string& name);

}  // namespace fovea::python
