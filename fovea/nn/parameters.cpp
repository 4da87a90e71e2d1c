#include "fovea/nn/parameters.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <new>

#include "fovea/base/random.h"

namespace fovea {

template <class T>
Param<T>& ParameterSet<T>::add(std::string name, std::vector<Index> shape, Init init, Group group) {
  assert(!finished_ && !find(name));
  params_.push_back({std::move(name), std::move(shape), init, group});
  return params_.back();
}

template <class T>
void ParameterSet<T>::finish() {
  assert(!finished_);
  finished_ = true;
  constexpr std::size_t per_line = Buffer<T>::per_line;
  std::vector<std::size_t> offsets;
  std::size_t size = 0;
  std::uint64_t wanted = 0;  // whatever the machine's own sizes can say
  for (const Param<T>& p : params_) {
    std::uint64_t count = 1;
    for (const Index s : p.shape) count *= static_cast<std::uint64_t>(s);
    wanted += count + per_line;
    if (wanted > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    offsets.push_back(size);
    size += (static_cast<std::size_t>(p.count()) + per_line - 1) / per_line * per_line;
  }
  values_ = Buffer<T>(size);
  gradients_ = Buffer<T>(size);
  for (std::size_t i = 0; i < params_.size(); ++i) {
    params_[i].value = values_.span().data() + offsets[i];
    params_[i].gradient = gradients_.span().data() + offsets[i];
  }
}

template <class T>
void ParameterSet<T>::initialise(std::uint64_t seed) {
  for (Param<T>& p : params_) {
    RandomStream stream(seed, "init", 0, purpose_id(p.name));
    for (T& value : p.values()) {
      switch (p.init.kind) {
        case Init::Kind::constant:
          value = static_cast<T>(p.init.a);
          break;
        case Init::Kind::uniform:
          value = static_cast<T>(stream.uniform(-p.init.a, p.init.a));
          break;
        case Init::Kind::normal:
          value = static_cast<T>(p.init.a * stream.normal());
          break;
        case Init::Kind::diagonal:
          value = T{0};
          break;
      }
    }
    if (p.init.kind == Init::Kind::diagonal)
      for (Index i = 0; i < std::min(p.shape[0], p.shape[1]); ++i) p.matrix()(i, i) = static_cast<T>(p.init.a);
  }
}

template <class T>
void ParameterSet<T>::clear_gradients(Team& team) {
  constexpr std::ptrdiff_t grain = 1 << 16;
  const std::span<T> all = gradients();
  team.split(std::ssize(all), grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::fill(all.begin() + begin, all.begin() + end, T{0});
  });
}
template <class T>
void ParameterSet<T>::clear_gradients() {
  Team alone;
  clear_gradients(alone);
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
