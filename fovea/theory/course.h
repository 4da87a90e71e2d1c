// Course: the predicted course of the two stages (docs/reference/prediction.md) (room theory). translation_flow.h
// and unigram_course.h compute it for theory/prediction. The stages are knowledge of the words that indicate the
// answer, and attention on them. Times are those of gradient flow: a sum of learning rates of plain descent. They
// order settings. Steps of another optimiser are no multiple of them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "fovea/theory/cooccurrence.h"
#include "fovea/theory/flow.h"

namespace fovea {

struct Course {
  static constexpr double never = std::numeric_limits<double>::infinity();

  // Curves over time.
  std::vector<double> times;
  std::vector<double> knowledge;  // mean probability of the right answer were all attention on its word
  std::vector<double> attention;  // mean weight on that word
  std::vector<double> correct;    // mean probability of the right answer
  std::vector<double> accuracy;   // classification: share of bags that the flow has not seen which it tells rightly
  std::vector<double> auc;  // likewise, how well its scores tell their classes; where it starts from random scores

  // When a curve has gone half its way to 1; never, where it does not within the horizon.
  double knowledge_half = never, attention_half = never;
  double correct_90 = never;   // when the right answer has 90 %
  double accuracy_90 = never;  // when 90 % of unseen bags are told rightly
  double auc_95 = never;       // when `auc` is 0.95
  double horizon = 0;          // how far the flow was followed

  void add(double time, double knowledge_now, double attention_now, double correct_now);
  void finish();  // the times, from the curves

  // `points` values of a curve at even times from the start to the end.
  std::vector<double> evenly(const std::vector<double>& curve, int points) const;

  // Whether there is nothing more to see: both stages are over, and so is the answer's rise, as far as it goes.
  bool over() const;
};

// Times at which the curves are read: 0, then rising by 2^(1/8) from 2^-4 to 2^24.
std::vector<double> course_times();

}  // namespace fovea
