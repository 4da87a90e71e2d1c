// The predicted course of classification (docs/reference/prediction.md): gradient flow of the unigram gate, with a
// bias, on the data's own bags (room theory). Pure functions. theory/prediction/prediction.cpp calls it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/theory/course.h"
#include "fovea/theory/unigram_gate.h"

namespace fovea {

struct UnigramCourse {
  Course course;
  FlowState end;                 // β (V), then the attention logits (V), then the bias, when it was last looked at
  std::vector<double> attended;  // (V) then, as a multiple of an even share, in the mean over the bags that hold it
};

// From β = `start_scores` (V; empty: 0), uniform attention and the bias that tells how frequent the classes are.
// speaks[v]: how much the token v speaks for class 1 (or against it, below 0); 0 where it is not known to. A bag's word
// is the one that speaks most for its class; knowledge and attention are averages over the bags whose word speaks at
// least half as loud as the loudest. Accuracy is of the bags `unseen`, by whatever the flow tells them by, be it that
// word or not; there is none where `unseen` is empty, nor an AUC. That is read only where the flow starts from scores:
// from β = 0 the first slope, however small, is all there is in them, and ranks bags as well at once as much later.
UnigramCourse unigram_course(const LabelledBags& bags, std::span<const double> speaks, const LabelledBags& unseen,
                             std::span<const double> start_scores = {});

// A start for it: a normal score of this spread for each of the words; empty where the spread is 0.
std::vector<double> random_scores(std::size_t words, double spread, std::uint64_t seed);

}  // namespace fovea
