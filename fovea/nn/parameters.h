// ParameterSet: the parameters of a model, named and grouped, in one buffer, with their gradients in a second (room
// nn). Layers and models declare them. Optimisers, interventions, checkpoints and probes read or change them.
//
// Layers declare parameters while the model is built; finish() then lays them out in the order of declaration (each
// on a 64-byte line), so that an optimiser step is one loop and a checkpoint one write. Shapes and names are
// PyTorch's.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/buffer.h"
#include "fovea/base/team.h"
#include "fovea/math/view.h"

namespace fovea {

// How a parameter starts. Uniform and normal draw from RandomStream(seed, "init", 0, purpose_id(name)): its start
// depends on its name, not on what else the model holds, so models that share parts start those parts alike.
struct Init {
  enum class Kind { constant, uniform, normal, diagonal } kind = Kind::constant;
  // constant: the value; uniform: drawn from [-a, a); normal: the standard deviation; diagonal: a matrix's, else 0
  double a = 0;

  static Init constant(double value) { return {Kind::constant, value}; }
  static Init uniform(double bound) { return {Kind::uniform, bound}; }
  static Init normal(double deviation) { return {Kind::normal, deviation}; }
  static Init diagonal(double value) { return {Kind::diagonal, value}; }
};

// What a parameter is for. Interventions freeze, thaw, copy and pace whole groups. Statistics (the running means of a
// batch norm, and what a model keeps as it was drawn) are kept and copied with the rest, but no optimiser touches them
// and their gradient stays 0.
enum class Group { body, attention, statistics };

template <class T>
struct Param {
  std::string name;
  std::vector<Index> shape;
  Init init;
  Group group;
  T* value = nullptr;  // set by finish()
  T* gradient = nullptr;

  bool learns() const { return group != Group::statistics; }
  Index count() const {
    Index n = 1;
    for (const Index s : shape) n *= s;
    return n;
  }
  std::span<T> values() const { return {value, static_cast<std::size_t>(count())}; }
  std::span<T> gradients() const { return {gradient, static_cast<std::size_t>(count())}; }
  Vector<T> vector() const { return Vector<T>(value, count()); }
  Matrix<T> matrix() const { return Matrix<T>(value, shape[0], shape[1]); }
  Vector<T> vector_gradient() const { return Vector<T>(gradient, count()); }
  Matrix<T> matrix_gradient() const { return Matrix<T>(gradient, shape[0], shape[1]); }
};

template <class T>
class ParameterSet {
 public:
  ParameterSet() = default;
  ParameterSet(const ParameterSet&) = delete;
  ParameterSet& operator=(const ParameterSet&) = delete;

  // The reference stays good for the life of the set. A name used twice is a mistake of the program (assert).
  Param<T>& add(std::string name, std::vector<Index> shape, Init init, Group group = Group::body);

  void finish();                        // lays out; call once, after every add
  void initialise(std::uint64_t seed);  // every parameter anew from its Init

  // All of them, padding included (padding is 0 in both and stays so).
  std::span<T> values() const { return values_.span(); }
  std::span<T> gradients() const { return gradients_.span(); }
  void clear_gradients(Team& team);
  void clear_gradients();  // alone

  const std::deque<Param<T>>& all() const { return params_; }
  const Param<T>* find(std::string_view name) const;  // nullptr if there is none
  std::size_t count() const;                          // without padding

 private:
  std::deque<Param<T>> params_;
  Buffer<T> values_;
  Buffer<T> gradients_;
  bool finished_ = false;
};

// "encoder." + "weight_hh" and so on: layers are handed a prefix.
inline std::string under(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

}  // namespace fovea
