// Findings: the claims that are shown first (docs/results/findings.toml) (room lab/analysis). `fovea reproduce`, the
// report and the story of the page show them with their verdicts. Reads shipped files and results; changes nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fovea/lab/analysis/reproduce.h"

namespace fovea {

struct Finding {
  std::string experiment;
  std::string claim;     // its name, or how its text begins if it has none
  std::string heading;   // at most 10 words
  std::string measures;  // the quantity in words, with its unit
  std::string why;       // why it matters, one sentence

  bool is_of(const ClaimResult& result) const;
  bool is_of(const Claim& stated) const;
};

const std::vector<Finding>& findings();

// The experiments of findings that a form can test, in the order of the findings.
std::vector<std::string> experiments_of_findings(Preset preset);

// A finding and what came out. A claim of the full form alone has its kept result (lab/analysis/kept_results.h) unless
// the full form was reproduced.
struct FindingResult {
  Finding finding;
  std::optional<ClaimResult> result;  // nothing: not reproduced yet
  bool kept = false;
};

std::vector<FindingResult> results_of_findings(std::span<const ClaimResult> claims);
std::vector<FindingResult> results_of_findings(std::span<const Reproduction> reproductions);

}  // namespace fovea
