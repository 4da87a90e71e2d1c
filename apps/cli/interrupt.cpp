#include "apps/cli/interrupt.h"

#include <csignal>

namespace fovea::cli {

namespace {

std::atomic<bool> asked_to_stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // safe to set from a signal handler

void ask_to_stop(int signal) {
  if (asked_to_stop.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

const std::atomic<bool>* interrupt_flag() {
  static const bool installed = [] {
    std::signal(SIGINT, ask_to_stop);
    std::signal(SIGTERM, ask_to_stop);
    std::signal(SIGHUP, ask_to_stop);  // the terminal was closed
    return true;
  }();
  (void)installed;
  return &asked_to_stop;
}

}  // namespace fovea::cli
