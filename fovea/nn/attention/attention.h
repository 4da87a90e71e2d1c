// Attention once the scores are there: the softmax over what is present, the weighted sum, and weights held from
// outside.
//
// B examples, T rows of attention for each (1 for a classifier, one per target word for a decoder), S positions.
// `lengths` (B) says how many positions of an example are present; empty: all S.
#pragma once

#include <cstdint>
#include <span>

#include "fovea/nn/attention/sequences.h"
#include "fovea/nn/compute.h"

namespace fovea {

// weights (B,T,S) = softmax of scores (B,T,S) over the first lengths[b] positions, exactly 0 behind them; an example of
// no positions gets all 0. Scores on padding are not read. weights may be scores.
template <class T>
void masked_softmax(Team& team, Cube<const T> scores, std::span<const int> lengths, Cube<T> weights);

// dscores (B,T,S) = weights * (dweights - sum_s weights * dweights); 0 on padding. Rows that are held (B*T, 1 = held;
// empty: none) get 0: their weights do not follow their scores. dscores may be dweights.
template <class T>
void masked_softmax_backward(Team& team, Cube<const T> weights, Cube<const T> dweights, std::span<const int> lengths,
                             std::span<const std::uint8_t> held, Cube<T> dscores);

// Every row the same weight on everything present.
template <class T>
void hold_uniform(std::span<const int> lengths, Cube<T> weights);

// Rows of examples with marked positions (B,S; 1 = marked) get the same weight on each of those, and are noted in held
// (B*T); rows of other examples stay as they are.
template <class T>
void hold_marked(std::span<const std::uint8_t> marked, Cube<T> weights, std::span<std::uint8_t> held);

// Row (b,t) gets all its weight on alignment[b*T + t], and is noted in held; where that is -1 it stays as it is.
template <class T>
void hold_aligned(std::span<const int> alignment, Cube<T> weights, std::span<std::uint8_t> held);

// contexts (B,T,H) = weights (B,T,S) · values (B,S,H)
template <class T>
void attend(Team& team, Cube<const T> weights, Sequences<const T> values, std::span<const int> lengths,
            Sequences<T> contexts);

// dweights (B,T,S), overwritten, 0 on padding; adds into dvalues (B,S,H). One that has no data is not wanted.
template <class T>
void attend_backward(Team& team, Cube<const T> weights, Sequences<const T> values, Sequences<const T> dcontexts,
                     std::span<const int> lengths, Cube<T> dweights, Sequences<T> dvalues);

}  // namespace fovea
