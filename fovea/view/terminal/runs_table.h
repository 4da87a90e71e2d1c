// Writes runs as a table that fits the terminal, one line each (room view/terminal). `fovea runs`, `fovea sweep` and
// `fovea watch` print it. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "fovea/view/plot/run_data.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

// `wanted`: what to show of each run: metrics, settings, facts, or expressions over them. With none, the most telling
// metrics and the settings that tell the runs apart, as many as there is room for; what had to be left out is named in
// a last line.
std::string runs_table(const Runs& runs, const std::vector<std::string>& wanted, const Terminal& terminal);

std::string state_text(const RunRecord& run);  // "done", or "failed: " and why
Tone state_tone(RunState state);
std::string metric_text(double x);  // four digits; "never" for an infinite step
// A last value of a run. Infinity is a step that is never reached, except in a failed run, whose numbers diverged.
std::string last_text(const RunRecord& run, double x);

}  // namespace fovea
