#include "fovea/theory/unigram_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include "fovea/base/error/error.h"
#include "fovea/base/functions/functions.h"
#include "fovea/math/logistic.h"
#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

std::size_t size_of(const LabelledBags& bags) { return static_cast<std::size_t>(bags.vocab()); }

// A token that stands n times has n e^a of the softmax.
void attend(const LabelledBags& bags, std::size_t bag, std::span<const double> state, std::span<double> weights) {
  const std::span<const double> logits = state.subspan(size_of(bags));
  const std::span<const int> tokens = bags.tokens(bag);
  const std::span<const double> counts = bags.counts(bag);
  double largest = -std::numeric_limits<double>::infinity(), norm = 0;
  for (const int token : tokens) largest = std::max(largest, logits[static_cast<std::size_t>(token)]);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    weights[i] = counts[i] * math::exp(logits[static_cast<std::size_t>(tokens[i])] - largest);
    norm += weights[i];
  }
  for (double& weight : weights) weight /= norm;
}

// The bias of a state that has one.
double bias_of(std::size_t vocab, std::span<const double> state) { return state.size() > 2 * vocab ? state.back() : 0; }

// Without the bias.
double said_by(std::span<const int> tokens, std::span<const double> weights, std::span<const double> state) {
  double s = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) s += weights[i] * state[static_cast<std::size_t>(tokens[i])];
  return s;
}

}  // namespace

void LabelledBags::add(std::span<const int> sequence, int label) {
  if (label != 0 && label != 1) {
    throw wrong_input(fmt::format("the class of a sequence cannot be {}", label), "it is 0 (negative) or 1 (positive)");
  }
  if (sequence.empty()) throw wrong_input("a sequence is empty", "give it at least one token");
  std::vector<int> sorted(sequence.begin(), sequence.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() < 0 || sorted.back() >= vocab_) {
    const int wrong = sorted.front() < 0 ? sorted.front() : sorted.back();
    throw wrong_input(fmt::format("token {} is not in a vocabulary of {}", wrong, vocab_),
                      fmt::format("tokens are 0 to {}", vocab_ - 1));
  }
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::upper_bound(first, sorted.end(), *first);
    tokens_.push_back(*first);
    counts_.push_back(static_cast<double>(last - first));
    first = last;
  }
  longest_ = std::max(longest_, tokens_.size() - (ends_.empty() ? 0 : ends_.back()));
  ends_.push_back(tokens_.size());
  labels_.push_back(label);
}

std::span<const int> LabelledBags::tokens(std::size_t bag) const {
  const std::size_t begin = bag == 0 ? 0 : ends_[bag - 1];
  return std::span(tokens_).subspan(begin, ends_[bag] - begin);
}

std::span<const double> LabelledBags::counts(std::size_t bag) const {
  const std::size_t begin = bag == 0 ? 0 : ends_[bag - 1];
  return std::span(counts_).subspan(begin, ends_[bag] - begin);
}

std::vector<double> unigram_attention(const LabelledBags& bags, std::size_t bag, std::span<const double> state) {
  std::vector<double> weights(bags.tokens(bag).size());
  attend(bags, bag, state, weights);
  return weights;
}

double unigram_score(const LabelledBags& bags, std::size_t bag, std::span<const double> state) {
  const std::vector<double> weights = unigram_attention(bags, bag, state);
  return said_by(bags.tokens(bag), weights, state) + bias_of(size_of(bags), state);
}

double unigram_loss(const LabelledBags& bags, std::span<const double> state) {
  assert(state.size() == 2 * size_of(bags) || state.size() == 2 * size_of(bags) + 1);
  std::vector<double> row(bags.longest());
  double loss = 0;
  for (std::size_t bag = 0; bag < bags.size(); ++bag) {
    const std::span<const int> tokens = bags.tokens(bag);
    const std::span<double> weights = std::span(row).first(tokens.size());
    attend(bags, bag, state, weights);
    const double s = said_by(tokens, weights, state) + bias_of(size_of(bags), state);
    loss += softplus(bags.label(bag) == 1 ? -s : s);
  }
  return loss / static_cast<double>(bags.size());
}

UnigramField::UnigramField(const LabelledBags& bags, double attention_rate)
    : bags_(bags), attention_rate_(attention_rate), tokens_(size_of(bags)), row_(bags.longest()) {}

