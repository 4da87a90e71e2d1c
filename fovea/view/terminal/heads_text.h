// Table of the heads of a run, from its series METRIC_lL_hH (room view/terminal). `fovea show` prints it. Pure
// function.
#pragma once

#include <map>
#include <string>

#include "fovea/lab/record/record.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

// The last value of each head, a row for each layer, in the first of these measures that the run has: induction,
// weight_on_previous, weight_on_first, attention_on_answer, agreement. Below is a line for each of them, with the head
// that has the most. Empty if no measure has several heads.
std::string heads_text(const std::map<std::string, Series>& series, const Terminal& terminal);

}  // namespace fovea
