#include "fovea/nn/attention/combiner.h"

#include <algorithm>

#include "fovea/math/vector_math.h"
#include "fovea/nn/team_matmul.h"

namespace fovea {

namespace {

// The columns of U that read states, and those that read contexts.
template <class T>
Operand<T> for_states(const Linear<T>& combine) {
  return columns_of(plain(combine.weight->matrix()), 0, combine.out);
}
template <class T>
Operand<T> for_contexts(const Linear<T>& combine) {
  return columns_of(plain(combine.weight->matrix()), combine.out, combine.out);
}

// y (R) += a (R,C) x (C)
template <class T>
void add_product(Operand<T> a, std::span<const T> x, std::span<T> y) {
  matmul(a, Operand<T>{x.data(), a.columns, 1, 1, false}, Matrix<T>(y.data(), a.rows, 1), Into::add);
}

}  // namespace

template <class T>
Combiner<T> Combiner<T>::declare(ParameterSet<T>& parameters, std::span<const std::string> heads, Index state_width,
                                 Index source_width, Activation activation, Bias bias) {
  Combiner combiner{activation, {}, {}};
  for (const std::string& head : heads)
    combiner.contexts.push_back(
        Linear<T>::declare(parameters, under(head, "context"), source_width, state_width, Group::body));
  const Index in = heads.empty() ? state_width : 2 * state_width;
  combiner.combine = Linear<T>::declare(parameters, "combine", in, state_width, Group::body, bias);
  return combiner;
}

template <class T>
typename Combiner<T>::Folded Combiner<T>::fold(Compute& compute) const {
  const Index H = combine.out;
  if (contexts.empty() && !combine.bias) return {};
  const Folded folded{compute.arena.take<Matrix<T>>(contexts.size()), compute.zeros<T>(H)};
  if (combine.bias) add_scaled(T{1}, std::span<const T>(combine.bias->values()), folded.shift.flat());
  if (contexts.empty()) return folded;
  const T share = T{1} / static_cast<T>(contexts.size());
  const Operand<T> u_context = for_contexts(combine);
  const std::span<T> mean_bias = compute.arena.take_zeros<T>(static_cast<std::size_t>(H));
  for (std::size_t h = 0; h < contexts.size(); ++h) {
    const Linear<T>& head = contexts[h];
    folded.contexts[h] = compute.array<T>(H, head.in);
    team_matmul(compute, u_context, plain(head.weight->matrix()), folded.contexts[h]);
    for (T& x : folded.contexts[h].flat()) x *= share;
    add_scaled(share, std::span<const T>(head.bias->values()), mean_bias);
  }
  add_product(u_context, std::span<const T>(mean_bias), folded.shift.flat());
  return folded;
}

template <class T>
Matrix<T> Combiner<T>::forward(Compute& compute, Matrix<const T> states, std::span<const Matrix<const T>> source,
                               const Folded& folded, Trace& trace) const {
  const Index N = states.size(0), H = combine.out;
  trace = {states, source, folded, compute.array<T>(N, H)};
  const Operand<T> u_state = for_states(combine);
  const bool shifted = !folded.shift.empty();
  for (Index n = 0; n < N && shifted; ++n) std::copy_n(folded.shift.data(), H, trace.output.data() + n * H);
  team_matmul(compute, plain(states), transposed(u_state), trace.output, shifted ? Into::add : Into::overwrite);
  for (std::size_t h = 0; h < contexts.size(); ++h)
    team_matmul(compute, plain(source[h]), transposed(folded.contexts[h]), trace.output, Into::add);
  activate(compute.team, activation, std::span<const T>(trace.output.flat()), trace.output.flat());
  return trace.output;
}

template <class T>
void Combiner<T>::backward(Compute& compute, const Trace& trace, Matrix<const T> d_output, Matrix<T> d_states,
                           std::span<const Matrix<T>> d_contexts) const {
  const Index N = d_output.size(0), H = combine.out, U = combine.in;
  T* const du = combine.weight->gradient;
  const Matrix<T> d_sum = compute.array<T>(N, H);  // before the activation
  activate_backward(compute.team, activation, std::span<const T>(trace.output.flat()), d_output.flat(), d_sum.flat());

  team_matmul(compute, plain(d_sum), for_states(combine), d_states, Into::add);
  if (compute.trains()) team_matmul(compute, transposed(d_sum), plain(trace.states), Matrix<T>(du, H, H), Into::add, U);
  if (compute.trains() && combine.bias) add_rows(compute.team, Matrix<const T>(d_sum), combine.bias->vector_gradient());
  if (contexts.empty()) return;

  const T share = T{1} / static_cast<T>(contexts.size());
  const Operand<T> u_context = for_contexts(combine);
  const Matrix<T> du_context(du + H, H, H);  // rows U apart
  const Vector<T> d_shift(compute.arena.take_zeros<T>(static_cast<std::size_t>(H)).data(), H);
  add_rows(compute.team, Matrix<const T>(d_sum), d_shift);
  const Vector<T> d_bias(compute.arena.take_zeros<T>(static_cast<std::size_t>(H)).data(), H);  // share U_cᵀ d_shift
  add_product(transposed(u_context), std::span<const T>(d_shift.flat()), d_bias.flat());
  for (T& x : d_bias.flat()) x *= share;

  for (std::size_t h = 0; h < contexts.size(); ++h) {
    const Linear<T>& head = contexts[h];
    team_matmul(compute, plain(d_sum), plain(trace.folded.contexts[h]), d_contexts[h]);
    if (!compute.trains()) continue;
    const Matrix<T> d_folded = compute.array<T>(H, head.in);  // of U_c P_h, the share already in it
    team_matmul(compute, transposed(d_sum), plain(trace.contexts[h]), d_folded);
    for (T& x : d_folded.flat()) x *= share;
    team_matmul(compute, transposed(u_context), plain(d_folded), head.weight->matrix_gradient(), Into::add);
    team_matmul(compute, plain(d_folded), transposed(head.weight->matrix()), du_context, Into::add, U);
    // shift = U_c Σ share b_h
    for (Index i = 0; i < H; ++i)
      add_scaled(share * d_shift(i), std::span<const T>(head.bias->values()),
                 std::span<T>(du_context.data() + i * U, static_cast<std::size_t>(H)));
    add_scaled(T{1}, std::span<const T>(d_bias.flat()), head.bias->gradients());
  }
}

template <class T>
typename Combiner<T>::Parts Combiner<T>::parts(Compute& compute, const Trace& trace, Matrix<const T> sources) const {
  const Index H = combine.out;
  const Parts parts{compute.array<T>(trace.states.size(0), H), compute.zeros<T>(sources.size(0), H)};
  for (Index n = 0; n < parts.state.size(0); ++n) std::copy_n(trace.folded.shift.data(), H, parts.state.data() + n * H);
  const Operand<T> u_state = for_states(combine);
  team_matmul(compute, plain(trace.states), transposed(u_state), parts.state, Into::add);
  for (const Matrix<T>& folded : trace.folded.contexts)
    team_matmul(compute, plain(sources), transposed(folded), parts.source, Into::add);
  return parts;
}

template struct Combiner<float>;
template struct Combiner<double>;

}  // namespace fovea
