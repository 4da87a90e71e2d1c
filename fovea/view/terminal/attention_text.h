// Draws one example's attention in block characters, from the arrays of a run (room view/terminal). `fovea show` and
// `fovea watch` print it. Pure function.
#pragma once

#include <string>
#include <vector>

#include "fovea/lab/record/record.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea {

// What is shown, then the map of the run's last look: a row for each of its rows, at most `height` of them (0: no
// limit). Of glimpses at an image it is the image instead, as small as it must be, with the numbers of the glimpses in
// the middles of what they cover, and dots on the way from each to the next, and beside the step what it shows and what
// was answered, where `arrays` have that. Empty where `arrays`, of whatever names,
// have no map.
std::vector<std::string> attention_lines(const RunSpec& spec, const std::vector<ArrayRecord>& arrays, int height,
                                         const Terminal& terminal);

// The last of this name; null where there is none.
const ArrayRecord* last_of(const std::vector<ArrayRecord>& arrays, const std::string& name);

}  // namespace fovea
