#include "python/src/ctrl_c.h"

#include <pybind11/pybind11.h>

#include <cerrno>
#include <csignal>

namespace fovea::python {

namespace py = pybind11;

namespace {

std::atomic<std::atomic<bool>*> to_set{nullptr};
struct sigaction pythons;  // the handler that was there: Python's own, which notes the signal and returns
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::atomic<bool>*>::is_always_lock_free);

void on_signal(int signal) {
  const int error = errno;
  if (std::atomic<bool>* const stop = to_set.load()) stop->store(true);
  pythons.sa_handler(signal);
  errno = error;
}

bool python_would_interrupt() {
  const py::module_ threading = py::module_::import("threading"), signal = py::module_::import("signal");
  if (!threading.attr("current_thread")().is(threading.attr("main_thread")())) return false;
  return signal.attr("getsignal")(signal.attr("SIGINT")).is(signal.attr("default_int_handler"));
}

}  // namespace

CtrlC::CtrlC(std::atomic<bool>& stop) {
  if (!python_would_interrupt()) return;
  struct sigaction now;
  if (sigaction(SIGINT, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO)) return;
  before_ = to_set.exchange(&stop);
  installed_ = true;
  if (before_) return;  // a call within a call: the handler is there
  pythons = now;
  now.sa_handler = on_signal;
  sigaction(SIGINT, &now, nullptr);
}

CtrlC::~CtrlC() {
  if (!installed_) return;
  if (!before_) sigaction(SIGINT, &pythons, nullptr);
  to_set.store(before_);
}

}  // namespace fovea::python
