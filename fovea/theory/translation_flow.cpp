#include "fovea/theory/translation_flow.h"

#include <algorithm>
#include <numeric>

#include "fovea/base/functions/functions.h"
#include "fovea/math/vector_math.h"

namespace fovea {

TranslationField::TranslationField(std::vector<double> given, std::vector<double> share, std::size_t inputs)
    : inputs_(inputs), given_(std::move(given)), share_(std::move(share)), bias_(share_.size()) {
  for (std::size_t o = 0; o < outputs(); ++o) bias_[o] = math::log(share_[o]);
}

void TranslationField::attend(std::span<const double> state, std::size_t o, std::span<double> weights) const {
  const std::span<const double> logits = state.subspan((outputs() + o) * inputs_, inputs_);
  const double most = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (std::size_t i = 0; i < inputs_; ++i) sum += given(o, i) * (weights[i] = math::exp(logits[i] - most));
  for (double& weight : weights) weight /= sum;
}

// log_sums[k] = b_k + log E e^{score of k}. Returns log Σ_k of them.
double TranslationField::scores(std::span<const double> state, std::size_t o, std::span<const double> weights,
                                std::span<double> log_sums) const {
  for (std::size_t k = 0; k < outputs(); ++k) {
    const double* const table = state.data() + k * inputs_;
    double sum = 0, product = 1;
    for (std::size_t i = 0; i < inputs_; ++i) {
      product *= 1 + given(o, i) * math::expm1(weights[i] * table[i]);
      if (product > 1e200 || product < 1e-200) {
        sum += math::log(product);
        product = 1;
      }
    }
    log_sums[k] = bias_[k] + sum + math::log(product);
  }
  return log_sum_exp(std::span<const double>(log_sums));
}

double TranslationField::right(std::span<const double> state, std::size_t o) const {
  std::vector<double> weights(inputs_), log_sums(outputs());
  attend(state, o, weights);
  const double all = scores(state, o, weights, log_sums);
  double mean = 0;
  for (std::size_t i = 0; i < inputs_; ++i) mean += given(o, i) * weights[i] * state[o * inputs_ + i];
  return math::exp(bias_[o] + mean - all);
}

double TranslationField::loss(std::span<const double> state) const {
  double loss = 0;
  for (std::size_t o = 0; o < outputs(); ++o)
    if (share_[o] > 0) loss -= share_[o] * math::log(right(state, o));
  return loss;
}

// With x = α_oi W_ki: d log E e^{score of k} / d x = q e^x / (1 + q (e^x - 1)), the chance of i once k was said.
double TranslationField::slope(std::span<const double> state, std::span<double> change) const {
  std::fill(change.begin(), change.end(), 0.0);
  const std::size_t table = outputs() * inputs_;
  std::vector<double> weights(inputs_), log_sums(outputs()), pull(inputs_), grown(outputs() * inputs_);
  double loss = 0;
  for (std::size_t o = 0; o < outputs(); ++o) {
    if (share_[o] == 0) continue;
    attend(state, o, weights);
    const double* const q = given_.data() + o * inputs_;
    for (std::size_t k = 0; k < outputs(); ++k) {
      const double* const row = state.data() + k * inputs_;
      double* const more = grown.data() + k * inputs_;
      double sum = 0, product = 1;
      for (std::size_t i = 0; i < inputs_; ++i) {
        const double e = math::exp(weights[i] * row[i]);
        const double mean = 1 + q[i] * (e - 1);
        more[i] = q[i] * e / mean;
        product *= mean;
        if (product > 1e200 || product < 1e-200) {
          sum += math::log(product);
          product = 1;
        }
      }
      log_sums[k] = bias_[k] + sum + math::log(product);
    }
    const double all = log_sum_exp(std::span<const double>(log_sums));
    std::fill(pull.begin(), pull.end(), 0.0);  // -d loss of o / d α_oi
    for (std::size_t k = 0; k < outputs(); ++k) {
      const double said = math::exp(log_sums[k] - all);
      const double* const row = state.data() + k * inputs_;
      const double* const more = grown.data() + k * inputs_;
      double* const out = change.data() + k * inputs_;
      for (std::size_t i = 0; i < inputs_; ++i) {
        const double slope = (k == o ? q[i] : 0) - said * more[i];
        out[i] += share_[o] * weights[i] * slope;
        pull[i] += slope * row[i];
      }
    }
    double mean = 0, score = 0;
    for (std::size_t i = 0; i < inputs_; ++i) {
      mean += weights[i] * pull[i];
      score += q[i] * weights[i] * state[o * inputs_ + i];
    }
    double* const out = change.data() + table + o * inputs_;
    for (std::size_t i = 0; i < inputs_; ++i) out[i] += share_[o] * weights[i] * (pull[i] - q[i] * mean);
    loss += share_[o] * (all - bias_[o] - score);
  }
  return loss;
}

TranslationField translation_field(const Cooccurrence& c, int words) {
  const std::size_t in = std::min(c.in(), static_cast<std::size_t>(words));
  const std::size_t out = std::min(c.out(), static_cast<std::size_t>(words));
  std::vector<double> given(out * in),
      share(c.output_mean.begin(), c.output_mean.begin() + static_cast<std::ptrdiff_t>(out));
  const double total = std::accumulate(share.begin(), share.end(), 0.0);
  for (std::size_t o = 0; o < out; ++o) {
    share[o] /= total;
    for (std::size_t i = 0; i < in; ++i) given[o * in + i] = share[o] > 0 ? std::clamp(c.given(i, o), 0.0, 1.0) : 0;
  }
  return {std::move(given), std::move(share), in};
}

Course translation_course(const TranslationField& field, std::span<const int> partners) {
  Course course;
  const bool any = std::any_of(partners.begin(), partners.end(), [](int partner) { return partner >= 0; });
  std::vector<double> weights(field.inputs()), column(field.outputs());
  const auto read = [&](double time, const FlowState& state) {
    double known = 0, attended = 0, right = 0, all = 0;
    for (std::size_t o = 0; o < field.outputs(); ++o) {
      right += field.share(o) * field.right(state, o);
      if (partners[o] < 0) continue;
      const auto partner = static_cast<std::size_t>(partners[o]);
      for (std::size_t k = 0; k < field.outputs(); ++k) column[k] = field.bias(k) + state[k * field.inputs() + partner];
      all += field.share(o);
      known += field.share(o) * math::exp(column[o] - log_sum_exp(std::span<const double>(column)));
      field.attend(state, o, weights);
      attended += field.share(o) * weights[partner];
    }
    course.add(time, all > 0 ? known / all : 0, all > 0 ? attended / all : 0, right);
    return any && !course.over();
  };
  const FlowField flow = [&](const FlowState& state, FlowState& change) { field.slope(state, change); };
  watch_flow(flow, field.start(), course_times(), read, {.tolerance = 1e-6, .most_steps = 300});
  course.finish();
  return course;
}

}  // namespace fovea
