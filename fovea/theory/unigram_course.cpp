#include "fovea/theory/unigram_course.h"

#include <algorithm>
#include <numeric>

#include "fovea/base/functions/functions.h"
#include "fovea/base/random.h"
#include "fovea/math/auc.h"
#include "fovea/math/logistic.h"

namespace fovea {

namespace {

struct TellingBag {
  std::size_t bag = 0, position = 0;  // position: of the word among the bag's tokens
  int word = 0;
};

std::vector<TellingBag> telling_bags(const LabelledBags& bags, std::span<const double> speaks) {
  std::vector<std::pair<double, TellingBag>> all;
  double loudest = 0;
  for (std::size_t bag = 0; bag < bags.size(); ++bag) {
    const double sign = bags.label(bag) == 1 ? 1 : -1;
    std::pair<double, TellingBag> best{0, {}};
    const std::span<const int> tokens = bags.tokens(bag);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const double said = sign * speaks[static_cast<std::size_t>(tokens[i])];
      if (said > best.first) best = {said, {bag, i, tokens[i]}};
    }
    if (best.first > 0) all.push_back(best);
    loudest = std::max(loudest, best.first);
  }
  std::vector<TellingBag> telling;
  for (const auto& [said, bag] : all)
    if (said >= loudest / 2) telling.push_back(bag);
  return telling;
}

// The log-odds of class 1: what a bias says that knows nothing but how frequent the classes are.
double log_odds(const LabelledBags& bags) {
  double positive = 0;
  for (std::size_t bag = 0; bag < bags.size(); ++bag) positive += bags.label(bag);
  const double all = static_cast<double>(bags.size());
  return positive > 0 && positive < all ? math::log(positive / (all - positive)) : 0;
}

// What is exactly even is not told.
double accuracy_of(const LabelledBags& bags, const FlowState& state) {
  double right = 0;
  for (std::size_t bag = 0; bag < bags.size(); ++bag) {
    const double score = unigram_score(bags, bag, state);
    right += score == 0 ? 0.5 : (score > 0) == (bags.label(bag) == 1);
  }
  return right / static_cast<double>(bags.size());
}

double auc_over(const LabelledBags& bags, const FlowState& state) {
  std::vector<MarkedValue> values;
  for (std::size_t bag = 0; bag < bags.size(); ++bag)
    values.push_back({unigram_score(bags, bag, state), bags.label(bag) == 1});
  return auc_of(values);
}

std::vector<double> shares_of_attention(const LabelledBags& bags, const FlowState& state) {
  std::vector<double> shares(static_cast<std::size_t>(bags.vocab())), held(shares.size());
  for (std::size_t bag = 0; bag < bags.size(); ++bag) {
    const std::vector<double> attention = unigram_attention(bags, bag, state);
    const std::span<const int> tokens = bags.tokens(bag);
    const std::span<const double> counts = bags.counts(bag);
    const double length = std::accumulate(counts.begin(), counts.end(), 0.0);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto token = static_cast<std::size_t>(tokens[i]);
      shares[token] += attention[i] * length / counts[i];
      ++held[token];
    }
  }
  for (std::size_t token = 0; token < shares.size(); ++token) shares[token] /= std::max(1.0, held[token]);
  return shares;
}

}  // namespace

std::vector<double> random_scores(std::size_t words, double spread, std::uint64_t seed) {
  std::vector<double> scores(spread > 0 ? words : 0);
  RandomStream draws(seed, "start of the flow");
  for (double& score : scores) score = spread * draws.normal();
  return scores;
}

UnigramCourse unigram_course(const LabelledBags& bags, std::span<const double> speaks, const LabelledBags& unseen,
                             std::span<const double> start_scores) {
  const auto vocab = static_cast<std::size_t>(bags.vocab());
  const std::vector<TellingBag> telling = telling_bags(bags, speaks);
  UnigramCourse result;
  FlowState start(2 * vocab + 1, 0.0);
  std::copy(start_scores.begin(), start_scores.end(), start.begin());
  start.back() = log_odds(bags);
  result.end = start;
  const auto read = [&](double time, const FlowState& state) {
    double known = 0, attended = 0, right = 0;
    for (const TellingBag& one : telling) {
      const double beta = state[static_cast<std::size_t>(one.word)] + state.back();
      known += logistic(bags.label(one.bag) == 1 ? beta : -beta);
      attended += unigram_attention(bags, one.bag, state)[one.position];
    }
    for (std::size_t bag = 0; bag < bags.size(); ++bag) {
      const double score = unigram_score(bags, bag, state);
      right += logistic(bags.label(bag) == 1 ? score : -score);
    }
    const auto count = static_cast<double>(std::max<std::size_t>(1, telling.size()));
    known /= count;
    attended /= count;
    right /= static_cast<double>(bags.size());
    result.course.add(time, known, attended, right);
    if (unseen.size() > 0) result.course.accuracy.push_back(accuracy_of(unseen, state));
    if (unseen.size() > 0 && !start_scores.empty()) result.course.auc.push_back(auc_over(unseen, state));
    result.end = state;
    return !telling.empty() && !result.course.over();
  };
  UnigramField field(bags);
  const FlowField flow = [&](const FlowState& state, FlowState& change) { field.slope(state, change); };
  watch_flow(flow, start, course_times(), read, {.tolerance = 1e-6, .most_steps = 2000});
  result.course.finish();
  result.attended = shares_of_attention(bags, result.end);
  return result;
}

}  // namespace fovea
