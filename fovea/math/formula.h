// Formula: a formula over named numbers that a person wrote in a spec, such as "-abs(q - k)" (room math). The model
// `similarity` (model/items/similarity.h) evaluates its similarity with it.
//
// It has + - * / ^ ( ), the constant pi and the functions abs, exp, log, sqrt, sin, cos, tanh (one argument) and min,
// max (two). A parsed formula is a short list of operations without branches or other calls. It cannot do harm, and
// its evaluation allocates no memory.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/base/error/error.h"

namespace fovea {

class Formula {
 public:
  Formula() = default;

  // Throws wrong_input with the column of the mistake and the nearest known name. Unknown names are those not in
  // `names`.
  static Formula parse(const std::string& text, const std::vector<std::string>& names, const Location& location = {});

  // `values`: one for each of the names, in their order.
  double operator()(std::span<const double> values) const;

  bool reads(std::size_t name) const;  // whether the formula uses names[name]
  const std::string& text() const { return text_; }

  static constexpr std::size_t most_pending = 32;  // numbers waiting for an operation at any time

 private:
  enum class Op {
    number,
    name,
    add,
    subtract,
    multiply,
    divide,
    power,
    negate,
    abs,
    exp,
    log,
    sqrt,
    sin,
    cos,
    tanh,
    min,
    max
  };
  struct Step {
    Op op = Op::number;
    double number = 0;
    std::size_t name = 0;
  };
  class Parser;

  std::string text_;
  std::vector<Step> steps_;  // in the order of a pocket calculator: operands first
};

}  // namespace fovea
