// Array: numbers under one or two indices, owned, 0 at first (room nn/reference). The reference layers of this room
// use it, and only tests use these layers. The code is meant to be read: everything is double and copied freely.
// Debug builds check every index.
#pragma once

#include <cmath>
#include <vector>

#include "fovea/math/view.h"

namespace fovea::reference {

template <int Rank>
class Array {
 public:
  Array() = default;
  template <class... Sizes>
    requires(sizeof...(Sizes) == Rank)
  explicit Array(Sizes... sizes)
      : shape_{static_cast<Index>(sizes)...}, values_(static_cast<std::size_t>((sizes * ...))) {}

  Index size(int axis) const { return shape_[static_cast<std::size_t>(axis)]; }
  template <class... Indices>
  double& operator()(Indices... indices) {
    return View<double, Rank>(values_.data(), shape_)(indices...);
  }
  template <class... Indices>
  double operator()(Indices... indices) const {
    return View<const double, Rank>(values_.data(), shape_)(indices...);
  }

  std::vector<double>& values() { return values_; }
  const std::vector<double>& values() const { return values_; }

 private:
  std::array<Index, Rank> shape_{};
  std::vector<double> values_;
};

inline Array<1> row_of(const Array<2>& a, Index i) {
  Array<1> row(a.size(1));
  for (Index j = 0; j < a.size(1); ++j) row(j) = a(i, j);
  return row;
}

// Σ_k a_ik x_k
inline double row_times(const Array<2>& a, Index i, const Array<1>& x) {
  double sum = 0;
  for (Index k = 0; k < x.size(0); ++k) sum += a(i, k) * x(k);
  return sum;
}

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace fovea::reference