// With g = d loss / d s: d loss / d beta_v = g w_v, d loss / d c = g and d loss / d a_v = g w_v (beta_v - (s - c)),
// where w_v = n e^{a_v} / norm. e^{a_v} and beta_v are of the token alone and stay outside of the sums over bags.
void UnigramField::slope(std::span<const double> state, std::span<double> slope) {
  const std::size_t vocab = tokens_.size();
  assert((state.size() == 2 * vocab || state.size() == 2 * vocab + 1) && slope.size() == state.size());
  const std::span<const double> logits = state.subspan(vocab, vocab);
  const bool with_bias = state.size() > 2 * vocab;
  const double bias = bias_of(vocab, state);
  const double largest = *std::max_element(logits.begin(), logits.end());
  for (std::size_t v = 0; v < vocab; ++v) {
    const double gate = math::exp(logits[v] - largest);
    tokens_[v] = {gate, gate * state[v], 0, 0};
  }
  std::fill(slope.begin(), slope.end(), 0.0);
  const double share = 1 / static_cast<double>(bags_.size());
  for (std::size_t bag = 0; bag < bags_.size(); ++bag) {
    const std::span<const int> held = bags_.tokens(bag);
    const std::span<const double> counts = bags_.counts(bag);
    double norm = 0, said = 0;
    for (std::size_t i = 0; i < held.size(); ++i) {
      const Token& token = tokens_[static_cast<std::size_t>(held[i])];
      norm += counts[i] * token.gate;
      said += counts[i] * token.gated_beta;
    }
    // Where all of a bag's logits lie far below the largest, little or nothing is left of their exponentials.
    if (norm < 1e-200) {
      add_alone(bag, state, slope);
      continue;
    }
    const double mean = said / norm, score = mean + bias;
    const double pull = bags_.label(bag) == 1 ? share * logistic(-score) : -share * logistic(score);
    const double of_each = pull / norm;
    for (std::size_t i = 0; i < held.size(); ++i) {
      Token& token = tokens_[static_cast<std::size_t>(held[i])];
      token.pull += counts[i] * of_each;
      token.pull_score += counts[i] * of_each * mean;
    }
    if (with_bias) slope[2 * vocab] += pull;
  }
  for (std::size_t v = 0; v < vocab; ++v) {
    const Token& token = tokens_[v];
    slope[v] += token.gate * token.pull;
    slope[vocab + v] += attention_rate_ * token.gate * (state[v] * token.pull - token.pull_score);
  }
}

void UnigramField::add_alone(std::size_t bag, std::span<const double> state, std::span<double> slope) {
  const std::span<const int> held = bags_.tokens(bag);
  const std::span<double> weights = std::span(row_).first(held.size());
  attend(bags_, bag, state, weights);
  const double mean = said_by(held, weights, state), s = mean + bias_of(tokens_.size(), state);
  const double share = 1 / static_cast<double>(bags_.size());
  const double pull = bags_.label(bag) == 1 ? share * logistic(-s) : -share * logistic(s);
  for (std::size_t i = 0; i < held.size(); ++i) {
    const auto v = static_cast<std::size_t>(held[i]);
    slope[v] += pull * weights[i];
    slope[tokens_.size() + v] += attention_rate_ * pull * weights[i] * (state[v] - mean);
  }
  if (state.size() > 2 * tokens_.size()) slope[2 * tokens_.size()] += pull;
}

void unigram_slope(const LabelledBags& bags, std::span<const double> state, std::span<double> slope,
                   double attention_rate) {
  UnigramField(bags, attention_rate).slope(state, slope);
}

std::vector<FlowState> unigram_flow(const LabelledBags& bags, const FlowState& start, std::span<const double> times,
                                    double attention_rate, const FlowOptions& options) {
  UnigramField unigram(bags, attention_rate);
  const FlowField field = [&](const FlowState& state, FlowState& change) { unigram.slope(state, change); };
  return follow_flow(field, start, times, options);
}

FlowState unigram_descent(const LabelledBags& bags, FlowState start, double rate, std::int64_t steps,
                          double attention_rate) {
  UnigramField field(bags, attention_rate);
  FlowState slope(start.size());
  for (std::int64_t step = 0; step < steps; ++step) {
    field.slope(start, slope);
    add_scaled(rate, slope, start);
  }
  return start;
}

DescentOrder unigram_descent_order(const LabelledBags& bags, const FlowState& start, double tau,
                                   double attention_rate) {
  const double times[] = {tau};
  const FlowState truth = unigram_flow(bags, start, times, attention_rate).front();
  return descent_order(tau, [&](double rate, std::int64_t steps) {
    const FlowState end = unigram_descent(bags, start, rate, steps, attention_rate);
    double distance = 0;
    for (std::size_t i = 0; i < end.size(); ++i) distance = math::hypot(distance, end[i] - truth[i]);
    return distance;
  });
}

}  // namespace fovea
