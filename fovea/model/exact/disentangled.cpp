// Model `disentangled` (room model/exact): two layers of causal attention whose outputs are appended to their inputs,
// not added. lab/spec makes it by name for a run. It writes only traces and gradients. Each output can therefore be
// read separately. B streams of T positions over V tokens, C tokens that may be answers:
//
//   h0     = [onehot(x_bt), onehot(t)]                 h0 (B T, d), d = V + T
//   y1     = self-attention(h0 A1' sqrt d, h0, h0)     A1 (d,d);     nn/attention/self_attention.h, one head, which
//                                                      divides scores by sqrt d: s_ij = (A1 h_i) . h_j
//   h1     = [h0, y1]                                  h1 (B T, 2d)
//   y2     = self-attention(h1 A2' sqrt 2d, h1, h1)    A2 (2d,2d)
//   h2     = [h1, y2]                                  h2 (B T, 4d)
//   logit  = G h2                                      G (C,4d)
//   loss   = mean cross-entropy over the positions at which something is asked
//
// All parameters are 0 at the start: attention is uniform, and all answers are equally likely. Backward, with [dh,
// dy] the halves of a d of [h, y]:
//
//   dG  += dlogit' h2        [dh1, dy2] = dlogit G
//   dq, dk, dv of dy2        dA2 += sqrt 2d dq' h1        dh1 += sqrt 2d dq A2 + dk + dv
//   dq of dy1, the second half of dh1                     dA1 += sqrt d dq' h0
//
// (Nichani, Damian and Lee, How transformers learn causal structure with gradient descent, 2024.)
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/math/vector_math.h"
#include "fovea/model/model.h"
#include "fovea/model/right_positions.h"
#include "fovea/nn/attention/self_attention.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/loss.h"

namespace fovea {

namespace {

constexpr int layer_count = 2;
constexpr Index most_weights = Index{1} << 26;  // of both maps of a pass

// [left, right] row by row.
template <class T>
Matrix<T> beside(Compute& compute, Matrix<const T> left, Matrix<const T> right) {
  const Index width = left.size(1);
  const Matrix<T> both = compute.array<T>(left.size(0), width + right.size(1));
  for (Index n = 0; n < both.size(0); ++n) {
    std::copy_n(left[n].data(), width, both[n].data());
    std::copy_n(right[n].data(), right.size(1), both[n].data() + width);
  }
  return both;
}

template <class T>
Matrix<T> columns(Compute& compute, Matrix<const T> all, Index begin, Index end) {
  const Matrix<T> part = compute.array<T>(all.size(0), end - begin);
  for (Index n = 0; n < all.size(0); ++n) std::copy_n(all[n].data() + begin, end - begin, part[n].data());
  return part;
}

template <class T>
class Disentangled final : public Model<T> {
 public:
  void settings(Fields&) override {}

