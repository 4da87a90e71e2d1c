#include "fovea/nn/attention/multi_head.h"

#include <algorithm>
#include <functional>

#include "fovea/math/matmul.h"
#include "fovea/math/vector_math.h"
#include "fovea/nn/team_matmul.h"

namespace fovea {

namespace {

constexpr Index most_kept_weights = Index{1} << 22;  // of attention, between forward and backward

template <class T>
SelfAttention<T> with_tokens_for_values(SelfAttention<T> attention, Index tokens) {
  attention.value_width = tokens;
  return attention;
}

}  // namespace

template <class T>
MultiHead<T> MultiHead<T>::declare(ParameterSet<T>& parameters, const std::string& prefix, const MultiHeadSettings& s) {
  using Settings = MultiHeadSettings;
  const Index d = s.width, keys = s.heads * s.key_width();
  const auto part = [&](const char* name, Index out, const PartStart& start) {
    return Linear<T>::declare(parameters, under(prefix, name), d, out, {start.init, Init::constant(0)}, start.group,
                              s.bias);
  };
  MultiHead layer;
  layer.attention = {s.weighting, s.heads, s.key_width(), d / s.heads};
  if (s.queries != Settings::Queries::identity) layer.query = part("query", keys, s.queries_keys);
  if (s.queries != Settings::Queries::merged) layer.key = part("key", keys, s.queries_keys);
  if (s.position == Settings::Position::relative)
    layer.relative =
        &parameters.add(under(prefix, "position.weight"), {s.longest, keys}, s.positions.init, s.positions.group);
  if (s.position == Settings::Position::rotary) layer.rotary = Rotary<T>(s.longest, s.key_width());
  if (s.weighting == Weighting::sink)
    layer.sink = &parameters.add(under(prefix, "sink"), {s.heads}, Init::constant(0), s.queries_keys.group);
  layer.value = part("value", d, s.values);
  if (s.gate)
    layer.gate = Linear<T>::declare(parameters, under(prefix, "gate"), d, d, {s.gates.init, Init::constant(0)},
                                    s.gates.group, Bias::yes);
  layer.output = part("output", d, s.outputs);
  return layer;
}

// Of rows that positions share, all are projected and then gathered.
template <class T>
typename MultiHead<T>::Projection MultiHead<T>::queries(const Trace& trace) const {
  const StreamRows& rows = trace.heads.rows;
  return {query, trace.query_input, rows.read.same() ? RowMap() : rows.given_read, rows.given};
}
template <class T>
typename MultiHead<T>::Projection MultiHead<T>::keys(const Trace& trace) const {
  return {key, trace.input, trace.heads.rows.read, {}};
}

template <class T>
Matrix<const T> MultiHead<T>::project(Compute& compute, const Trace& trace, const Projection& of) const {
  const Index N = of.input.size(0), d = of.input.size(1), H = attention.heads;
  if (!of.map.weight && H == 1 && !rotary.turns()) return gather(compute, of.input, of.rows);
  const Matrix<T> all = compute.array<T>(N, H * attention.key_width);
  if (of.map.weight) {
    of.map.forward_onto(compute, of.input, {}, all);
  } else {
    for (Index n = 0; n < N; ++n)
      for (Index h = 0; h < H; ++h) std::copy_n(of.input[n].data(), d, all[n].data() + h * d);
  }
  const Matrix<T> turned = gather(compute, all, of.rows);
  if (rotary.turns())
    rotary.turn(compute.team, Rotary<T>::Turn::forward, turned, trace.heads.rows.positions, of.positions);
  return turned;
}

template <class T>
void MultiHead<T>::forward(Compute& compute, const StreamPass& pass, Matrix<const T> u, Matrix<const T> residual,
                           Matrix<T> o, Trace& trace) const {
  const StreamRows& rows = pass.rows;
  const bool shared = !rows.read.same();
  trace.input = u;
  trace.query_input = shared ? u : gather(compute, u, rows.given);
  typename SelfAttention<T>::Inputs& heads = trace.heads;
  heads.rows = rows;
  heads.rules = pass.rules;
  heads.right = pass.right;
  heads.q = project(compute, trace, queries(trace));
  heads.k = project(compute, trace, keys(trace));
  const Arena::Mark passing = compute.arena.mark();
  const Matrix<T> values = compute.array<T>(u.size(0), value.out);
  value.forward_onto(compute, u, {}, values);
  heads.v = gather(compute, values, rows.read);
  if (relative) heads.r = relative->matrix().slice(0, rows.positions);
  if (sink) heads.sinks = sink->values();
  const Index kept = attention.kept_size(std::ssize(rows.lengths), rows.positions);
  if (pass.keep == Keep::all && kept <= most_kept_weights)
    heads.kept = compute.arena.take<T>(static_cast<std::size_t>(kept));
  const Matrix<T> sums = compute.array<T>(rows.count(), attention.heads * attention.value_width);
  attention.forward(compute, heads, sums);
  trace.sums = sums;
  if (gate.weight) open_gate(compute, trace, sums);
  const bool gathered = !shared && residual.data() == u.data();
  output.forward_onto(compute, trace.sums, gathered ? trace.query_input : gather(compute, residual, rows.given_read),
                      o);
  if (pass.keep != Keep::all) compute.arena.release(passing);
}

template <class T>
void MultiHead<T>::open_gate(Compute& compute, Trace& trace, Matrix<T> sums) const {
  const Matrix<T> all = compute.array<T>(trace.query_input.size(0), gate.out);
  gate.forward_onto(compute, trace.query_input, {}, all);
  sigmoid(std::span<const T>(all.flat()), all.flat());
  const Matrix<T> gates = gather(compute, all, queries(trace).rows);
  const Matrix<T> gated = compute.array<T>(sums.size(0), sums.size(1));
  std::transform(sums.flat().begin(), sums.flat().end(), gates.flat().begin(), gated.data(), std::multiplies<T>());
  trace.ungated = sums;
  trace.gates = gates;
  trace.sums = gated;
}

// Turns dy, the gradient after the gate, into the gradient before it. Returns dg, the gradient of the gate.
template <class T>
Matrix<T> MultiHead<T>::gate_backward(Compute& compute, const Trace& trace, Matrix<T> dy) const {
  const Matrix<T> d = compute.array<T>(dy.size(0), dy.size(1));
  for (std::size_t i = 0; i < dy.flat().size(); ++i) {
    const T open = trace.gates.flat()[i];
    d.flat()[i] = dy.flat()[i] * trace.ungated.flat()[i] * open * (1 - open);
    dy.flat()[i] *= open;
  }
  return d;
}

template <class T>
Matrix<T> MultiHead<T>::copy_tokens(Compute& compute, std::span<const int> tokens, Index C, Trace& trace) const {
  const Index N = std::ssize(tokens), H = attention.heads;
  const Matrix<T> one_hot = compute.zeros<T>(N, H * C);
  for (Index n = 0; n < N; ++n) {
    const int token = tokens[static_cast<std::size_t>(n)];
    for (Index h = 0; token >= 0 && token < C && h < H; ++h) one_hot(n, h * C + token) = 1;
  }
  trace.copied = trace.heads;
  trace.copied.kept = {};
  trace.copied.v = one_hot;
  const Matrix<T> copied = compute.array<T>(trace.heads.rows.count(), H * C);
  with_tokens_for_values(attention, C).forward(compute, trace.copied, copied);
  return copied;
}

// Adds to d of queries, keys and relative positions what they get by copies.
template <class T>
void MultiHead<T>::copy_backward(Compute& compute, const Trace& trace, Matrix<const T> d_copied,
                                 const typename SelfAttention<T>::InputGradients& d) const {
  typename SelfAttention<T>::InputGradients more;
  if (!d.q.empty()) more.q = compute.array<T>(d.q.size(0), d.q.size(1));
  if (!d.k.empty()) more.k = compute.array<T>(d.k.size(0), d.k.size(1));
  more.r = d.r;
  with_tokens_for_values(attention, d_copied.size(1) / attention.heads).backward(compute, trace.copied, d_copied, more);
  if (!d.q.empty()) add_scaled(T{1}, std::span<const T>(more.q.flat()), d.q.flat());
  if (!d.k.empty()) add_scaled(T{1}, std::span<const T>(more.k.flat()), d.k.flat());
}

// dA_ij = dy_i · v_j
template <class T>
void MultiHead<T>::weight_gradients(Compute& compute, const Trace& trace, Matrix<T> dy,
                                    std::span<const Cube<T>> d_weights) const {
  const Index positions = trace.heads.rows.positions, U = attention.value_width;
  const Matrix<const T> of_all = scatter(compute, dy, trace.heads.rows.given, trace.heads.rows.all());
  const auto part = [&](Matrix<const T> all, Index stream, std::size_t head) {
    return Operand<T>{all[stream * positions].data() + static_cast<Index>(head) * U, positions, U, all.size(1), false};
  };
  for (std::size_t h = 0; h < d_weights.size(); ++h)
    for (Index b = 0; b < d_weights[h].size(0); ++b) {
      const Matrix<T> d = d_weights[h][b];
      matmul(part(of_all, b, h), transposed(part(trace.heads.v, b, h)), d);
      for (Index i = 0; i < positions; ++i) std::fill_n(d[i].data() + i + 1, positions - i - 1, T{0});
    }
}

// From d of queries or keys: adds the gradients of their matrix and, where du is wanted, of the input rows.
template <class T>
void MultiHead<T>::project_backward(Compute& compute, const Trace& trace, const Projection& of,
                                    const PackedMatrix<T>& input, Matrix<T> d, Matrix<T> du) const {
  if (d.empty()) return;
  d = scatter_sum(compute, d, of.rows, trace.input.size(0));
  const RowMap to = of.rows.same() ? of.positions : RowMap();
  if (of.map.weight) of.map.backward_parameters(compute, input, d);
  if (du.empty()) return;
  if (of.map.weight && to.same()) return of.map.backward_input(compute, d, du);
  const Index width = du.size(1);
  Matrix<T> of_rows = d;
  if (of.map.weight) {
    of_rows = compute.array<T>(d.size(0), width);
    of.map.backward_input(compute, d, of_rows, false);
  }
  compute.team.split(d.size(0), Linear<T>::row_share, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n)
      for (Index at = 0; at < of_rows.size(1); at += width)
        add_scaled(T{1}, std::span<const T>(of_rows[n].data() + at, static_cast<std::size_t>(width)), du[to[n]].flat());
  });
}

