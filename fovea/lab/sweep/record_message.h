// Encodes records as bytes for messages between ranks, and decodes them bit for bit (room lab/sweep).
// rank_messages.cpp of this room calls it. Pure functions.
#pragma once

#include <string>

#include "fovea/lab/record/record.h"

namespace fovea {

std::string to_message(const RunRecord& record);
RunRecord record_from_message(const std::string& bytes);  // throws failure where they are none

}  // namespace fovea
