// Predicts attention in the examples that the probe `evidence` evaluated, and scores two rivals (room lab/analysis).
// measurement.h of this room measures both. The prediction is theory/prediction/prediction.h. The rivals attend to
// the commonest word of the text, or to the rarest.
//
// All are scores of positions, one after another as in the probe's rows. A word has the same score at all of its
// positions. A word that the vocabulary lacks is rare, although the token for all such words may be the commonest.
#pragma once

#include "fovea/lab/analysis/evidence.h"

namespace fovea {

struct PredictedAttention {
  struct Scores {
    Evidence values;
    // Their order within the row, from 0; words that the values cannot tell apart are put in one drawn at random for
    // each row, so that to say nothing agrees with attention as often as chance does.
    Evidence ranks;
  };
  Scores predicted;
  Scores common, rare;  // by how often a word stands in the training texts

  // Of two classes those that words tell, by class: where only one has words of its own, what attention does in texts
  // of the other is no matter of words. Empty: all.
  std::vector<bool> told;
};

// From the training examples of the run's task. Of translations the prediction of a row is for its target word, which
// attention has not seen yet. Throws wrong_input where the task's data are no longer to be had.
PredictedAttention predict_attention(const RunSpec& spec, const EvidenceRows& rows);

}  // namespace fovea
