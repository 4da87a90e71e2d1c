// Runs as bytes, for the way between ranks: what comes out is what went in, bit for bit.
#pragma once

#include <string>

#include "fovea/lab/record/record.h"

namespace fovea {

std::string to_message(const RunRecord& record);
RunRecord record_from_message(const std::string& bytes);  // throws failure where they are none

}  // namespace fovea
