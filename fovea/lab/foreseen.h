// What the data alone say of the examples that the probe `evidence` looked at: where attention is predicted to lie
// (theory/prediction.h), and the rivals that such a prediction must beat to be worth anything: to look at the commonest
// word of the text, or at the rarest.
//
// All are scores of positions, one behind the other as in the probe's rows. Only their order means something. Words that a
// score can not tell apart are put in an order drawn at random for each row, so that to say nothing agrees with attention
// as often as chance does; places of one word stay equal.
#pragma once

#include "fovea/lab/evidence.h"

namespace fovea {

struct Foreseen {
  Evidence predicted;
  Evidence common, rare;  // by how often a word stands in the training texts
};

// From the training examples of the run's task. Throws wrong_input where the task's data are no longer to be had.
Foreseen foresee(const RunSpec& spec, const EvidenceRows& rows);

}  // namespace fovea
