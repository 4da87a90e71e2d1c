// Compares two runs, or two groups of runs paired over seeds, in settings and metrics (room lab/analysis). `fovea
// compare`, the server and the Python package call it. Pure functions.
//
// Settings that have no value in common separate the groups. All others pair the runs: a run of A is paired with the
// run of B with the same seed and the same values of the settings that vary within the groups. Runs without a
// partner, and unfinished runs of a group, are counted and left out. Groups of one run each are compared as they are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/statistics.h"
#include "fovea/lab/query/expression.h"
#include "fovea/lab/record/record.h"

namespace fovea {

// Exact sign-flip test (a permutation test for pairs), two-sided: were there no difference, each pair's difference
// would be as likely with the other sign. p is the share of all 2^n choices of signs for which the mean is as far from
// 0 as the one seen, or farther. Above 20 pairs: of 100 000 choices drawn at random, the one seen counted in.
struct SignFlipTest {
  double p = 1;
  bool exact = true;
  std::int64_t choices = 1;
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
  std::vector<MetricDifference> metrics;
};

// `metrics`: names of metrics, or expressions over one run. Throws wrong_input where a group is empty, where a run is
// in both, where two runs of a group would have the same partner, and where runs are of several arithmetic revisions.
Comparison compare(std::span<const RunRecord> a, std::span<const RunRecord> b, std::span<const Expression> metrics);

}  // namespace fovea
