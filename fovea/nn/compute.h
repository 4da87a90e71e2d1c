// What every layer is handed: memory for this step and the team that does the work.
#pragma once

#include "fovea/base/arena.h"
#include "fovea/base/team.h"
#include "fovea/math/view.h"

namespace fovea {

struct Compute {
  Arena& arena;
  Team& team;

  // Arrays that live until the arena is reset at the end of the step.
  template <class T, class... Sizes>
  View<T, static_cast<int>(sizeof...(Sizes))> array(Sizes... sizes) const {
    return View<T, static_cast<int>(sizeof...(Sizes))>(
        arena.take<T>((static_cast<std::size_t>(sizes) * ... * 1)).data(), sizes...);
  }
  template <class T, class... Sizes>
  View<T, static_cast<int>(sizeof...(Sizes))> zeros(Sizes... sizes) const {
    return View<T, static_cast<int>(sizeof...(Sizes))>(
        arena.take_zeros<T>((static_cast<std::size_t>(sizes) * ... * 1)).data(), sizes...);
  }
};

}  // namespace fovea
