#include "fovea/nn/mlp.h"

#include <cassert>

namespace fovea {

template <class T>
Mlp<T> Mlp<T>::declare(ParameterSet<T>& parameters, const std::string& prefix, const std::vector<Index>& sizes,
                       Activation between, bool activate_last, int first, Group group) {
  assert(sizes.size() >= 2);
  Mlp mlp;
  mlp.between = between;
  mlp.activate_last = activate_last;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i)
    mlp.layers.push_back(Linear<T>::declare(parameters, under(prefix, std::to_string(first + static_cast<int>(i))),
                                            sizes[i], sizes[i + 1], group));
  mlp.kept_.resize(mlp.layers.size() + 1);
  return mlp;
}

template <class T>
Matrix<T> Mlp<T>::forward(Compute& compute, Matrix<const T> x) {
  kept_[0] = x;
  Matrix<T> y;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    y = layers[i].forward(compute, kept_[i]);
    if (activate_last || i + 1 < layers.size()) activate<T>(compute.team, between, y.flat(), y.flat());
    kept_[i + 1] = y;
  }
  return y;
}

template <class T>
Matrix<T> Mlp<T>::backward(Compute& compute, Matrix<T> dy, Wants wants) const {
  for (std::size_t i = layers.size(); i-- > 0;) {
    if (activate_last || i + 1 < layers.size())
      activate_backward<T>(compute.team, between, kept_[i + 1].flat(), dy.flat(), dy.flat());
    if (i == 0 && wants == Wants::parameters_only) {
      layers[i].backward_parameters(compute, kept_[i], dy);
      return {};
    }
    dy = layers[i].backward(compute, kept_[i], dy);
  }
  return dy;
}

template struct Mlp<float>;
template struct Mlp<double>;

}  // namespace fovea
