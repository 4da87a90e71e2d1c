// The error of an outer product of three vectors x, y, z, each of its own length, against x*, y*, z* (room
// model/exact):
//
//   L  = 1/2 mean_ijk (x_i y_j z_k - x*_i y*_j z*_k)^2
//      = [ |x|^2 |y|^2 |z|^2 - 2 (x . x*)(y . y*)(z . z*) + |x*|^2 |y*|^2 |z*|^2 ] / (2 cells)
//   dx = [ |y|^2 |z|^2 x - (y . y*)(z . z*) x* ] / cells,   and the like for y and z
//
// cells is the product of the three lengths. All is summed in double.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace fovea {

class OuterError {
 public:
  // Of the factor `i` (0, 1 or 2).
  template <class T>
  void set(std::size_t i, std::span<const T> factor, std::span<const T> truth) {
    square_[i] = dot(factor, factor);
    along_[i] = dot(factor, truth);
    whole_ *= dot(truth, truth);
    cells_ *= static_cast<double>(factor.size());
  }

  double value() const {
    return (square_[0] * square_[1] * square_[2] - 2 * along_[0] * along_[1] * along_[2] + whole_) / (2 * cells_);
  }

  // Adds scale dL / d factor `i`.
  template <class T>
  void add_slope(std::size_t i, double scale, std::span<const T> factor, std::span<const T> truth, T* gradient) const {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    const double shrink = scale * square_[j] * square_[k] / cells_, pull = scale * along_[j] * along_[k] / cells_;
    for (std::size_t n = 0; n < factor.size(); ++n)
      gradient[n] += static_cast<T>(shrink * static_cast<double>(factor[n]) - pull * static_cast<double>(truth[n]));
  }

  template <class T>
  static double dot(std::span<const T> x, std::span<const T> y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
    return sum;
  }

 private:
  std::array<double, 3> square_{}, along_{};  // |x|^2 and x . x*, and so on
  double whole_ = 1, cells_ = 1;              // |x*|^2 |y*|^2 |z*|^2; the cells of the outer product
};

}  // namespace fovea
