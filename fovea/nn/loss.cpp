#include "fovea/nn/loss.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fovea/base/functions/functions.h"
#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

constexpr Index loss_grain = 1 << 13;  // elements a piece

// Sums what part(begin, end) gives over fixed pieces of [0, count), in order.
template <class Part>
double sum_over_pieces(const Compute& compute, Index count, Index piece, Part&& part) {
  const std::span<double> sums = compute.arena.take<double>(static_cast<std::size_t>((count + piece - 1) / piece));
  compute.team.split(count, piece,
                     [&](Index begin, Index end) { sums[static_cast<std::size_t>(begin / piece)] = part(begin, end); });
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum;
}

std::ptrdiff_t counted(std::span<const int> answers) {
  return std::count_if(answers.begin(), answers.end(), [](int answer) { return answer >= 0; });
}

}  // namespace

template <class T>
double logistic_loss(const Compute& compute, std::span<const T> logits, std::span<const int> answers,
                     std::span<T> gradient) {
  assert(logits.size() == answers.size() && (gradient.empty() || gradient.size() == logits.size()));
  const T share = T{1} / static_cast<T>(std::max<std::ptrdiff_t>(counted(answers), 1));
  const double sum =
      sum_over_pieces(compute, static_cast<Index>(logits.size()), loss_grain, [&](Index begin, Index end) {
        double part = 0;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          assert(answers[i] <= 1);
          const bool counts = answers[i] >= 0;
          const T z = logits[i];
          const T small = math::exp(-std::abs(z));  // in [0, 1]: the exponent cannot overflow
          if (counts)
            part += static_cast<double>((z > 0 ? z : 0) - z * static_cast<T>(answers[i]) + math::log1p(small));
          if (gradient.empty()) continue;
          // sigmoid(z) - answer without cancellation: 1 - sigmoid(z) = sigmoid(-z)
          const T near = T{1} / (1 + small), far = small / (1 + small);
          const T d = answers[i] == 1 ? (z > 0 ? -far : -near) : (z > 0 ? near : far);
          gradient[i] = counts ? (std::isnan(z) ? z : d * share) : T{0};
        }
        return part;
      });
  return sum * static_cast<double>(share);
}

template <class T>
double cross_entropy(const Compute& compute, Matrix<const T> logits, std::span<const int> answers, Matrix<T> gradient) {
  const Index rows = logits.size(0), classes = logits.size(1);
  assert(static_cast<std::size_t>(rows) == answers.size());
  assert(gradient.data() == nullptr || gradient.shape() == logits.shape());
  const double share = 1.0 / static_cast<double>(std::max<std::ptrdiff_t>(counted(answers), 1));
  const Index piece = std::max<Index>(1, loss_grain / std::max<Index>(classes, 1));
  const double sum = sum_over_pieces(compute, rows, piece, [&](Index begin, Index end) {
    double part = 0;
    for (Index i = begin; i < end; ++i) {
      const int answer = answers[static_cast<std::size_t>(i)];
      assert(answer < classes);
      const std::span<const T> row = logits[i].flat();
      if (answer < 0) {
        if (gradient.data()) std::fill_n(gradient[i].data(), classes, T{0});
        continue;
      }
      const auto at = static_cast<std::size_t>(answer);
      if (!gradient.data()) {
        part += static_cast<double>(log_sum_exp(row) - row[at]);
        continue;
      }
      const std::span<T> d = gradient[i].flat();
      softmax(row, d);
      // The probability tells the loss unless it is so small that its logarithm would lose digits.
      const T p = d[at];
      part += static_cast<double>(p > T(1e-30) ? -math::log(p) : log_sum_exp(row) - row[at]);
      const T scale = static_cast<T>(share);
      for (T& x : d) x *= scale;
      d[at] -= scale;
    }
    return part;
  });
  return sum * share;
}

template <class T>
double squared_error(const Compute& compute, std::span<const T> predictions, std::span<const T> truth,
                     std::span<T> gradient) {
  assert(predictions.size() == truth.size() && (gradient.empty() || gradient.size() == truth.size()));
  const double share = 1.0 / static_cast<double>(std::max<std::size_t>(truth.size(), 1));
  const T scale = static_cast<T>(2 * share);
  const double sum =
      sum_over_pieces(compute, static_cast<Index>(truth.size()), loss_grain, [&](Index begin, Index end) {
        double part = 0;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          const T off = predictions[i] - truth[i];
          part += static_cast<double>(off) * static_cast<double>(off);
          if (!gradient.empty()) gradient[i] = scale * off;
        }
        return part;
      });
  return sum * share;
}

template <class T>
T beta_of(std::span<const T> scores, int label) {
  if (scores.size() == 1) return label == 0 ? -scores[0] : scores[0];
  return beta_of(scores, label, log_sum_exp(scores));
}

template <class T>
T beta_of(std::span<const T> scores, int label, T all) {
  const auto at = static_cast<std::size_t>(label);
  const T right = scores[at];
  if (right - all < T(-0.1)) return right - all;
  // The nearer to certain, the fewer digits of a small difference are left, and at last none: then all that are sure
  // would be equally so. −log(1 + Σ exp(other − right)) keeps them.
  const T before = log_sum_exp(scores.first(at)), behind = log_sum_exp(scores.subspan(at + 1));
  return -math::log1p(math::exp(before - right) + math::exp(behind - right));
}

template double logistic_loss(const Compute&, std::span<const float>, std::span<const int>, std::span<float>);
template double logistic_loss(const Compute&, std::span<const double>, std::span<const int>, std::span<double>);
template double cross_entropy(const Compute&, Matrix<const float>, std::span<const int>, Matrix<float>);
template double cross_entropy(const Compute&, Matrix<const double>, std::span<const int>, Matrix<double>);
template double squared_error(const Compute&, std::span<const float>, std::span<const float>, std::span<float>);
template double squared_error(const Compute&, std::span<const double>, std::span<const double>, std::span<double>);
template float beta_of(std::span<const float>, int);
template double beta_of(std::span<const double>, int);
template float beta_of(std::span<const float>, int, float);
template double beta_of(std::span<const double>, int, double);

}  // namespace fovea
