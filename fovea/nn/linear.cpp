#include "fovea/nn/linear.h"

#include <algorithm>
#include <cmath>

#include "fovea/math/vector_math.h"
#include "fovea/nn/team_matmul.h"

namespace fovea {

template <class T>
Linear<T> Linear<T>::declare(ParameterSet<T>& parameters, const std::string& prefix, Index in, Index out, Group group,
                             Bias bias) {
  const Init init = Init::uniform(1.0 / std::sqrt(static_cast<double>(in)));
  return declare(parameters, prefix, in, out, {init, init}, group, bias);
}

template <class T>
Linear<T> Linear<T>::declare(ParameterSet<T>& parameters, const std::string& prefix, Index in, Index out,
                             const LinearInit& start, Group group, Bias bias) {
  Linear linear{in, out};
  linear.weight = &parameters.add(under(prefix, "weight"), {out, in}, start.weight, group);
  if (bias == Bias::yes) linear.bias = &parameters.add(under(prefix, "bias"), {out}, start.bias, group);
  return linear;
}

template <class T>
Matrix<T> Linear<T>::forward(Compute& compute, Matrix<const T> x) const {
  const Matrix<T> y = compute.array<T>(x.size(0), out);
  forward_into(compute, x, y);
  return y;
}

template <class T>
Into Linear<T>::start(Matrix<T> y) const {
  if (!bias) return Into::overwrite;
  const T* const b = bias->value;
  for (Index n = 0; n < y.size(0); ++n) std::copy(b, b + out, y[n].data());
  return Into::add;
}

template <class T>
void Linear<T>::forward_into(Compute& compute, Matrix<const T> x, Matrix<T> y) const {
  assert(x.size(1) == in && y.size(0) == x.size(0) && y.size(1) == out);
  team_matmul(compute, plain(x), transposed(weight->matrix()), y, start(y));
}

template <class T>
void Linear<T>::forward_into(Compute& compute, const PackedMatrix<T>& weights, Matrix<const T> x, Matrix<T> y) const {
  team_multiply(compute, plain(x), weights, y, start(y));
}

template <class T>
void Linear<T>::forward_onto(Compute& compute, Matrix<const T> x, Matrix<const T> z, Matrix<T> y) const {
  const PackedMatrix<T> weights = team_pack(compute, transposed(weight->matrix()));
  compute.team.split(y.size(0), row_share, [&](Index begin, Index end) {
    rows_onto(weights, x.slice(begin, end), z.empty() ? z : z.slice(begin, end), y.slice(begin, end));
  });
}

template <class T>
void Linear<T>::rows_onto(const PackedMatrix<T>& weights, Matrix<const T> x, Matrix<const T> z, Matrix<T> y) const {
  const std::span<const T> b = bias ? std::span<const T>(bias->values()) : std::span<const T>();
  for (Index n = 0; n < y.size(0); ++n) {
    const T* const from = z.empty() ? b.data() : z[n].data();
    if (from) std::copy_n(from, out, y[n].data());
    if (from && from != b.data() && bias) add_scaled(T{1}, b, y[n].flat());
  }
  const bool fresh = z.empty() && !bias;
  matmul_packed(plain(x), weights, y, fresh ? Into::overwrite : Into::add);
}

template <class T>
Matrix<T> Linear<T>::backward(Compute& compute, Matrix<const T> x, Matrix<const T> dy) const {
  backward_parameters(compute, x, dy);
  const Matrix<T> dx = compute.array<T>(dy.size(0), in);
  backward_input(compute, dy, dx, false);
  return dx;
}

template <class T>
void Linear<T>::backward_parameters(Compute& compute, Matrix<const T> x, Matrix<const T> dy) const {
  assert(x.size(0) == dy.size(0) && x.size(1) == in && dy.size(1) == out);
  if (!compute.trains()) return;
  if (weight->learns()) team_matmul(compute, transposed(dy), plain(x), weight->matrix_gradient(), Into::add);
  if (bias && bias->learns()) add_rows(compute.team, dy, bias->vector_gradient());
}

template <class T>
void Linear<T>::backward_parameters(Compute& compute, const PackedMatrix<T>& x, Matrix<const T> dy) const {
  if (!compute.trains()) return;
  assert(x.rows == dy.size(0) && x.columns == in && dy.size(1) == out);
  if (weight->learns()) team_multiply(compute, transposed(dy), x, weight->matrix_gradient(), Into::add);
  if (bias && bias->learns()) add_rows(compute.team, dy, bias->vector_gradient());
}

template <class T>
void Linear<T>::backward_input(Compute& compute, Matrix<const T> dy, Matrix<T> dx, bool add) const {
  assert(dy.size(0) == dx.size(0) && dx.size(1) == in && dy.size(1) == out);
  team_matmul(compute, plain(dy), plain(weight->matrix()), dx, add ? Into::add : Into::overwrite);
}

template <class T>
void add_rows(Team& team, Matrix<const T> in, Vector<T> sum) {
  assert(in.size(1) == sum.size(0));
  const Index width = in.size(1);
  team.split(width, 512, [&](Index begin, Index end) {
    const auto count = static_cast<std::size_t>(end - begin);
    for (Index n = 0; n < in.size(0); ++n)
      add_scaled(T{1}, std::span<const T>(in.data() + n * width + begin, count),
                 std::span<T>(sum.data() + begin, count));
  });
}

template struct Linear<float>;
template struct Linear<double>;
template void add_rows(Team&, Matrix<const float>, Vector<float>);
template void add_rows(Team&, Matrix<const double>, Vector<double>);

}  // namespace fovea
