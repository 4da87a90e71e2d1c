#include "fovea/nn/parameters.h"

#include <algorithm>
#include <cassert>
#include <new>

#include "fovea/base/random.h"

namespace fovea {

namespace {

constexpr std::size_t line_bytes = 64;

template <class T>
T* allocate_zeros(std::size_t count) {
  T* data = static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(line_bytes)));
  std::fill(data, data + count, T{0});
  return data;
}

}  // namespace

template <class T>
ParameterSet<T>::~ParameterSet() {
  ::operator delete(values_, std::align_val_t(line_bytes));
  ::operator delete(gradients_, std::align_val_t(line_bytes));
}

template <class T>
Param<T>& ParameterSet<T>::add(std::string name, std::vector<Index> shape, Init init, Group group) {
  assert(values_ == nullptr && !find(name));
  params_.push_back({std::move(name), std::move(shape), init, group});
  return params_.back();
}

template <class T>
void ParameterSet<T>::finish() {
  assert(values_ == nullptr);
  constexpr std::size_t per_line = line_bytes / sizeof(T);
  std::vector<std::size_t> offsets;
  for (const Param<T>& p : params_) {
    offsets.push_back(size_);
    size_ += (static_cast<std::size_t>(p.count()) + per_line - 1) / per_line * per_line;
  }
  values_ = allocate_zeros<T>(size_);
  gradients_ = allocate_zeros<T>(size_);
  for (std::size_t i = 0; i < params_.size(); ++i) {
    params_[i].value = values_ + offsets[i];
    params_[i].gradient = gradients_ + offsets[i];
  }
}

template <class T>
void ParameterSet<T>::initialise(std::uint64_t seed) {
  for (Param<T>& p : params_) {
    Stream stream(seed, "init", 0, purpose_id(p.name));
    for (T& value : p.values()) {
      switch (p.init.kind) {
        case Init::Kind::constant: value = static_cast<T>(p.init.a); break;
        case Init::Kind::uniform: value = static_cast<T>(stream.uniform(-p.init.a, p.init.a)); break;
        case Init::Kind::normal: value = static_cast<T>(p.init.a * stream.normal()); break;
      }
    }
  }
}

template <class T>
void ParameterSet<T>::clear_gradients() {
  std::fill(gradients_, gradients_ + size_, T{0});
}

template <class T>
const Param<T>* ParameterSet<T>::find(std::string_view name) const {
  const auto found = std::find_if(params_.begin(), params_.end(), [name](const Param<T>& p) { return p.name == name; });
  return found == params_.end() ? nullptr : &*found;
}

template <class T>
std::size_t ParameterSet<T>::count() const {
  std::size_t n = 0;
  for (const Param<T>& p : params_) n += static_cast<std::size_t>(p.count());
  return n;
}

template class ParameterSet<float>;
template class ParameterSet<double>;

}  // namespace fovea
