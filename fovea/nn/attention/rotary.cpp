#include "fovea/nn/attention/rotary.h"

#include <cassert>

#include "fovea/base/functions/functions.h"

namespace fovea {

template <class T>
Rotary<T>::Rotary(Index positions, Index head_width) : half_(head_width / 2) {
  assert(head_width % 2 == 0);
  circles_.resize(static_cast<std::size_t>(positions * head_width));
  const Cube<T> circles(circles_.data(), positions, 2, half_);
  for (Index t = 0; t < positions; ++t)
    for (Index m = 0; m < half_; ++m) {
      const double angle =
          static_cast<double>(t) * math::pow(1e4, -static_cast<double>(m) / static_cast<double>(half_));
      circles(t, 0, m) = static_cast<T>(math::cos(angle));
      circles(t, 1, m) = static_cast<T>(math::sin(angle));
    }
}

template <class T>
void Rotary<T>::turn(Team& team, Turn turn, Matrix<T> x, Index positions, RowMap given) const {
  assert((given.same() ? x.size(0) % positions == 0 : x.size(0) == given.count(0)) && x.size(1) % (2 * half_) == 0);
  const T sign = turn == Turn::forward ? T{1} : T{-1};
  team.split(x.size(0), 64, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      const T *const cos = circles_.data() + given[n] % positions * 2 * half_, *const sin = cos + half_;
      for (Index head = 0; head < x.size(1); head += 2 * half_) {
        T *const low = x[n].data() + head, *const high = low + half_;
        for (Index m = 0; m < half_; ++m) {
          const T a = low[m], b = high[m], s = sign * sin[m];
          low[m] = a * cos[m] - b * s;
          high[m] = a * s + b * cos[m];
        }
      }
    }
  });
}

template class Rotary<float>;
template class Rotary<double>;

}  // namespace fovea
