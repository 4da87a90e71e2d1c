#include "fovea/model/glimpse/sensor.h"

#include <algorithm>
#include <cmath>

namespace fovea {

Index GlimpseSensor::corner(double place, Index scale) const {
  const auto wide = static_cast<double>(patch << scale);
  return static_cast<Index>(std::floor((place + 1) / 2 * static_cast<double>(side) - wide / 2 + 0.5));
}

template <class T>
void GlimpseSensor::read_patches(Team& team, Matrix<const T> images, Matrix<const T> places, Matrix<T> patches) const {
  constexpr Index grain = 16;
  const auto inside = [&](Index at) { return std::clamp<Index>(at, 0, side); };
  team.split(images.size(0), grain, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      const T* const image = images.data() + b * side * side;
      T* to = patches.data() + b * width();
      for (Index scale = 0; scale < scales; ++scale) {
        const Index step = Index{1} << scale;
        const Index left = corner(static_cast<double>(places(b, Index{0})), scale);
        const Index top = corner(static_cast<double>(places(b, Index{1})), scale);
        const T share = T{1} / static_cast<T>(step * step);
        for (Index i = 0; i < patch; ++i)
          for (Index j = 0; j < patch; ++j) {
            const Index rows_end = inside(top + (i + 1) * step), columns_end = inside(left + (j + 1) * step);
            T sum{};
            for (Index y = inside(top + i * step); y < rows_end; ++y)
              for (Index x = inside(left + j * step); x < columns_end; ++x) sum += image[y * side + x];
            *to++ = share * sum;
          }
      }
    }
  });
}

template <class T>
void GlimpseSensor::cover(T x, T y, Vector<T> weights) const {
  const auto range = [&](T place) {
    const Index first = corner(static_cast<double>(place), 0);
    return std::pair(std::clamp<Index>(first, 0, side), std::clamp<Index>(first + patch, 0, side));
  };
  const auto [left, right] = range(x);
  const auto [top, bottom] = range(y);
  std::ranges::fill(weights.flat(), T{0});
  const T share = T{1} / static_cast<T>(std::max<Index>(1, (right - left) * (bottom - top)));
  for (Index row = top; row < bottom; ++row)
    std::fill(weights.data() + row * side + left, weights.data() + row * side + right, share);
}

template void GlimpseSensor::read_patches(Team&, Matrix<const float>, Matrix<const float>, Matrix<float>) const;
template void GlimpseSensor::read_patches(Team&, Matrix<const double>, Matrix<const double>, Matrix<double>) const;
template void GlimpseSensor::cover(float, float, Vector<float>) const;
template void GlimpseSensor::cover(double, double, Vector<double>) const;

}  // namespace fovea
