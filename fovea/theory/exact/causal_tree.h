// Finds, from the data alone, the parent of each position of streams with one tree of parents (room theory/exact).
// Pure functions. The probe `parents` calls it. Each stream has a chain of its own. With x_q the token where an
// answer y is asked, once in each stream and at the same position, the pair (x_q, y) is one more step of the stream's
// chain. If j is the parent of i, x_i = y therefore occurs together with x_j = x_q. With the counts of both over N
// streams,
//
//   chi2(i, j) = N (n_11 n_00 - n_10 n_01)^2 / (n_1. n_0. n_.1 n_.0)
//
// and the parent of i is the j < i whose chi2 is largest among those that go with i more often than by chance.
// Averaged over chains this is the information chi2 of two positions by which the first gradient of attention names
// the parent (Nichani, Damian and Lee, How transformers learn causal structure with gradient descent, 2024).
#pragma once

#include <vector>

#include "fovea/theory/streams/stream_sample.h"

namespace fovea {

struct ParentGuess {
  int parent = -1;   // -1: no earlier position goes with it more often than by chance
  double share = 0;  // chi2 / N of it
};

// Of each position before the one that asks. Throws wrong_input where the streams do not all ask at one same
// position, once.
std::vector<ParentGuess> guess_parents(const StreamSample& sample);

}  // namespace fovea
