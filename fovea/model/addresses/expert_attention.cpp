#include "fovea/model/addresses/expert_attention.h"

#include "fovea/math/vector_math.h"

namespace fovea {

template <class T>
ExpertAttention<T> ExpertAttention<T>::declare(ParameterSet<T>& parameters, const std::string& prefix, Index offsets,
                                               Index experts, Index width, double factor, Init init) {
  return {offsets, experts, width, static_cast<T>(factor),
          &parameters.add(under(prefix, "weight"), {offsets, experts * width}, init)};
}

template <class T>
Attention<T> ExpertAttention<T>::forward(Compute& compute, std::span<const int> o, Matrix<const T> p,
                                         const AttentionRule& rule, Matrix<T> v) const {
  const Index accesses = p.size(0);
  const Attention<T> attention = Attention<T>::make(compute, accesses, 1, experts, {}, rule);
  compute.team.split(accesses, 64, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Sequences<const T> own = experts_of<const T>(table->value, o[static_cast<std::size_t>(i)], accesses);
      const auto k_vector = [&](Index k) { return std::span<const T>(own.row(i, k), static_cast<std::size_t>(width)); };
      for (Index k = 0; attention.by_score() && k < experts; ++k)
        attention.weights(i, 0, k) = factor * dot(std::span<const T>(p[i].flat()), k_vector(k));
      attention.weigh(i);
      attention.sum(i, own, batch_major(v.as(accesses, 1, width)));
    }
  });
  return attention;
}

template <class T>
void ExpertAttention<T>::backward(Compute& compute, const Attention<T>& attention, std::span<const int> o,
                                  Matrix<const T> p, Matrix<const T> dv, Matrix<T> dp) const {
  const Index accesses = p.size(0);
  const bool learned = attention.by_score(), trains = compute.trains() && table->learns();
  const Cube<T> ds = learned ? compute.array<T>(accesses, 1, experts) : Cube<T>();

  // Accesses by their offset: those of offset k stand at begin[k] .. begin[k+1].
  const std::span<Index> begin = compute.arena.take_zeros<Index>(static_cast<std::size_t>(offsets + 1));
  for (const int offset : o) ++begin[static_cast<std::size_t>(offset + 1)];
  for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
  const std::span<Index> order = compute.arena.take<Index>(o.size());
  const std::span<Index> filled = compute.arena.take_zeros<Index>(static_cast<std::size_t>(offsets));
  for (std::size_t i = 0; i < o.size(); ++i) {
    const auto k = static_cast<std::size_t>(o[i]);
    order[static_cast<std::size_t>(begin[k] + filled[k]++)] = static_cast<Index>(i);
  }

  compute.team.each(static_cast<int>(offsets), [&](int offset) {
    const Sequences<const T> own = experts_of<const T>(table->value, offset, accesses);
    const Sequences<T> d_own = trains ? experts_of<T>(table->gradient, offset, accesses) : Sequences<T>();
    for (Index j = begin[static_cast<std::size_t>(offset)]; j < begin[static_cast<std::size_t>(offset) + 1]; ++j) {
      const Index i = order[static_cast<std::size_t>(j)];
      attention.sum_backward(i, own, batch_major(Cube<const T>(dv.as(accesses, 1, width))), ds, d_own);
      if (!learned) continue;
      attention.weigh_backward(i, ds);
      for (Index k = 0; k < experts; ++k) {
        const T d = factor * ds(i, 0, k);
        const auto count = static_cast<std::size_t>(width);
        add_scaled(d, std::span<const T>(own.row(i, k), count), dp[i].flat());
        if (trains) add_scaled(d, std::span<const T>(p[i].flat()), std::span<T>(d_own.row(i, k), count));
      }
    }
  });
}

template struct ExpertAttention<float>;
template struct ExpertAttention<double>;

}  // namespace fovea
