// Api: the JSON API of `fovea serve` (docs/reference/http-api.md) (room serve). apps/cli/serve.cpp makes it the
// handler of the Server. It reads the store, starts and stops trainings, and keeps the bets of visitors. GET changes
// nothing; changes are posted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "fovea/serve/bets.h"
#include "fovea/serve/http.h"
#include "fovea/serve/jobs.h"
#include "fovea/serve/server.h"

namespace fovea {

class Api {
 public:
  // `jobs` and `bets` are those of this server and outlive it. Without them nothing can be started, and nothing bet.
  explicit Api(std::filesystem::path store_file, Jobs* jobs = nullptr, Bets* bets = nullptr)
      : store_file_(std::move(store_file)), jobs_(jobs), bets_(bets) {}

  // Throws wrong_input for a question that makes no sense, which the server answers by 400.
  HttpAnswer answer(const HttpRequest& request) const;

  // The event "runs" where the store has changed since the last look, or was never looked at.
  std::optional<HttpEvent> news();

 private:
  std::filesystem::path store_file_;
  Jobs* jobs_;
  Bets* bets_;
  std::string seen_;
};

}  // namespace fovea
