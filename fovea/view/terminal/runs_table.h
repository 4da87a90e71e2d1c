// Writes runs as a table that fits the terminal, one line each (room view/terminal). `fovea runs`, `fovea sweep` and
// `fovea watch` print it. Pure functions.
#pragma once

#include <string>
#include <string_view>
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
// Four digits of a metric's value. An infinite step or time is "never", another infinite value "infinite".
std::string metric_text(std::string_view metric, double x);

}  // namespace fovea
