// Question: a question of the page to the engine; its answer is in a file of its own and registers under the
// question's name (folder apps/wasm). engine.cpp finds questions by name; own_data.cpp, parts.cpp, toy.cpp and
// training.cpp answer them.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "fovea/lab/record/json.h"
#include "fovea/lab/record/run_spec.h"

namespace fovea::page {

using Answer = Json (*)(const Json& ask);

struct Question {
  Question(const std::string& name, Answer answer);
};

// A word of the question that is text; `otherwise` where it is missing.
std::string text_of(const Json& ask, const char* name, const std::string& otherwise = {});

// The run that "spec" describes, with "seed" and with what is typed for single settings, "set".
RunSpec spec_of(const Json& ask);

// Puts bytes beside the answer under way, which says where they lie: {"at": offset, "bytes": how many}. The page gets
// them as they are; as JSON, arrays would take longer to write and read than to compute.
Json attach(std::span<const std::byte> bytes);

}  // namespace fovea::page
