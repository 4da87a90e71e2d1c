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
  return mlp;
}

template <class T>
typename Mlp<T>::Trace Mlp<T>::forward(Compute& compute, Matrix<const T> x) const {
  const auto activated = compute.arena.take<Matrix<T>>(layers.size());
  const Trace trace{x, activated};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Matrix<T> y = activated[i] = layers[i].forward(compute, trace.input(i));
    if (activate_last || i + 1 < layers.size()) activate<T>(compute.team, between, y.flat(), y.flat());
  }
  return trace;
}

template <class T>
Matrix<T> Mlp<T>::backward(Compute& compute, const Trace& trace, Matrix<T> dy, Wants wants) const {
  for (std::size_t i = layers.size(); i-- > 0;) {
    if (activate_last || i + 1 < layers.size())
      activate_backward<T>(compute.team, between, trace.activated[i].flat(), dy.flat(), dy.flat());
    if (i == 0 && wants == Wants::parameters_only) {
      layers[i].backward_parameters(compute, trace.x, dy);
      return {};
    }
    dy = layers[i].backward(compute, trace.input(i), dy);
  }
  return dy;
}

template struct Mlp<float>;
template struct Mlp<double>;

}  // namespace fovea
