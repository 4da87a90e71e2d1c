// AttentionRule: the interventions on one head in one pass (room nn/attention). An intervention (lab/intervention)
// requests a rule for some heads (RequestedRule). A Pass (model/trace.h) carries all of them, and AttentionRules::of()
// joins those of one head. Of row i, with P positions present and weights a_ij by its scores:
//
//   scores    s'_ij = f s_ij + shift(i, j)           ds_ij = f ds'_ij       change_scores(), score_slope()
//   pattern   a_ij as the pattern gives it, for rows that it holds          write_pattern()
//   weights   A_ij = z_ij a_ij                       da_ij = z_ij dA_ij     change_weights(), …_backward()
//             z_ij: the scale where j is a right position of i, else 1
//   ablated   A_ij = 0: the head gives nothing
//   copy      the logits of a last layer get copy · Σ_j A_ij [token j]      model/transformer.h
//
// The functions are all that reads how a rule changes scores and weights. Both attention layers call them, attention.h
// and self_attention.h of this room, and so does model/exact/ruled_row.h, for single rows. A held or ablated row passes
// no gradient on to its scores. To add a pattern: a name in Pattern, its word and its weights in attention_rule.cpp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "fovea/math/view.h"

namespace fovea {

// What is added to the scores of heads: the same number each time that it is asked in one step. Gradients do not flow
// through it.
class ScoreShift {
 public:
  virtual ~ScoreShift() = default;
  // Of row i of a stream. Layers and heads count from 1. Streams of one step that are to differ have numbers that
  // differ (AttentionRules::first_stream).
  virtual double at(int layer, int head, std::int64_t stream, Index i, Index j) const = 0;
};

struct RequestedRule {
  enum class Pattern { learned, uniform, previous, first, truth };

  Pattern pattern = Pattern::learned;
  double scale = 1;  // of weights on right positions
  bool ablated = false;
  double copy = 0;
  double factor = 1;                  // of scores
  const ScoreShift* shift = nullptr;  // of scores, after the factor; null: none

  // Whether any row may follow its scores.
  bool by_score() const { return !ablated && (pattern == Pattern::learned || pattern == Pattern::truth); }
  // Whether a row with these right positions has its weights from the pattern.
  bool holds(std::span<const int> right) const {
    return pattern == Pattern::truth ? !right.empty() : pattern != Pattern::learned;
  }
  // Whether the rule reads right positions.
  bool reads_right() const { return pattern == Pattern::truth || scale != 1; }
  bool changes_scores() const { return factor != 1 || shift; }
  bool changes_weights() const { return scale != 1; }
};

// Calls use(name, value) for each number and flag of a rule. Engines of other programs know them by these names.
template <class Use>
void each_number(const RequestedRule& rule, Use use) {
  use("scale", rule.scale);
  use("ablated", rule.ablated);
  use("copy", rule.copy);
  use("factor", rule.factor);
}

// What is requested of one head or of several: layers and heads count from 1, 0 means every one. A model with one
// attention map has layer 1, head 1.
struct ScopedRule {
  int layer = 0, head = 0;
  RequestedRule rule;

  bool concerns(int of_layer, int of_head) const {
    return (layer == 0 || layer == of_layer) && (head == 0 || head == of_head);
  }
};

struct AttentionRule;

// The rules of a pass. Of two patterns for one head the later one counts; scales are multiplied, copies added. One rule
// after the other changes scores.
struct AttentionRules {
  std::span<const ScopedRule> all;
  std::int64_t first_stream = 0;  // the number of the first stream of the pass, among all of its step

  bool empty() const { return all.empty(); }
  AttentionRule of(int layer, int head) const;
};

// The rule of one head in one pass.
struct AttentionRule : RequestedRule {
  int layer = 0, head = 0;
  AttentionRules pass = {};

  // The shift by all rules of the pass: the factor of a later rule multiplies the shifts of earlier ones. Streams of
  // the pass count from 0.
  double shift_at(Index stream, Index i, Index j) const;
};

// Changes scores of row i of a stream. Each is given, and returned, as a multiple of `unit`. `addends` are parts of
// scores that the caller adds to them later.
template <class T>
void change_scores(const AttentionRule& rule, Index stream, Index i, std::span<T> scores, T unit = 1,
                   std::span<T> addends = {});
// d s' / d s, of every score.
template <class T>
T score_slope(const AttentionRule& rule) {
  return static_cast<T>(rule.factor);
}

// Weights of a row: a becomes A. `right` may name columns that are not there.
template <class T>
void change_weights(const AttentionRule& rule, std::span<const int> right, std::span<T> weights);
// dA becomes da.
template <class T>
void change_weights_backward(const AttentionRule& rule, std::span<const int> right, std::span<T> d_weights);

// Each pattern that attention can be held at, with its word.
using AttentionPatterns = std::initializer_list<std::pair<std::string_view, AttentionRule::Pattern>>;
extern const AttentionPatterns attention_patterns;

// The weights of row i over all columns. The first `present` columns are there: the others get 0, and all do if the
// pattern names none of the first.
template <class T>
void write_pattern(AttentionRule::Pattern pattern, Index i, Index present, std::span<const int> right,
                   std::span<T> weights);

// The positions that a right answer needs, row by row: (rows, width), -1 behind the last.
struct RightPositions {
  std::span<const int> positions;
  Index width = 0;

  bool empty() const { return positions.empty(); }
  std::span<const int> of(Index row) const {
    if (positions.empty()) return {};
    const auto all = positions.subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width));
    std::size_t count = 0;
    while (count < all.size() && all[count] >= 0) ++count;
    return all.first(count);
  }
};

}  // namespace fovea
