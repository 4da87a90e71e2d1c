// Answers questions of the API on one run: its record, its arrays, its weights (room serve). api.cpp of this room
// calls it. Reads the store; changes nothing.
#pragma once

#include <string_view>

#include "fovea/lab/store/store.h"
#include "fovea/serve/http.h"

namespace fovea {

// `rest` is what follows "/api/runs/": "12", "12/arrays", "12/weights".
HttpAnswer run_answer(const HttpRequest& request, const Store& store, std::string_view rest);

}  // namespace fovea
