#include "fovea/nn/reference/transformer_block.h"

#include <algorithm>
#include <cmath>

#include "fovea/nn/reference/gelu.h"

namespace fovea::reference {

namespace {

bool exists(const Linear& map) { return map.weight.size(0) > 0; }

Array<2> sum(const Array<2>& a, const Array<2>& b) {
  Array<2> both(a.size(0), a.size(1));
  for (Index n = 0; n < a.size(0); ++n)
    for (Index m = 0; m < a.size(1); ++m) both(n, m) = a(n, m) + b(n, m);
  return both;
}

// The first `rows` rows of a head's columns, and back.
Array<2> columns(const Array<2>& all, Index rows, Index head, Index width) {
  Array<2> part(rows, width);
  for (Index n = 0; n < rows; ++n)
    for (Index m = 0; m < width; ++m) part(n, m) = all(n, head * width + m);
  return part;
}
void add_columns(const Array<2>& part, Index head, Array<2>& all) {
  for (Index n = 0; n < part.size(0); ++n)
    for (Index m = 0; m < part.size(1); ++m) all(n, head * part.size(1) + m) += part(n, m);
}

// Queries or keys of a head.
Array<2> projected(const Linear& map, const Array<2>& u, const BlockForm& form, Index head) {
  const Index H = static_cast<Index>(form.heads.size());
  const Array<2> x = exists(map) ? columns(linear(map, u), u.size(0), head, map.weight.size(0) / H) : u;
  return form.rotary ? rotary(x, Turn::forward) : x;
}

// From d of each head's queries or keys, that of u, added.
void projected_backward(const Linear& map, const Array<2>& u, const BlockForm& form, const std::vector<Array<2>>& d,
                        Linear& d_map, Array<2>& du) {
  Array<2> all(u.size(0), map.weight.size(0));
  for (std::size_t h = 0; h < d.size(); ++h) {
    const Array<2> dx = form.rotary ? rotary(d[h], Turn::backward) : d[h];
    if (exists(map)) add_columns(dx, static_cast<Index>(h), all);
    else du = sum(du, dx);
  }
  if (exists(map)) du = sum(du, linear_backward(map, u, all, d_map));
}

}  // namespace

BlockPass transformer_block(const TransformerBlock& block, const BlockForm& form, const Array<2>& h) {
  const Index T = h.size(0), d = h.size(1), H = static_cast<Index>(form.heads.size());
  const bool norms = block.norm1.weight.size(0) > 0;
  BlockPass to;
  to.h = h;
  to.u = norms ? layer_norm(block.norm1, h) : h;
  const Array<2> v = linear(block.value, to.u);
  to.y = Array<2>(T, d);
  for (Index head = 0; head < H; ++head) {
    HeadInput x{projected(block.query, to.u, form, head),
                projected(block.key, to.u, form, head),
                columns(v, T, head, d / H),
                {}};
    if (block.relative.size(0) > 0) x.r = columns(block.relative, T, head, x.q.size(1));
    if (block.sinks.size(0) > 0) x.sink = block.sinks(head);
    to.outputs.push_back(self_attention(form.heads[static_cast<std::size_t>(head)], x));
    to.inputs.push_back(x);
    add_columns(to.outputs.back().y, head, to.y);
  }
  to.ungated = to.y;
  if (exists(block.gate)) {
    to.gates = linear(block.gate, to.u);
    for (double& g : to.gates.values()) g = 1 / (1 + std::exp(-g));
    for (std::size_t i = 0; i < to.y.values().size(); ++i) to.y.values()[i] *= to.gates.values()[i];
  }
  to.out = to.between = sum(h, linear(block.output, to.y));
  if (!exists(block.up)) return to;

  to.normalised = norms ? layer_norm(block.norm2, to.between) : to.between;
  to.before = to.after = linear(block.up, to.normalised);
  for (double& a : to.after.values()) a = form.relu ? std::max(a, 0.0) : gelu(a);
  to.out = sum(to.between, linear(block.down, to.after));
  return to;
}

Array<2> transformer_block_backward(const TransformerBlock& block, const BlockForm& form, const BlockPass& pass,
                                    const Array<2>& d_out, TransformerBlock& d_block) {
  const Index T = d_out.size(0), d = d_out.size(1), H = static_cast<Index>(form.heads.size());
  const bool norms = block.norm1.weight.size(0) > 0;

  // out = h' + D f(U LN2(h') + b_u) + b_d
  Array<2> d_between = d_out;
  if (exists(block.up)) {
    Array<2> da = linear_backward(block.down, pass.after, d_out, d_block.down);
    for (std::size_t i = 0; i < da.values().size(); ++i) {
      const double a = pass.before.values()[i], dg = da.values()[i];
      da.values()[i] = form.relu ? (a > 0 ? dg : 0) : gelu_backward(a, dg);
    }
    const Array<2> d_normalised = linear_backward(block.up, pass.normalised, da, d_block.up);
    d_between = sum(d_between,
                    norms ? layer_norm_backward(block.norm2, pass.between, d_normalised, d_block.norm2) : d_normalised);
  }

  // h' = h + O y + b_o
  Array<2> dy = linear_backward(block.output, pass.y, d_between, d_block.output);
  Array<2> dv(T, d), du(T, d);
  if (exists(block.gate)) {
    Array<2> dg(T, d);
    for (std::size_t i = 0; i < dg.values().size(); ++i) {
      const double open = pass.gates.values()[i];
      dg.values()[i] = dy.values()[i] * pass.ungated.values()[i] * open * (1 - open);
      dy.values()[i] *= open;
    }
    du = sum(du, linear_backward(block.gate, pass.u, dg, d_block.gate));
  }
  std::vector<Array<2>> dq, dk;
  for (Index head = 0; head < H; ++head) {
    const auto number = static_cast<std::size_t>(head);
    const HeadInput& x = pass.inputs[number];
    HeadInput dx{Array<2>(T, x.q.size(1)), Array<2>(T, x.q.size(1)), Array<2>(T, d / H), x.r};
    std::ranges::fill(dx.r.values(), 0.0);
    dx.sink = 0;
    self_attention_backward(form.heads[number], x, pass.outputs[number], columns(dy, T, head, d / H), dx);
    dq.push_back(dx.q);
    dk.push_back(dx.k);
    add_columns(dx.v, head, dv);
    if (x.r.size(0) > 0) add_columns(dx.r, head, d_block.relative);
    if (block.sinks.size(0) > 0) d_block.sinks(head) += dx.sink;
  }
  projected_backward(block.query, pass.u, form, dq, d_block.query, du);
  projected_backward(block.key, pass.u, form, dk, d_block.key, du);
  du = sum(du, linear_backward(block.value, pass.u, dv, d_block.value));

  // u = LN1(h)
  return sum(d_between, norms ? layer_norm_backward(block.norm1, pass.h, du, d_block.norm1) : du);
}

}  // namespace fovea::reference
