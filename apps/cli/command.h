// Command: base class of the commands of the program, one file each, registered by name (folder apps/cli). main.cpp
// finds and runs them. A command parses, calls the library and prints; it computes nothing.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "fovea/base/registry.h"

namespace fovea::cli {

// What a command makes of being started as several processes at once, by mpirun or srun (lab/ranks/ranks.h).
enum class Together {
  first_alone,  // the first does it all, the others end at once
  shared,       // the first runs, and has the others work for it
  each_alone,   // each by itself, as if there were no others
};

class Command {
 public:
  virtual ~Command() = default;
  virtual void options(CLI::App& app) = 0;                             // words, flags, footer with an example
  virtual int run() = 0;                                               // the exit code; throws Error
  virtual Together together() const { return Together::first_alone; }  // once the words are read
};

}  // namespace fovea::cli
