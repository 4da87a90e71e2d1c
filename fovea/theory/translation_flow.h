// The mean-field course of sequence tasks (docs/reference/prediction.md) (room theory). Pure functions.
// theory/prediction/prediction.cpp calls it. It is a word-translation table with free attention, followed by gradient
// flow on the co-occurrence of the data.
//
// W_oi is the weight from input word i to output word o, A_oi the attention logit of the position of o on i, and b_o
// = log P(o) a bias, taken as learned before any word is known. An output o comes with a bag that contains i with the
// chance q_oi, each word by itself, so
//
//   α_oi = e^{A_oi} / Σ_j q_oj e^{A_oj}           the weight on i where it is there
//   L = Σ_o P(o) [ log Σ_k e^{b_k} Π_i (1 + q_oi (e^{α_oi W_ki} - 1)) - b_o - Σ_i q_oi α_oi W_oi ]
//
// This is the cross-entropy with the bag averaged inside the logarithm. For copying L of V distinct words it is the
// exact loss of a table that is diagonal.
#pragma once

#include <span>
#include <vector>

#include "fovea/theory/course.h"

namespace fovea {

class TranslationField {
 public:
  // given: (outputs, inputs) chance of i in the input of o, within [0, 1]; share: P(o), which sums to 1.
  TranslationField(std::vector<double> given, std::vector<double> share, std::size_t inputs);

  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return share_.size(); }
  double given(std::size_t o, std::size_t i) const { return given_[o * inputs_ + i]; }
  double share(std::size_t o) const { return share_[o]; }
  double bias(std::size_t o) const { return bias_[o]; }

  // A state is W (outputs, inputs), then A (outputs, inputs).
  FlowState start() const { return FlowState(2 * outputs() * inputs(), 0.0); }
  double loss(std::span<const double> state) const;
  // d state / d tau = -d loss / d state. Returns the loss.
  double slope(std::span<const double> state, std::span<double> change) const;

  // Attention of o on i where i is there.
  void attend(std::span<const double> state, std::size_t o, std::span<double> weights) const;

  // Chance that o is said at its places: e^(mean score of o - log of the mean sum).
  double right(std::span<const double> state, std::size_t o) const;

 private:
  double scores(std::span<const double> state, std::size_t o, std::span<const double> weights,
                std::span<double> log_sums) const;

  std::size_t inputs_;
  std::vector<double> given_, share_, bias_;
};

// The most frequent `words` outputs and inputs of the data.
TranslationField translation_field(const Cooccurrence& c, int words);

// partners[o]: the input that goes with o, or -1. No course (all of it at the start, never half-way) where no output
// has one.
Course translation_course(const TranslationField& field, std::span<const int> partners);

}  // namespace fovea
