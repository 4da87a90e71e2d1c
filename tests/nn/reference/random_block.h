// A transformer block of the reference (fovea/nn/reference/transformer_block.h) with numbers at random, and its
// gradients.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fovea/nn/reference/transformer_block.h"
#include "tests/nn/reference/oracle.h"

namespace fovea::testing {

struct BlockShape {
  Index width = 0, heads = 1, positions = 1, mlp = 0;  // d, H, T, m d
  bool norms = true, biases = true, query = true, key = true, relative = false, sinks = false, gate = false;

  Index keys() const { return query && key ? width : heads * width; }  // H K
};

// All numbers are 0 without a seed, as those of a gradient at first.
inline reference::TransformerBlock random_block(const BlockShape& s, std::optional<std::uint64_t> seed) {
  const auto matrix = [&](Index rows, Index columns) {
    return seed ? random_array((*seed)++, rows, columns) : Array<2>(rows, columns);
  };
  const auto vector = [&](Index size) { return seed ? random_array((*seed)++, size) : Array<1>(size); };
  const auto linear = [&](Index in, Index out) {
    return reference::Linear{matrix(out, in), vector(s.biases ? out : 0)};
  };
  const auto norm = [&] { return reference::LayerNorm{1e-5, vector(s.width), vector(s.biases ? s.width : 0)}; };
  reference::TransformerBlock block;
  if (s.norms) block.norm1 = norm();
  if (s.query) block.query = linear(s.width, s.keys());
  if (s.key) block.key = linear(s.width, s.keys());
  if (s.relative) block.relative = matrix(s.positions, s.keys());
  if (s.sinks) block.sinks = vector(s.heads);
  block.value = linear(s.width, s.width);
  if (s.gate) block.gate = {matrix(s.width, s.width), vector(s.width)};
  block.output = linear(s.width, s.width);
  if (s.mlp == 0) return block;
  if (s.norms) block.norm2 = norm();
  block.up = linear(s.width, s.mlp);
  block.down = linear(s.mlp, s.width);
  return block;
}

// Every array of a block that has a size, by the name of its parameter.
inline std::vector<std::pair<std::string, std::vector<double>*>> arrays_of(reference::TransformerBlock& block) {
  std::vector<std::pair<std::string, std::vector<double>*>> all;
  const auto add = [&](const std::string& name, auto& array) {
    if (!array.values().empty()) all.emplace_back(name, &array.values());
  };
  const auto both = [&](const std::string& name, auto& part) {
    add(name + ".weight", part.weight);
    add(name + ".bias", part.bias);
  };
  both("norm1", block.norm1);
  both("query", block.query);
  both("key", block.key);
  add("position.weight", block.relative);
  add("sink", block.sinks);
  both("value", block.value);
  both("gate", block.gate);
  both("output", block.output);
  both("norm2", block.norm2);
  both("mlp.0", block.up);
  both("mlp.2", block.down);
  return all;
}

}  // namespace fovea::testing
