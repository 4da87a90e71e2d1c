// A command of the program: one file each, registered by name. It parses, calls the library, prints; it computes
// nothing.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "fovea/base/registry.h"

namespace fovea::cli {

class Command {
 public:
  virtual ~Command() = default;
  virtual void options(CLI::App& app) = 0;  // words, flags, footer with an example
  virtual int run() = 0;                    // the exit code; throws Error
};

}  // namespace fovea::cli
