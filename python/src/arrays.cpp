#include "python/src/arrays.h"

#include <fmt/format.h>

#include "fovea/base/error/error.h"

namespace fovea::python {

py::dict arrays_of(const std::shared_ptr<TensorFile>& weights) {
  py::dict named;
  const py::capsule owner(new std::shared_ptr<TensorFile>(weights),
                          [](void* held) { delete static_cast<std::shared_ptr<TensorFile>*>(held); });
  for (const Tensor& tensor : weights->tensors()) {
    const std::vector<py::ssize_t> shape = sizes_of(tensor.shape);
    const void* const data = tensor.bytes.data();
    if (tensor.type == "F32") named[py::str(tensor.name)] = view_of(static_cast<const float*>(data), shape, owner);
    else if (tensor.type == "F64")
      named[py::str(tensor.name)] = view_of(static_cast<const double*>(data), shape, owner);
    else
      throw failure(fmt::format("the kept weights '{}' are {}, not F32 or F64", tensor.name, tensor.type),
                    "train the run again");
  }
  return named;
}

}  // namespace fovea::python
