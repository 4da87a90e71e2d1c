// PythonEngine: the engine of the Python package, PyTorch in processes of its own, one for each run in training (room
// lab/engine). Sweeps of the program and of the Python package use it for `--engine`. Messages go through a socket
// (lab/train/update_engine.h), each after its size in 8 bytes, little-endian. A process ends when its socket closes,
// however this program ended. Ctrl-C does not reach it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/lab/train/update_engine.h"

namespace fovea {

// `what` needs Python, and `python` cannot be started: a failure with the reason of `code` (errno).
[[nodiscard]] Error python_not_started(const std::string& what, const std::string& python, int code);

class PythonEngine final : public UpdateEngine {
 public:
  // `python` is a path, or a name on PATH. `path`: where it looks for modules first, if anywhere, joined by ':'.
  explicit PythonEngine(std::string python, std::string path = "");
  ~PythonEngine() override;

  // A process that no run uses, or a new one. It is free again when the link ends.
  std::unique_ptr<EngineLink> link(const std::string& engine) override;

 private:
  class Process;
  class Link;

  const std::string python_, path_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Process>> free_;
};

}  // namespace fovea
