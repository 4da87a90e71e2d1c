// Writes the results of claims as tables (room view/terminal). `fovea reproduce` prints them, and the report uses the
// verdicts. Pure functions.
#pragma once

#include <span>
#include <string>

#include "fovea/lab/analysis/findings.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

// "supported", "not supported", "refutes [1]", "does not refute [1]", "no value".
std::string verdict_text(const ClaimResult& claim);

// A claim by its title, or by its text if it has no title.
const std::string& shown_title(const ClaimResult& claim);

// A table for each experiment, with one line a claim: verdict, title, value, threshold, null value. A claim without a
// title may take several lines. Notes follow their table.
std::string claims_table(std::span<const ClaimResult> claims, const Terminal& terminal);

// Of each finding its verdict and heading, its value and what that is of, its threshold and null value. Those with kept
// results have a table of their own, after the others.
std::string findings_table(std::span<const FindingResult> findings, const Terminal& terminal);

// Of each claim everything that its experiment says of it.
std::string claims_explained(std::span<const ClaimResult> claims, const Terminal& terminal);

// "7 of 9 claims are supported, 1 refutes a source"
std::string verdict_counts(std::span<const ClaimResult> claims);

}  // namespace fovea
