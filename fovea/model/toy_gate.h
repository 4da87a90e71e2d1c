// ToyVariant: the variants of the toy gate (docs/reference/toy-gate.md) (room model). toy_gate.cpp registers model
// `toy-gate`; theory/toy_gate.h has its flow.
#pragma once

namespace fovea {

struct ToyVariant {
  enum class Gate {
    linear,   // p itself is the parameter
    bounded,  // p = logistic(a), a is the parameter
  };
  enum class Loss {
    linear,    // s0 - s1
    logistic,  // log(1 + e^s0) + log(1 + e^-s1)
  };
  Gate gate = Gate::linear;
  Loss loss = Loss::linear;

  bool operator==(const ToyVariant&) const = default;
};

}  // namespace fovea
