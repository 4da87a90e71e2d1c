// The general toy gate without training (docs/reference/toy-gate.md): attention weights as free parameters (room
// theory). Pure functions. unigram_course.h and the probes `toy-course` and `unigram-flow` call it.
//
// Token v has a class weight beta_v and an attention logit a_v; s(x) = Σ_l softmax(a_{x_1} … a_{x_L})_l beta_{x_l}.
// The loss is the mean over the sequences of log(1 + e^{-s}) (positive) or log(1 + e^s) (negative). A state is beta
// (V), then a (V). A state of one number more ends with a bias c, and s(x) is larger by c. With it, a class without a
// word of its own can be recognised by the lack of the other's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/theory/flow.h"

namespace fovea {

// Labelled sequences as bags: s(x) knows no order. Each bag keeps its distinct tokens and how often they stand in it.
class LabelledBags {
 public:
  explicit LabelledBags(int vocab) : vocab_(vocab) {}

  // Tokens are 0 … vocab-1, at least one of them; label 0 or 1. Throws wrong_input otherwise.
  void add(std::span<const int> sequence, int label);

  int vocab() const { return vocab_; }
  std::size_t size() const { return labels_.size(); }
  std::size_t longest() const { return longest_; }  // most distinct tokens in a bag
  int label(std::size_t bag) const { return labels_[bag]; }
  std::span<const int> tokens(std::size_t bag) const;     // distinct, rising
  std::span<const double> counts(std::size_t bag) const;  // how often each of them stands in it

 private:
  int vocab_;
  std::size_t longest_ = 0;
  std::vector<std::size_t> ends_;
  std::vector<int> tokens_;
  std::vector<double> counts_;
  std::vector<int> labels_;
};

// Attention of a bag over its distinct tokens.
std::vector<double> unigram_attention(const LabelledBags& bags, std::size_t bag, std::span<const double> state);

// s(x) of a bag.
double unigram_score(const LabelledBags& bags, std::size_t bag, std::span<const double> state);

double unigram_loss(const LabelledBags& bags, std::span<const double> state);

// d state / d tau = -d loss / d state, that of the logits times attention_rate, of states with a bias or without. One
// exponential a token of the vocabulary, however many bags hold it. Holds on to `bags`.
class UnigramField {
 public:
  explicit UnigramField(const LabelledBags& bags, double attention_rate = 1);

  void slope(std::span<const double> state, std::span<double> slope);

 private:
  void add_alone(std::size_t bag, std::span<const double> state, std::span<double> slope);

  const LabelledBags& bags_;
  double attention_rate_;
  struct Token {
    double gate = 0;                  // e^a, over that of the largest a
    double gated_beta = 0;            // gate * beta
    double pull = 0, pull_score = 0;  // sums over bags of n pull / norm, and of that times the bag's score
  };
  std::vector<Token> tokens_;
  std::vector<double> row_;
};

void unigram_slope(const LabelledBags& bags, std::span<const double> state, std::span<double> slope,
                   double attention_rate = 1);

std::vector<FlowState> unigram_flow(const LabelledBags& bags, const FlowState& start, std::span<const double> times,
                                    double attention_rate = 1, const FlowOptions& options = {});

FlowState unigram_descent(const LabelledBags& bags, FlowState start, double rate, std::int64_t steps,
                          double attention_rate = 1);

DescentOrder unigram_descent_order(const LabelledBags& bags, const FlowState& start, double tau,
                                   double attention_rate = 1);

}  // namespace fovea
