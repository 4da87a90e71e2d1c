// Compute: what every layer and model gets for a pass (room nn). It has the memory of this step (Arena), the team of
// threads, the gradients that are wanted, and the precision of matrix products. lab/train/workspace.h creates it for
// training; lab/ranks and model/trace.h carry it.
#pragma once

#include <algorithm>

#include "fovea/base/arena.h"
#include "fovea/base/team.h"
#include "fovea/math/products.h"
#include "fovea/math/view.h"

namespace fovea {

// What a backward pass gives: the gradients of the parameters too, or those of inputs alone. The second leaves the
// gradients of the parameters as they are, so that several threads may ask one model at once.
enum class Gradients { all, of_inputs };

struct Compute {
  Arena& arena;
  Team& team;
  Gradients gradients = Gradients::all;
  Products products = Products::full;

  bool trains() const { return gradients == Gradients::all; }

  // Arrays that live until the arena is reset at the end of the step.
  template <class T, class... Sizes>
  View<T, static_cast<int>(sizeof...(Sizes))> array(Sizes... sizes) const {
    return View<T, static_cast<int>(sizeof...(Sizes))>(
        arena.take<T>((static_cast<std::size_t>(sizes) * ... * 1)).data(), sizes...);
  }
  template <class T, class... Sizes>
  View<T, static_cast<int>(sizeof...(Sizes))> zeros(Sizes... sizes) const {
    const auto all = array<T>(sizes...);
    team.split(all.count(), 1 << 16,
               [&](Index begin, Index end) { std::fill_n(all.data() + begin, end - begin, T{}); });
    return all;
  }
};

}  // namespace fovea
