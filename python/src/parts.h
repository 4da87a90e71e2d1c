// The parts of the extension module, each bound by a file of its own (folder python/src). module.cpp calls them when
// Python imports the module.
#pragma once

#include <pybind11/pybind11.h>

namespace fovea::python {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_specs(py::module_& module);
void bind_records(py::module_& module);
void bind_training(py::module_& module);
void bind_watching(py::module_& module);
void bind_own_tasks(py::module_& module);
void bind_own_probes(py::module_& module);
void bind_own_similarities(py::module_& module);
void bind_applying(py::module_& module);
void bind_audit(py::module_& module);
void bind_observing(py::module_& module);
void bind_prediction(py::module_& module);
void bind_store(py::module_& module);
void bind_texts(py::module_& module);
void bind_word_regression(py::module_& module);

}  // namespace fovea::python
