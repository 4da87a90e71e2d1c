#include "fovea/nn/reference/cross_entropy.h"

#include <algorithm>

namespace fovea::reference {

namespace {

double counted(std::span<const int> answers) {
  return static_cast<double>(std::ranges::count_if(answers, [](int y) { return y >= 0; }));
}

}  // namespace

Loss cross_entropy(const Array<2>& z, std::span<const int> answers) {
  const Index N = z.size(0), C = z.size(1);
  const double n = counted(answers);
  Loss loss{0, Array<2>(N, C)};
  for (Index r = 0; r < N; ++r) {
    const int y = answers[static_cast<std::size_t>(r)];
    if (y < 0) continue;
    double largest = -INFINITY, sum = 0;  // the largest cancels; it keeps exp from overflowing
    for (Index c = 0; c < C; ++c) largest = std::max(largest, z(r, c));
    for (Index c = 0; c < C; ++c) sum += std::exp(z(r, c) - largest);

    // L -= log p_y / n, with log p_c = z_c - largest - log(sum)
    loss.value -= (z(r, y) - largest - std::log(sum)) / n;
    for (Index c = 0; c < C; ++c) loss.d_logits(r, c) = (std::exp(z(r, c) - largest) / sum - (c == y ? 1 : 0)) / n;
  }
  return loss;
}

Loss soft_cross_entropy(const Array<2>& z, std::span<const int> answers, const Array<2>& y) {
  const Index N = z.size(0), C = z.size(1);
  const double n = counted(answers);
  Loss loss{0, Array<2>(N, C)};
  for (Index r = 0; r < N; ++r) {
    if (answers[static_cast<std::size_t>(r)] < 0) continue;
    double largest = -INFINITY, sum = 0;
    for (Index c = 0; c < C; ++c) largest = std::max(largest, z(r, c));
    for (Index c = 0; c < C; ++c) sum += std::exp(z(r, c) - largest);
    for (Index c = 0; c < C; ++c) {
      loss.value -= y(r, c) * (z(r, c) - largest - std::log(sum)) / n;
      loss.d_logits(r, c) = (std::exp(z(r, c) - largest) / sum - y(r, c)) / n;
    }
  }
  return loss;
}

Loss logistic_loss(const Array<2>& z, std::span<const int> answers) {
  const Index N = z.size(0);
  const double n = counted(answers);
  Loss loss{0, Array<2>(N, 1)};
  for (Index r = 0; r < N; ++r) {
    const int y = answers[static_cast<std::size_t>(r)];
    if (y < 0) continue;

    // L -= log σ(± z) / n, and 1 - σ(z) = σ(-z)
    const double sign = y == 1 ? 1 : -1, wrong = sigmoid(-sign * z(r, 0));
    loss.value -= std::log1p(-wrong) / n;
    loss.d_logits(r, 0) = -sign * wrong / n;
  }
  return loss;
}

}  // namespace fovea::reference
