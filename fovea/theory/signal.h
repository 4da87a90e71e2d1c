// The information on the outputs in the bag of inputs: what can be learned while attention is uniform
// (docs/reference/prediction.md) (room theory). Pure functions. theory/prediction/prediction.h reports it.
#pragma once

#include <vector>

#include "fovea/theory/cooccurrence.h"

namespace fovea {

// Of one output word (or class). Errors are one standard deviation.
struct OutputSignal {
  std::size_t output = 0;  // its rank
  double decodable = 0;    // share of the variance of its count that a linear function of the input's counts explains
  double error = 0;
};

// The least squares fit of each output's count on the counts of all kept inputs, the length of the input taken out of
// both; r^2 is corrected for the number of inputs, so that outputs that have nothing to do with the inputs come out
// at 0 within the error, above it or below.
//
// Overall: the explained variance of all outputs, over the variance that as many outputs would have if each were drawn
// by itself: 0 where every bag is alike, 1 where bags are as different as chance makes them and the inputs tell all of
// it. For classes it is the share of the variance of the label; for copying L of V words, (V - L) / (V - 1).
//
// The first gradient of the evidence is a covariance, and goes as the root of what is decodable: what it is, over what
// it would be if bags were as different as chance makes them and the inputs told all, where the inputs that tell vary
// as much as the outputs do. Where they are rarer it is less.
struct Signal {
  double overall = 0, error = 0;
  double first_gradient = 0;
  int inputs = 0;  // that vary by themselves: the rank of their covariance
  std::vector<OutputSignal> by_output;
};

Signal measure_signal(const Cooccurrence& c);

}  // namespace fovea
