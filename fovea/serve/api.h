// The JSON API of `fovea serve` (docs/reference/http-api.md): what the page reads of the store, and the trainings that
// it starts and stops. Reading (GET) changes nothing; what changes something is posted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "fovea/serve/http.h"
#include "fovea/serve/jobs.h"
#include "fovea/serve/server.h"

namespace fovea {

class Api {
 public:
  // `jobs` are those of this server and outlive it; without them nothing can be started.
  explicit Api(std::filesystem::path store_file, Jobs* jobs = nullptr)
      : store_file_(std::move(store_file)), jobs_(jobs) {}

  // Throws wrong_input for a question that makes no sense, which the server answers by 400.
  HttpAnswer answer(const HttpRequest& request) const;

  // The event "runs" where the store has changed since the last look, or was never looked at.
  std::optional<HttpEvent> news();

 private:
  std::filesystem::path store_file_;
  Jobs* jobs_;
  std::string seen_;
};

}  // namespace fovea
