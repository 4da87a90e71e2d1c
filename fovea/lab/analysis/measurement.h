// Measures agreement across runs: how well a model's attention agrees with the evidence of single words, and from
// which performance on attention is better than this evidence (room lab/analysis). `fovea measure` and `fovea
// reproduce` call it.
//
// All runs have the probe `evidence`, and evaluated the same examples. Attention (α), β and influence (Δ) of the
// reference run are from its last evaluation. So is β of the run with uniform attention (βᵘᶠ). The β of models
// without attention (βᵖˣ, and of a logistic regression) is from the evaluation with the least loss. The prediction
// from the data alone (lab/analysis/predicted_attention.h) is measured too.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fovea/base/statistics.h"
#include "fovea/lab/analysis/predicted_attention.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/store/store.h"

namespace fovea {

// The runs of a measurement, by role.
struct MeasurementRuns {
  RunRecord reference;
  std::vector<RunRecord> others;  // the same spec with other seeds
  std::optional<RunRecord> uniform, words, logistic;
  std::vector<RunRecord> other_uniform;  // the uniform run with other seeds
};

// Finds the roles of runs from their specs. The reference is the first run with learned attention. `uniform` has the
// same seed, if such a run exists. Throws wrong_input for a run without a role, and for a reference without partners.
MeasurementRuns sort_runs(std::vector<RunRecord> runs);

// For one id, finds its partners in the store: with the same seed if possible, otherwise the newest of each kind. For
// several ids, uses only these runs.
MeasurementRuns runs_to_measure(const Store& store, std::span<const std::int64_t> ids);

struct Measures {
  // Agreement 𝒜(a, b): the share of rows in which the position of the largest a is among the largest of b.
  struct Row {
    // "α", "β", "βᵘᶠ", "βᵖˣ", "logistic β", "Δ", "α of other seeds", "predicted", "common", "rare"
    std::string a, b;
    Estimate agreement, chance;         // chance: the mean over all orders of b
    Estimate tau, rho;                  // Kendall's τ-b and Spearman's ρ, means over the rows that have a value
    std::optional<Estimate> untrained;  // agreement of a at the first evaluation with b; for α, and for βᵘᶠ with βᵖˣ
    // For rows with βᵘᶠ: the largest agreement over the evaluations of the uniform run, and the index of that
    // evaluation.
    std::optional<std::pair<double, std::int64_t>> most;
    // ξ(b): the other seeds' performance when their attention first agrees with α better than b does, as a mean over
    // seeds. Never reached: step -1, NaN.
    struct Reach {
      std::int64_t step = -1;
      double performance = 0;
    };
    std::optional<Reach> xi;

    bool clear() const { return agreement.low > chance.high; }  // above chance
  };
  std::vector<Row> rows;
  std::vector<std::pair<std::string, std::int64_t>> runs;  // role and id of each run
  std::string performance;                                 // the metric of ξ and best
  double best = 0;                                         // largest performance of the reference run
  std::int64_t best_step = 0;
  int examples = 0;
  std::int64_t words = 0;  // number of rows: one per example, or one per target word
  // The rows "predicted", "common" and "rare" again, for the texts of predictable classes (PredictedAttention::told).
  std::vector<Row> told;
  // Best accuracy of each run with learned attention, minus the accuracy of the logistic regression.
  std::optional<Estimate> over_logistic;
  std::string unpredicted;  // why the prediction from the data is left out; empty if it is not
};

struct MeasureOptions {
  std::function<PredictedAttention(const RunSpec& spec, const EvidenceRows& rows)> predict_attention =
      fovea::predict_attention;
  int only_class = -1;  // labelled texts: only rows of this class; performance is of all classes
};
Measures measure(const MeasurementRuns& runs, const FetchArrays& arrays, const MeasureOptions& options = {});

// Claims about a measurement: agreement is above chance and above its value before training, for the pairs of the
// story. Predicted attention is better than attention on the most frequent or the rarest word. Accuracy is at least as
// high as with a logistic regression on counts.
std::vector<ClaimResult> claims_of(const Measures& measures, const Experiment& experiment, Preset preset);

}  // namespace fovea
