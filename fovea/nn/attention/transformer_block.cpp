#include "fovea/nn/attention/transformer_block.h"

#include "fovea/nn/gelu.h"
#include "fovea/nn/simd/elementwise_kernels.h"
#include "fovea/nn/team_matmul.h"

namespace fovea {

template <class T>
TransformerBlock<T> TransformerBlock<T>::declare(ParameterSet<T>& parameters, const std::string& prefix,
                                                 const BlockSettings& s) {
  const Index d = s.attention.width;
  const Bias bias = s.attention.bias;
  const auto norm = [&](const char* name) {
    return s.norms ? LayerNorm<T>::declare(parameters, under(prefix, name), d, bias) : LayerNorm<T>();
  };
  const auto map = [&](const char* name, Index in, Index out, const PartStart& start) {
    return Linear<T>::declare(parameters, under(prefix, name), in, out, {start.init, Init::constant(0)}, start.group,
                              bias);
  };
  TransformerBlock block;
  block.activation = s.activation;
  block.norm1 = norm("norm1");
  block.attention = MultiHead<T>::declare(parameters, prefix, s.attention);
  if (s.mlp_width == 0) return block;
  block.norm2 = norm("norm2");
  block.up = map("mlp.0", d, s.mlp_width, s.up);
  block.down = map("mlp.2", s.mlp_width, d, s.down);
  return block;
}

template <class T>
Matrix<T> TransformerBlock<T>::forward(Compute& compute, const StreamPass& pass, Matrix<const T> h,
                                       Trace& trace) const {
  const Matrix<T> attended = compute.array<T>(pass.rows.count(), h.size(1));
  const Arena::Mark passing = compute.arena.mark();
  Matrix<const T> u = h;
  if (norm1.weight) {
    trace.norm1 = norm1.forward(compute, h);
    u = trace.norm1.output;
  }
  attention.forward(compute, pass, u, h, attended, trace.attention);
  if (pass.keep == Keep::nothing) compute.arena.release(passing);
  return up.weight ? mlp_forward(compute, attended, pass.keep, trace) : attended;
}

template <class T>
Matrix<T> TransformerBlock<T>::mlp_forward(Compute& compute, Matrix<const T> h, Keep keep, Trace& trace) const {
  const Matrix<T> out = compute.array<T>(h.size(0), h.size(1));
  const Arena::Mark passing = compute.arena.mark();
  trace.mlp_input = h;
  if (norm2.weight) {
    trace.norm2 = norm2.forward(compute, h);
    trace.mlp_input = trace.norm2.output;
  }
  trace.before = compute.array<T>(h.size(0), up.out);
  trace.after = compute.array<T>(h.size(0), up.out);
  if (activation == MlpActivation::gelu) trace.gelu_tanh = compute.array<T>(h.size(0), up.out);
  const PackedMatrix<T> up_weights = team_pack(compute, transposed(up.weight->matrix()));
  const PackedMatrix<T> down_weights = team_pack(compute, transposed(down.weight->matrix()));
  compute.team.split(h.size(0), Linear<T>::row_share, [&](Index begin, Index end) {
    const Matrix<T> before = trace.before.slice(begin, end), after = trace.after.slice(begin, end);
    const std::span<const T> a(before.flat());
    up.rows_onto(up_weights, trace.mlp_input.slice(begin, end), {}, before);
    if (activation == MlpActivation::gelu) gelu(a, trace.gelu_tanh.slice(begin, end).flat(), after.flat());
    else elementwise_kernels::leaky_relu(a.data(), T{0}, after.data(), a.size());
    down.rows_onto(down_weights, Matrix<const T>(after), h.slice(begin, end), out.slice(begin, end));
  });
  if (keep != Keep::all) compute.arena.release(passing);
  return out;
}

// Adds to d of what the MLP gave that of what it read through norm and maps.
template <class T>
void TransformerBlock<T>::mlp_backward(Compute& compute, const Trace& trace, Matrix<T> d_out) const {
  const Matrix<T> d = compute.array<T>(d_out.size(0), up.out);
  const bool normal = norm2.weight != nullptr;
  const Matrix<T> d_input = normal ? compute.array<T>(d_out.size(0), d_out.size(1)) : d_out;
  const PackedMatrix<T> down_weights = team_pack(compute, plain(down.weight->matrix()));
  const PackedMatrix<T> up_weights = team_pack(compute, plain(up.weight->matrix()));
  down.backward_parameters(compute, trace.after, d_out);
  compute.team.split(d_out.size(0), Linear<T>::row_share, [&](Index begin, Index end) {
    const Matrix<T> some = d.slice(begin, end);
    matmul_packed(plain(d_out.slice(begin, end)), down_weights, some);
    const std::span<const T> dg(some.flat());
    if (activation == MlpActivation::gelu)
      gelu_backward(std::span<const T>(trace.before.slice(begin, end).flat()),
                    std::span<const T>(trace.gelu_tanh.slice(begin, end).flat()), dg, some.flat());
    else elementwise_kernels::leaky_relu_backward(trace.after[begin].data(), dg.data(), T{0}, some.data(), dg.size());
    matmul_packed(plain(some), up_weights, d_input.slice(begin, end), normal ? Into::overwrite : Into::add);
  });
  up.backward_parameters(compute, trace.mlp_input, d);
  if (normal) norm2.backward(compute, trace.norm2, d_input, d_out);
}

template <class T>
Matrix<T> TransformerBlock<T>::backward(Compute& compute, const Trace& trace, Matrix<T> d_out, bool wants_input,
                                        const typename MultiHead<T>::Extras& extras) const {
  if (up.weight) mlp_backward(compute, trace, d_out);
  const StreamRows& rows = trace.attention.heads.rows;
  const Index read = trace.attention.input.size(0), d = d_out.size(1);
  const bool normal = norm1.weight != nullptr;
  // The residual's part of dh. Positions may share rows that are read; given rows have a position each.
  Matrix<T> dh;
  if (wants_input)
    dh = rows.read.same() ? scatter(compute, d_out, rows.given, read)
                          : scatter_sum(compute, d_out, rows.given_read, read);
  if (!normal) {
    attention.backward(compute, trace.attention, d_out, dh, Into::add, extras);
    return dh;
  }
  const Matrix<T> du = compute.array<T>(read, d);
  attention.backward(compute, trace.attention, d_out, du, Into::overwrite, extras);
  if (!wants_input) dh = compute.zeros<T>(read, d);  // for the gradients of the norm
  norm1.backward(compute, trace.norm1, du, dh);
  return dh;
}

template struct TransformerBlock<float>;
template struct TransformerBlock<double>;

}  // namespace fovea
