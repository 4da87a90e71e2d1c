// Call: a long call of the library from Python, without the GIL, with interrupts, and with callbacks that may raise
// (folder python/src). Training, predictions and texts of this folder run in one.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "python/src/ctrl_c.h"

namespace fovea::python {

namespace py = pybind11;

// The first exception of a callback is kept and asks the work to stop; it surfaces, with its traceback, when the call
// has ended and what it had reached is safe.
class Call {
 public:
  Call();  // with the GIL; throws failure where Python is ending
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Asks all calls of this process to stop, and waits for them: Python ends, and a thread that then asks for the GIL
  // would be torn out of the library. What is in training is stopped as by Ctrl-C.
  static void end_all();

  std::atomic<bool>& stop() { return stop_; }

  // From any thread, without the GIL.
  template <class Work>
  void back(Work&& work) {
    const py::gil_scoped_acquire held;
    try {
      work();
    } catch (const py::error_already_set& error) {
      keep(error);
    }
  }

  // Python's own handlers run here; on the calling thread, without the GIL.
  void poll_signals() {
    const py::gil_scoped_acquire held;
    check_signals();
  }

  // With the GIL, after the work: the exception that is to be raised, or None.
  py::object error() {
    check_signals();
    return raised_ ? *raised_ : py::none();
  }
  void raise() {  // the same, raised
    const py::object raised = error();
    if (raised.is_none()) return;
    PyErr_SetObject(py::type::handle_of(raised).ptr(), raised.ptr());
    throw py::error_already_set();
  }

 private:
  void check_signals() {
    if (PyErr_CheckSignals() == 0) return;
    py::error_already_set error;
    keep(error);
  }
  void keep(const py::error_already_set& error) {
    stop_ = true;
    if (raised_) return;
    if (error.trace()) PyException_SetTraceback(error.value().ptr(), error.trace().ptr());
    raised_ = error.value();
  }

  std::atomic<bool> stop_ = false;
  CtrlC ctrl_c_;
  std::optional<py::object> raised_;
};

}  // namespace fovea::python
