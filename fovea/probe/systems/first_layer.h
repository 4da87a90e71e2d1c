// FirstLayer: the vector that the first layer of a transformer adds to a stream, from its parameters (room
// probe/systems). The probes `silence` and `sink_value_length` use it. Input u_t = LN(E[x_t] + P[t]), or without LN
// and P if the model has none; values W u_t + b; gates σ(G u_t + b_g), 1 without a gate; and O of the heads' outputs.
// Reads parameters only.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fovea/math/logistic.h"
#include "fovea/nn/layer_norm.h"
#include "fovea/probe/probe.h"

namespace fovea {

using LayerNumbers = std::vector<double>;

class FirstLayer {
 public:
  // Throws wrong_input where the model is no transformer; `probe` is who asks.
  FirstLayer(const Evaluation& evaluation, const char* probe)
      : embedding_(required(evaluation, "embedding.weight", probe)),
        value_(required(evaluation, "layer.1.value.weight", probe)),
        output_(required(evaluation, "layer.1.output.weight", probe)),
        gate_(found(evaluation, "layer.1.gate.weight")),
        gate_bias_(found(evaluation, "layer.1.gate.bias")),
        position_(found(evaluation, "position.weight")),
        value_bias_(found(evaluation, "layer.1.value.bias")),
        scale_(found(evaluation, "layer.1.norm1.weight")),
        shift_(found(evaluation, "layer.1.norm1.bias")) {}

  LayerNumbers input(int token, int position) const {
    const auto width = static_cast<std::size_t>(embedding_.shape[1]);
    LayerNumbers u(width, 0.0);
    add(embedding_.values.subspan(static_cast<std::size_t>(token) * width, width), u);
    if (!position_.empty()) add(position_.subspan(static_cast<std::size_t>(position) * width, width), u);
    if (!scale_.empty()) normalise(u);
    return u;
  }
  LayerNumbers value(const LayerNumbers& input) const {
    LayerNumbers value = times(value_.values, input);
    add(value_bias_, value);
    return value;
  }
  void gate(const LayerNumbers& input, LayerNumbers& sums) const {
    if (gate_.empty()) return;
    LayerNumbers gates = times(gate_, input);
    add(gate_bias_, gates);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] *= logistic(gates[i]);
  }
  // The length of O y; O's own bias, which is added wherever attention is, is left out.
  double length(const LayerNumbers& sums) const {
    double squares = 0;
    for (const double one : times(output_.values, sums)) squares += one * one;
    return std::sqrt(squares);
  }

 private:
  static std::span<const float> found(const Evaluation& evaluation, const std::string& name) {
    for (const ParameterView& parameter : evaluation.parameters)
      if (parameter.name == name) return parameter.values;
    return {};
  }
  static ParameterView required(const Evaluation& evaluation, const std::string& name, const std::string& probe) {
    for (const ParameterView& parameter : evaluation.parameters)
      if (parameter.name == name) return parameter;
    throw wrong_input("probe '" + probe + "' reads '" + name + "', which the model does not have",
                      "remove the probe, or use a transformer");
  }

  static void add(std::span<const float> more, LayerNumbers& to) {
    for (std::size_t i = 0; i < more.size(); ++i) to[i] += static_cast<double>(more[i]);
  }
  // Of a matrix with as many columns as x.
  static LayerNumbers times(std::span<const float> matrix, const LayerNumbers& x) {
    LayerNumbers y(matrix.size() / x.size(), 0.0);
    for (std::size_t i = 0; i < matrix.size(); ++i) y[i / x.size()] += static_cast<double>(matrix[i]) * x[i % x.size()];
    return y;
  }
  void normalise(LayerNumbers& u) const {
    const auto width = static_cast<double>(u.size());
    double mean = 0, variance = 0;
    for (const double one : u) mean += one / width;
    for (const double one : u) variance += (one - mean) * (one - mean) / width;
    const double k = 1 / std::sqrt(variance + LayerNorm<float>{}.epsilon);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = (u[i] - mean) * k * static_cast<double>(scale_[i]);
    add(shift_, u);
  }

  ParameterView embedding_, value_, output_;
  std::span<const float> gate_, gate_bias_, position_, value_bias_, scale_, shift_;
};

}  // namespace fovea
