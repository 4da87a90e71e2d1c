// Heads of the last layer that are made to say the tokens that they attend to.
#include <algorithm>

#include "fovea/math/vector_math.h"
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
  const std::span<const HeadRule> rules = own.layers.back().attention.rules;
  if (std::ranges::none_of(rules, [](const HeadRule& rule) { return rule.copy != 0; })) return;
  const SelfAttention<T> copier = this->copier();
  const auto N = static_cast<Index>(batch.source.ids.size()), C = copier.value_width;
  const Matrix<T> tokens = compute.zeros<T>(N, heads_ * C), said = compute.array<T>(N, heads_ * C);
  for (Index n = 0; n < N; ++n) {
    const int token = batch.source.ids[static_cast<std::size_t>(n)];
    for (Index h = 0; token >= 0 && token < C && h < heads_; ++h) tokens(n, h * C + token) = 1;
  }
  own.copied = own.layers.back().attention;
  own.copied.kept = {};
  own.copied.v = tokens;
  copier.forward(compute, own.copied, said);
  for (std::size_t i = 0; i < own.asked.size(); ++i)
    for (Index h = 0; h < heads_; ++h)
      add_scaled(static_cast<T>(rules[static_cast<std::size_t>(h)].copy),
                 std::span<const T>(
                     said[own.asked[i]].flat().subspan(static_cast<std::size_t>(h * C), static_cast<std::size_t>(C))),
                 logits[static_cast<Index>(i)].flat());
}

// Adds to d of queries, keys and relative positions what copying gives them.
template <class T>
void Transformer<T>::copy_backward(Compute& compute, const Own& own,
                                   const typename SelfAttention<T>::Gradients& d) const {
  const SelfAttention<T> copier = this->copier();
  const Index N = own.copied.v.size(0), C = copier.value_width;
  const Matrix<T> d_said = compute.zeros<T>(N, heads_ * C);
  for (std::size_t i = 0; i < own.asked.size(); ++i)
    for (Index h = 0; h < heads_; ++h)
      add_scaled(static_cast<T>(own.copied.rules[static_cast<std::size_t>(h)].copy),
                 std::span<const T>(own.d_logits[static_cast<Index>(i)].flat()),
                 d_said[own.asked[i]].flat().subspan(static_cast<std::size_t>(h * C), static_cast<std::size_t>(C)));
  typename SelfAttention<T>::Gradients more;
  if (!d.q.empty()) more.q = compute.array<T>(N, d.q.size(1));
  if (!d.k.empty()) more.k = compute.array<T>(N, d.k.size(1));
  more.r = d.r;
  copier.backward(compute, own.copied, d_said, more);
  if (!d.q.empty()) add_scaled(T{1}, std::span<const T>(more.q.flat()), d.q.flat());
  if (!d.k.empty()) add_scaled(T{1}, std::span<const T>(more.k.flat()), d.k.flat());
}

template SelfAttention<float> Transformer<float>::copier() const;
template SelfAttention<double> Transformer<double>::copier() const;
template void Transformer<float>::copy(Compute&, const Batch&, Own&, Matrix<float>) const;
template void Transformer<double>::copy(Compute&, const Batch&, Own&, Matrix<double>) const;
template void Transformer<float>::copy_backward(Compute&, const Own&, const SelfAttention<float>::Gradients&) const;
template void Transformer<double>::copy_backward(Compute&, const Own&, const SelfAttention<double>::Gradients&) const;

}  // namespace fovea