template <class T>
void MultiHead<T>::turn_back(Compute& compute, const Trace& trace, const Projection& of, Matrix<T> d) const {
  if (d.empty() || !rotary.turns()) return;
  rotary.turn(compute.team, Rotary<T>::Turn::backward, d, trace.heads.rows.positions, of.positions);
}

template <class T>
void MultiHead<T>::backward(Compute& compute, const Trace& trace, Matrix<const T> d_o, Matrix<T> du, Into into,
                            const Extras& extras) const {
  const StreamRows& rows = trace.heads.rows;
  const bool shared = !rows.read.same(), trains = compute.trains(), wants = !du.empty();
  const Index N = rows.all(), columns = trace.heads.q.size(1);
  const Matrix<T> dy = output.backward(compute, trace.sums, d_o);
  const Matrix<T> d_gate = gate.weight ? gate_backward(compute, trace, dy) : Matrix<T>();
  if (!extras.d_weights.empty()) weight_gradients(compute, trace, dy, extras.d_weights);
  typename SelfAttention<T>::InputGradients d;
  if (wants || (trains && query.learns())) d.q = compute.array<T>(dy.size(0), columns);
  if (wants || (trains && key.learns())) d.k = compute.array<T>(N, columns);
  if (wants || (trains && value.learns())) d.v = compute.array<T>(N, value.out);
  if (relative && relative->learns() && trains) d.r = relative->matrix_gradient().slice(0, rows.positions);
  if (sink && sink->learns() && trains) d.sinks = sink->gradients();
  attention.backward(compute, trace.heads, dy, d);
  if (!extras.d_copied.empty()) copy_backward(compute, trace, extras.d_copied, d);
  const Arena::Mark passing = compute.arena.mark();
  const PackedMatrix<T> input = trains ? team_pack(compute, plain(trace.input)) : PackedMatrix<T>();
  if (!d.v.empty()) {
    d.v = scatter_sum(compute, d.v, rows.read, trace.input.size(0));
    value.backward_parameters(compute, input, d.v);
  }
  if (wants) value.backward_input(compute, d.v, du, into == Into::add);
  const bool some = trains && !shared && !rows.given.same();
  const PackedMatrix<T> query_input = some ? team_pack(compute, plain(trace.query_input)) : input;
  turn_back(compute, trace, queries(trace), d.q);
  turn_back(compute, trace, keys(trace), d.k);
  project_backward(compute, trace, queries(trace), query_input, d.q, du);
  project_backward(compute, trace, keys(trace), input, d.k, du);
  const auto [query_map, rows_read, query_rows, query_positions] = queries(trace);
  project_backward(compute, trace, {gate, rows_read, query_rows, query_positions}, query_input, d_gate, du);
  compute.arena.release(passing);
}

template struct MultiHead<float>;
template struct MultiHead<double>;

}  // namespace fovea
