// Compares two runs, or two groups of runs paired over seeds, in settings and metrics (room lab/analysis). `fovea
// compare`, the server and the Python package call it. Pure functions.
//
// Settings that have no value in common separate the groups. All others pair the runs: a run of A is paired with the
// run of B with the same seed and the same values of the settings that vary within the groups. Runs without a
// partner, and unfinished runs of a group, are counted and left out. Groups of one run each are compared as they are.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/statistics.h"
#include "fovea/lab/query/expression.h"
#include "fovea/lab/record/record.h"
#include "fovea/lab/store/store.h"

namespace fovea {

// Exact sign-flip test (a permutation test for pairs), two-sided: were there no difference, each pair's difference
// would be as likely with the other sign. p is the share of all 2^n choices of signs for which the mean is as far from
// 0 as the one seen, or farther. Above 20 pairs: of 100 000 choices drawn at random, the one seen counted in. Above
// 10 000 pairs (base/statistics.h: most_resampled): by the normal distribution with the variance of the sum over all
// choices, so that the cost does not grow with 100 000 times the pairs.
struct SignFlipTest {
  double p = 1;
  bool exact = true;
  std::int64_t choices = 1;  // -1: by the normal distribution
};
SignFlipTest sign_flip_test(std::span<const double> differences);

struct SettingDifference {
  std::string name;
  std::string a, b;  // "40", "40, 60", "" where no run of the group has it
};

struct MetricDifference {
  std::string metric;
  std::vector<double> differences;  // B - A of each pair that has one
  std::int64_t lacking = 0;         // pairs in which it is missing or not finite (a step that was never reached)
  double mean_a = 0, mean_b = 0;    // over the pairs that have it; NaN without any
  Estimate interval;                // of the mean difference, 95 %
  SignFlipTest test;
};

struct Comparison {
  std::vector<SettingDifference> settings;
  std::vector<std::string> paired_by;  // "seed", and what else varies within the groups
  std::int64_t pairs = 0, alone_a = 0, alone_b = 0, unfinished_a = 0, unfinished_b = 0;
  std::vector<bool> in_pair_a, in_pair_b;  // of each run of a group, in its order
  std::vector<MetricDifference> metrics;
};

// A group of runs as compare() needs it: some 40 bytes a run, so that a million fit.
struct ComparedRuns {
  // What runs share that differ in their seed alone.
  struct Kind {
    RunSpec spec;
    std::string experiment;
    std::map<std::string, std::string> settings;  // those that change numbers, and the experiment; no seed
  };
  struct Run {
    std::int64_t id = 0;
    std::uint64_t seed = 0;
    std::size_t kind = 0;  // an index of `kinds`
    RunState state = RunState::done;
    int arithmetic = 0;
  };
  std::vector<Run> runs;
  std::vector<std::shared_ptr<const Kind>> kinds;
  std::vector<std::vector<double>> values;  // of each metric, of each run
};
ComparedRuns compared_runs(std::span<const RunRecord> runs, std::span<const Expression> metrics);
// Of the runs that the query finds, without reading them whole.
ComparedRuns compared_runs(const Store& store, RunQuery query, std::span<const Expression> metrics);

// `metrics`: names of metrics, or expressions over one run. Throws wrong_input where a group is empty, where a run is
// in both, where two runs of a group would have the same partner, and where runs are of several arithmetic revisions.
Comparison compare(const ComparedRuns& a, const ComparedRuns& b, std::span<const Expression> metrics);
Comparison compare(std::span<const RunRecord> a, std::span<const RunRecord> b, std::span<const Expression> metrics);

}  // namespace fovea
