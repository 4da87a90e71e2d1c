// CtrlC: Ctrl-C during a call of the library (folder python/src). call.h of this folder has one. It installs a signal
// handler and restores the old one.
#pragma once

#include <atomic>

namespace fovea::python {

// While one lives on Python's main thread, an interrupt sets `stop` at once, before Python can look at it: what is in
// training ends with its step. Python hears of it too, and raises KeyboardInterrupt when it is next asked. On other
// threads, and where somebody else handles interrupts, it does nothing.
class CtrlC {
 public:
  explicit CtrlC(std::atomic<bool>& stop);  // with the GIL
  ~CtrlC();
  CtrlC(const CtrlC&) = delete;
  CtrlC& operator=(const CtrlC&) = delete;

 private:
  bool installed_ = false;
  std::atomic<bool>* before_ = nullptr;
};

}  // namespace fovea::python
