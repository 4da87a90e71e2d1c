#include "python/src/call.h"

#include <unistd.h>

#include <condition_variable>
#include <map>

#include "fovea/base/error/error.h"

namespace fovea::python {

namespace {

// The calls at work, and the process that each is of: a forked one has those of its parent here, and nobody who ends
// them. Changed with the GIL alone, so that no fork finds the lock taken.
struct Open {
  std::mutex mutex;
  std::condition_variable fewer;
  std::map<Call*, pid_t> calls;
  bool ending = false;

  bool none_of(pid_t process) const {
    for (const auto& [call, of] : calls)
      if (of == process) return false;
    return true;
  }
};

Open& open_calls() {
  static Open& open = *new Open;  // never destroyed: threads may outlive what is
  return open;
}

}  // namespace

Call::Call() : ctrl_c_(stop_) {
  Open& open = open_calls();
  const std::lock_guard lock(open.mutex);
  if (open.ending) throw failure("Python is ending", "nothing can be begun any more");
  open.calls.emplace(this, ::getpid());
}

Call::~Call() {
  Open& open = open_calls();
  const std::lock_guard lock(open.mutex);
  open.calls.erase(this);
  open.fewer.notify_all();
}

void Call::end_all() {
  const py::gil_scoped_release free;
  Open& open = open_calls();
  std::unique_lock lock(open.mutex);
  open.ending = true;
  const pid_t here = ::getpid();
  for (const auto& [call, of] : open.calls)
    if (of == here) call->stop() = true;
  open.fewer.wait(lock, [&] { return open.none_of(here); });
}

}  // namespace fovea::python
