// OwnMatrix: matrices that own their numbers, and find_parameter() by name (room probe/systems). Probes that multiply
// parameters with each other use them (circuits.cpp, recall.cpp and others of this room). Reads parameters only.
#pragma once

#include <string>
#include <vector>

#include "fovea/math/matmul.h"
#include "fovea/probe/probe.h"

namespace fovea {

struct OwnMatrix {
  std::vector<float> values;
  Index rows = 0, columns = 0;

  OwnMatrix(Index r, Index c) : values(static_cast<std::size_t>(r * c)), rows(r), columns(c) {}
  Matrix<float> view() { return Matrix<float>(values.data(), rows, columns); }
  Matrix<const float> view() const { return Matrix<const float>(values.data(), rows, columns); }
};

inline OwnMatrix product(const Operand<float>& a, const Operand<float>& b) {
  OwnMatrix y(a.rows, b.columns);
  matmul(a, b, y.view());
  return y;
}

// Null where the model has none of this name.
inline const ParameterView* find_parameter(std::span<const ParameterView> parameters, const std::string& name) {
  for (const ParameterView& parameter : parameters)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

}  // namespace fovea
