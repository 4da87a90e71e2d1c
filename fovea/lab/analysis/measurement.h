// Measures across runs: how far where a model looks agrees with what words alone say, and how long until
// attention knows more than they.
//
// All runs have the probe `evidence` and looked at the same examples. Of the reference run attention (α), β and
// influence (Δ) are those of its last look, and so is β of the run whose attention was held uniform (βᵘᶠ); β of what
// words alone say (βᵖˣ, and of a logistic regression) is that of the look with the least loss. What the data alone
// predict (lab/analysis/predicted_attention.h) stands beside them.
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

// Who is measured against whom.
struct MeasurementRuns {
  RunRecord reference;
  std::vector<RunRecord> others;  // the same with other seeds
  std::optional<RunRecord> uniform, words, logistic;
  std::vector<RunRecord> other_uniform;  // the uniform run with other seeds
};

// Tells by their specs what the runs are: the reference is the first of those whose attention is learned, and `uniform`
// of its seed, where there is one of that. Throws wrong_input where a run has no place beside it, or there is none to
// measure against.
MeasurementRuns sort_runs(std::vector<RunRecord> runs);

// Of one id: its partners are looked for in the store, of the same seed, else the newest of each kind. Of several:
// these and no others.
MeasurementRuns runs_to_measure(const Store& store, std::span<const std::int64_t> ids);

struct Measures {
  // Agreement 𝒜(a, b): whether b is among its largest where a is largest.
  struct Row {
    // "α", "β", "βᵘᶠ", "βᵖˣ", "logistic β", "Δ", "α of other seeds", "predicted", "common", "rare"
    std::string a, b;
    Estimate agreement, chance;         // chance: with b shuffled
    Estimate tau, rho;                  // Kendall's τ-b and Spearman's ρ, means over the rows that have one
    std::optional<Estimate> untrained;  // agreement of a's first look with b; of α, and of βᵘᶠ with βᵖˣ
    // Of rows with βᵘᶠ: the most over the uniform run's looks, and at which of them.
    std::optional<std::pair<double, std::int64_t>> most;
    // ξ(b): the others' performance at the first look at which their attention agrees with α better than b does, both
    // as means over them. Never reached: step -1, NaN.
    struct Reach {
      std::int64_t step = -1;
      double performance = 0;
    };
    std::optional<Reach> xi;

    bool clear() const { return agreement.low > chance.high; }  // of its baseline
  };
  std::vector<Row> rows;
  std::vector<std::pair<std::string, std::int64_t>> runs;  // what each was, and its id
  std::string performance;                                 // the metric that ξ and best are of
  double best = 0;                                         // performance of the reference run, most over its looks
  std::int64_t best_step = 0;
  int examples = 0;
  std::int64_t words = 0;  // rows in all: one an example, or one a target word
  // Of texts that the data predict: "predicted", "common" and "rare" once more, over the rows of the classes that
  // words tell (PredictedAttention::told).
  std::vector<Row> told;
  // Best accuracy over the looks of each run that learned where to attend, less that of the logistic regression.
  std::optional<Estimate> over_logistic;
  std::string unpredicted;  // why nothing is said of what the data predict, where that is so
};

struct MeasureOptions {
  std::function<PredictedAttention(const RunSpec& spec, const EvidenceRows& rows)> predict_attention =
      fovea::predict_attention;
  int only_class = -1;  // of labelled texts: rows of this class and no others; performance is of all
};
Measures measure(const MeasurementRuns& runs, const FetchArrays& arrays, const MeasureOptions& options = {});

// That agreement stands clear of its baseline, and of what it was before training, for the pairs that the story is
// about; that attention is predicted better than by saying that it lies on the commonest word, or the rarest; and that
// the classes are told no worse than by a logistic regression on counts.
std::vector<ClaimResult> claims_of(const Measures& measures, const Experiment& experiment, Preset preset);

}  // namespace fovea
