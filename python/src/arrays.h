// Shares the library's memory with NumPy arrays: a view keeps its owner alive (folder python/src). Most bindings of
// this folder call it. Nothing is copied.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <vector>

#include "fovea/io/safetensors.h"
#include "fovea/math/view.h"

namespace fovea::python {

namespace py = pybind11;

inline void make_read_only(py::array& array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
}

inline std::vector<py::ssize_t> sizes_of(const std::vector<Index>& shape) { return {shape.begin(), shape.end()}; }

// Read-only; `owner` lives as long as the array does.
template <class T>
py::array view_of(const T* data, const std::vector<py::ssize_t>& shape, const py::object& owner) {
  py::array array(py::dtype::of<T>(), shape, data, owner);
  make_read_only(array);
  return array;
}

template <class T>
py::array view_of(const std::vector<T>& values, const py::object& owner) {
  return view_of(values.data(), {static_cast<py::ssize_t>(values.size())}, owner);
}

// The weights of a file by their names, in the memory that it was read into.
py::dict arrays_of(const std::shared_ptr<TensorFile>& weights);

}  // namespace fovea::python
