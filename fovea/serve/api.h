// The JSON API of `fovea serve` (docs/page.md): what the page reads of the store. Reading changes nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "fovea/serve/http.h"
#include "fovea/serve/server.h"

namespace fovea {

class Api {
 public:
  explicit Api(std::filesystem::path store_file) : store_file_(std::move(store_file)) {}

  // Throws wrong_input for a question that makes no sense, which the server answers by 400.
  HttpAnswer answer(const HttpRequest& request) const;

  // The event "runs" where the store has changed since the last look, or was never looked at.
  std::optional<HttpEvent> news();

 private:
  std::filesystem::path store_file_;
  std::string seen_;
};

// What the page is made of, built into the program: web/ makes one HTML file of it. Empty where the program was built
// without it.
std::string_view shipped_page();

}  // namespace fovea
