#include "fovea/probe/probe.h"

namespace fovea {

const ParameterView& Evaluation::parameter(std::string_view name) const {
  for (const ParameterView& view : parameters) {
    if (view.name == name) return view;
  }
  std::string known;
  for (const ParameterView& view : parameters) known += (known.empty() ? "" : ", ") + view.name;
  throw failure("the model has no parameter '" + std::string(name) + "'", "it has: " + known);
}

}  // namespace fovea
