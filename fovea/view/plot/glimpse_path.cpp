#include "fovea/view/plot/glimpse_path.h"

#include <cmath>

namespace fovea {

namespace {

Point middle(const float* weights, Index side) {
  double x = 0, y = 0, sum = 0;
  for (Index i = 0; i < side * side; ++i) {
    const auto weight = static_cast<double>(weights[i]);
    x += weight * static_cast<double>(i % side);
    y += weight * static_cast<double>(i / side);
    sum += weight;
  }
  return {x / sum, y / sum};
}

}  // namespace

std::optional<GlimpsePath> glimpse_path(const ArrayRecord& map, const ArrayRecord& images, Index example) {
  if (map.shape.size() != 3 || images.shape.size() != 3 || images.shape[1] != 1 || images.shape[2] != map.shape[2] ||
      example < 0 || example >= map.shape[0] || example >= images.shape[0])
    return std::nullopt;
  const Index glimpses = map.shape[1], pixels = map.shape[2];
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(pixels))));
  if (side * side != pixels || glimpses == 0) return std::nullopt;
  GlimpsePath path{side, {images.values.data() + example * pixels, static_cast<std::size_t>(pixels)}, {}};
  for (Index t = 0; t < glimpses; ++t)
    path.middles.push_back(middle(map.values.data() + (example * glimpses + t) * pixels, side));
  return path;
}

}  // namespace fovea
