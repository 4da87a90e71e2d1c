#include "fovea/nn/soft_cross_entropy.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/functions/functions.h"
#include "fovea/math/vector_math.h"

namespace fovea {

template <class T>
double soft_cross_entropy(const Compute& compute, Matrix<const T> logits, std::span<const int> counts,
                          Matrix<const float> truth, Matrix<T> gradient) {
  const Index rows = logits.size(0), classes = logits.size(1);
  assert(static_cast<std::size_t>(rows) == counts.size() && truth.shape() == logits.shape());
  const auto n = std::ranges::count_if(counts, [](int count) { return count >= 0; });
  const double share = 1.0 / static_cast<double>(std::max<std::ptrdiff_t>(n, 1));
  const std::span<double> losses = compute.arena.take<double>(static_cast<std::size_t>(rows));
  compute.team.split(rows, 64, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      double& loss = losses[static_cast<std::size_t>(i)] = 0;
      const bool is = counts[static_cast<std::size_t>(i)] >= 0;
      if (gradient.data() && !is) std::fill_n(gradient[i].data(), classes, T{0});
      if (!is) continue;
      const T all = log_sum_exp(logits[i].flat());
      for (Index c = 0; c < classes; ++c) {
        const T log_p = logits(i, c) - all, y = static_cast<T>(truth(i, c));
        if (y > 0) loss -= static_cast<double>(y * log_p);
        if (gradient.data()) gradient(i, c) = (math::exp(log_p) - y) * static_cast<T>(share);
      }
    }
  });
  double sum = 0;
  for (const double loss : losses) sum += loss;
  return sum * share;
}

template double soft_cross_entropy(const Compute&, Matrix<const float>, std::span<const int>, Matrix<const float>,
                                   Matrix<float>);
template double soft_cross_entropy(const Compute&, Matrix<const double>, std::span<const int>, Matrix<const float>,
                                   Matrix<double>);

}  // namespace fovea
