// Heads of the last layer that are made to say the tokens that they attend to; and how heads are looked at, by a
// backward pass that keeps β on its way.
#include <algorithm>

#include "fovea/math/matmul.h"
#include "fovea/math/vector_math.h"
#include "fovea/model/asked_rows.h"
#include "fovea/model/transformer.h"

namespace fovea {

// The last layer's attention with the tokens themselves for values, (C) for each head.
template <class T>
SelfAttention<T> Transformer<T>::copier() const {
  SelfAttention<T> copier = attention_;
  copier.value_width = unembedding_.out;
  return copier;
}

template <class T>
void Transformer<T>::copy(Compute& compute, const Batch& batch, Own& own, Matrix<T> logits) const {
  const std::span<const AttentionRule> rules = own.layers.back().attention.rules;
  if (std::ranges::none_of(rules, [](const AttentionRule& rule) { return rule.copy != 0; })) return;
  const SelfAttention<T> copier = this->copier();
  const auto N = static_cast<Index>(batch.source.ids.size()), C = copier.value_width;
  const Matrix<T> tokens = compute.zeros<T>(N, heads_ * C);
  for (Index n = 0; n < N; ++n) {
    const int token = batch.source.ids[static_cast<std::size_t>(n)];
    for (Index h = 0; token >= 0 && token < C && h < heads_; ++h) tokens(n, h * C + token) = 1;
  }
  own.copied = own.layers.back().attention;
  own.copied.kept = {};
  own.copied.v = tokens;
  const Index rows = own.copied.q.size(0);
  Matrix<T> said = compute.array<T>(rows, heads_ * C);
  copier.forward(compute, own.copied, said);
  if (rows != logits.size(0)) said = gather(compute, Matrix<const T>(said), own.asked);
  for (Index i = 0; i < said.size(0); ++i)
    for (Index h = 0; h < heads_; ++h)
      add_scaled(static_cast<T>(rules[static_cast<std::size_t>(h)].copy),
                 std::span<const T>(said[i].data() + h * C, static_cast<std::size_t>(C)), logits[i].flat());
}

// Adds to d of queries, keys and relative positions what copying gives them.
template <class T>
void Transformer<T>::copy_backward(Compute& compute, const Own& own,
                                   const typename SelfAttention<T>::Gradients& d) const {
  const SelfAttention<T> copier = this->copier();
  const Index C = copier.value_width;
  const Matrix<T> d_said = compute.zeros<T>(own.copied.q.size(0), heads_ * C);
  for (Index i = 0; i < std::ssize(own.asked); ++i)
    for (Index h = 0; h < heads_; ++h)
      add_scaled(static_cast<T>(own.copied.rules[static_cast<std::size_t>(h)].copy),
                 std::span<const T>(own.d_logits[i].flat()),
                 std::span<T>(d_said[i].data() + h * C, static_cast<std::size_t>(C)));
  typename SelfAttention<T>::Gradients more;
  if (!d.q.empty()) more.q = compute.array<T>(d.q.size(0), d.q.size(1));
  if (!d.k.empty()) more.k = compute.array<T>(d.k.size(0), d.k.size(1));
  more.r = d.r;
  copier.backward(compute, own.copied, d_said, more);
  if (!d.q.empty()) add_scaled(T{1}, std::span<const T>(more.q.flat()), d.q.flat());
  if (!d.k.empty()) add_scaled(T{1}, std::span<const T>(more.k.flat()), d.k.flat());
}

template <class T>
std::span<const HeadBeta<T>> Transformer<T>::head_betas(Compute& compute, const Batch& batch, Pass pass) const {
  if (attends(batch) == Model<T>::Attends::no) return {};
  pass.training = true;
  const Trace<T> trace = forward(compute, batch, pass);
  const Index places = batch.source.columns;
  const auto looks = compute.arena.take<HeadBeta<T>>(names_.size());
  for (std::size_t i = 0; i < looks.size(); ++i)
    looks[i] = {names_[i], compute.array<T>(Index{batch.size}, places, places)};
  descend(compute, trace, looks);
  return looks;
}

// Of a layer, from d of what its heads gave (N, H U).
template <class T>
void Transformer<T>::look(const LayerTrace& trace, Matrix<const T> dy, Index asked,
                          std::span<HeadBeta<T>> looks) const {
  const Index places = trace.attention.places, U = attention_.value_width;
  for (Index h = 0; h < heads_; ++h) {
    const HeadBeta<T>& at = looks[static_cast<std::size_t>(h)];
    const auto part = [&](Matrix<const T> all, Index first, Index rows) {
      return Operand<T>{all[first].data() + h * U, rows, U, heads_ * U, false};
    };
    for (Index b = 0; b < at.beta.size(0); ++b) {
      const Matrix<T> beta = at.beta[b];
      matmul(part(dy, b * places, places), transposed(part(trace.attention.v, b * places, places)), beta);
      for (Index i = 0; i < places; ++i)
        for (Index j = 0; j < places; ++j) beta(i, j) = j > i ? 0 : -static_cast<T>(asked) * beta(i, j);
    }
  }
}

template SelfAttention<float> Transformer<float>::copier() const;
template SelfAttention<double> Transformer<double>::copier() const;
template void Transformer<float>::copy(Compute&, const Batch&, Own&, Matrix<float>) const;
template void Transformer<double>::copy(Compute&, const Batch&, Own&, Matrix<double>) const;
template void Transformer<float>::copy_backward(Compute&, const Own&, const SelfAttention<float>::Gradients&) const;
template void Transformer<double>::copy_backward(Compute&, const Own&, const SelfAttention<double>::Gradients&) const;

template std::span<const HeadBeta<float>> Transformer<float>::head_betas(Compute&, const Batch&, Pass) const;
template std::span<const HeadBeta<double>> Transformer<double>::head_betas(Compute&, const Batch&, Pass) const;
template void Transformer<float>::look(const LayerTrace&, Matrix<const float>, Index, std::span<HeadBeta<float>>) const;
template void Transformer<double>::look(const LayerTrace&, Matrix<const double>, Index,
                                        std::span<HeadBeta<double>>) const;

}  // namespace fovea