  Kind takes() const override { return Kind::token_streams; }
  typename Model<T>::Attends attends(const Batch& batch) const override {
    const Index positions = batch.source.columns;
    return layer_count * batch.size * positions * positions > most_weights ? Model<T>::Attends::no
                                                                           : Model<T>::Attends::by_score;
  }
  typename Model<T>::Heads heads() const override { return {std::vector<int>(layer_count, 1), true}; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (shape.longest < 1)
      throw wrong_input("model 'disentangled' needs a task with a largest number of positions",
                        "use a task of token streams");
    vocab_ = shape.vocab;
    longest_ = shape.longest;
    Index width = vocab_ + longest_;
    for (std::size_t layer = 0; layer < layers_.size(); ++layer, width *= 2) {
      layers_[layer].map = declare(parameters, fmt::format("layer.{}", layer + 1), width, width, Group::attention);
      layers_[layer].attention = {Weighting::softmax, 1, width, width};
    }
    readout_ = declare(parameters, "readout", width, shape.target_vocab, Group::body);
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;
  Cube<T> states(Compute& compute, const Trace<T>& trace) const override;

 private:
  struct Layer {
    Linear<T> map;  // A
    SelfAttention<T> attention;
  };
  struct TraceArrays {
    std::array<typename SelfAttention<T>::Inputs, layer_count> inputs;
    Matrix<T> last;      // h2
    Matrix<T> d_logits;  // (B T, C)
  };

  static Linear<T> declare(ParameterSet<T>& parameters, const std::string& name, Index in, Index out, Group group) {
    return Linear<T>::declare(parameters, name, in, out, {Init::constant(0), {}}, group, Bias::no);
  }

  Index vocab_ = 0, longest_ = 0;
  std::array<Layer, layer_count> layers_;
  Linear<T> readout_;  // G
};

template <class T>
Trace<T> Disentangled<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  TraceArrays own;
  const Tokens& source = batch.source;
  const Index positions = source.columns, N = static_cast<Index>(source.ids.size());
  Matrix<T> h = compute.zeros<T>(N, vocab_ + longest_);
  for (Index n = 0; n < N; ++n) {
    const int token = source.ids[static_cast<std::size_t>(n)];
    if (token < 0) continue;
    h(n, token) = 1;
    h(n, vocab_ + n % positions) = 1;
  }
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    typename SelfAttention<T>::Inputs& attention = own.inputs[i];
    attention.rows = {positions, source.lengths};
    const Matrix<T> queries = layers_[i].map.forward(compute, h);
    for (T& q : queries.flat()) q *= std::sqrt(static_cast<T>(h.size(1)));
    attention.q = queries;
    attention.k = attention.v = h;
    const auto rules = compute.arena.take<AttentionRule>(1);
    rules[0] = pass.rules.of(static_cast<int>(i) + 1, 1);
    attention.rules = rules;
    attention.right = right_positions(batch);
    const Matrix<T> brought = compute.array<T>(N, h.size(1));
    layers_[i].attention.forward(compute, attention, brought);
    h = beside<T>(compute, h, brought);
  }
  own.last = h;
  trace.scores = readout_.forward(compute, h);
  trace.answers = batch.target.ids;
  if (pass.training) own.d_logits = compute.array<T>(N, readout_.out);
  trace.loss = cross_entropy(compute, Matrix<const T>(trace.scores), trace.answers, own.d_logits);
  if (!pass.training && attends(batch) != Model<T>::Attends::no) {
    static constexpr const char* names[layer_count] = {"layer.1.head.1", "layer.2.head.1"};
    const auto maps = compute.arena.take<AttentionMap<T>>(layer_count);
    for (std::size_t i = 0; i < maps.size(); ++i) {
      maps[i] = {names[i], compute.array<T>(batch.size, positions, positions)};
      layers_[i].attention.map(compute, own.inputs[i], 0, maps[i].weights);
    }
    trace.attention = maps.back().weights;
    trace.further = maps;
  }
  trace.keep(compute, own);
  return trace;
}

template <class T>
void Disentangled<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  Matrix<T> d = readout_.backward(compute, own.last, own.d_logits);
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const typename SelfAttention<T>::Inputs& inputs = own.inputs[i];
    const Index N = d.size(0), width = d.size(1) / 2;
    const Matrix<T> d_brought = columns<T>(compute, d, width, 2 * width);
    typename SelfAttention<T>::InputGradients of;
    of.q = compute.array<T>(N, width);
    if (i > 0) {
      of.k = compute.array<T>(N, width);
      of.v = compute.array<T>(N, width);
    }
    layers_[i].attention.backward(compute, inputs, d_brought, of);
    for (T& q : of.q.flat()) q *= std::sqrt(static_cast<T>(width));
    layers_[i].map.backward_parameters(compute, inputs.k, of.q);
    if (i == 0) return;
    const Matrix<T> d_read = columns<T>(compute, d, 0, width);
    layers_[i].map.backward_input(compute, of.q, d_read);
    add_scaled(T{1}, std::span<const T>(of.k.flat()), d_read.flat());
    add_scaled(T{1}, std::span<const T>(of.v.flat()), d_read.flat());
    d = d_read;
  }
}

template <class T>
Cube<T> Disentangled<T>::states(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  const Matrix<T> states = compute.array<T>(own.last.size(0), own.last.size(1));
  std::copy_n(own.last.data(), own.last.count(), states.data());
  return states.as(trace.batch->size, trace.batch->source.columns, own.last.size(1));
}

const RegisterModel<Disentangled> disentangled(
    "disentangled", "two layers of attention appended to their input, of one-hot tokens and positions");

}  // namespace

}  // namespace fovea
