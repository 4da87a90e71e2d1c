// Answers questions of the API on groups of runs: a metric by the values of one setting, each group against one of
// them (room serve). api.cpp of this room calls it. Reads the store; changes nothing.
#pragma once

#include "fovea/lab/record/json.h"
#include "fovea/lab/store/store.h"
#include "fovea/serve/http.h"

namespace fovea {

// Throws wrong_input for a question that makes no sense.
Json groups_json(const HttpRequest& request, const Store& store);

}  // namespace fovea
