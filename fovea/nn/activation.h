// Elementwise nonlinearities y = f(x), in place or out of place (room nn). They write only their outputs and
// gradients. nn/mlp.h, nn/attention and the model `glimpse` call them. Backward needs the output alone, so the input
// may be overwritten:
//
//   identity      y = x                            dx = dy
//   tanh          y = tanh(x)                      dx = dy (1 - y²)
//   relu          y = x if x > 0, else 0           dx = dy if y > 0, else 0
//   leaky relu    y = x if x > 0, else slope x     dx = dy if y > 0, else slope dy
//   sigmoid       y = 1 / (1 + exp(-x))            dx = dy y (1 - y)
#pragma once

#include <span>

#include "fovea/nn/compute.h"

namespace fovea {

struct Activation {
  enum class Kind { identity, tanh, relu, leaky_relu, sigmoid } kind = Kind::relu;
  double slope = 0.01;  // leaky_relu: of the negative side, 0 or more (below 0 the output would not tell the side)

  static Activation identity() { return {Kind::identity, 0}; }
  static Activation tanh() { return {Kind::tanh, 0}; }
  static Activation relu() { return {Kind::relu, 0}; }
  static Activation leaky_relu(double slope = 0.01) { return {Kind::leaky_relu, slope}; }
  static Activation sigmoid() { return {Kind::sigmoid, 0}; }
};

// y = f(x), of one length; y may be x.
template <class T>
void activate(Team& team, Activation f, std::span<const T> x, std::span<T> y);

// dx = dy * f'(x), with f' read off y = f(x); dx may be dy.
template <class T>
void activate_backward(Team& team, Activation f, std::span<const T> y, std::span<const T> dy, std::span<T> dx);

}  // namespace fovea
