#include "fovea/base/team.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "fovea/base/error/error.h"

namespace fovea {

struct Team::State {
  std::vector<std::thread> helpers;
  std::atomic<unsigned> round{0};  // goes up by one for every job; helpers wait on it
  std::atomic<int> busy{0};        // helpers that have not finished the job of this round
  std::atomic<int> next{0};        // the next piece to take
  bool closing = false;            // read after `round` has changed
  int pieces = 0;
  void (*call)(void*, int) = nullptr;
  void* self = nullptr;
  std::mutex error_mutex;
  std::exception_ptr error;

  void work() {
    for (int i = next.fetch_add(1); i < pieces; i = next.fetch_add(1)) {
      try {
        call(self, i);
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!error) error = std::current_exception();
      }
    }
  }

  // Jobs of one training step follow each other within microseconds, so look for a while before sleeping.
  template <class Atomic, class Value>
  static void await_change(const Atomic& atomic, Value old) {
    for (int spin = 0; spin < 2000; ++spin) {
      if (atomic.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    atomic.wait(old, std::memory_order_acquire);
  }

  // Ends the helpers, however many have started.
  void close() {
    closing = true;
    round.fetch_add(1, std::memory_order_acq_rel);
    round.notify_all();
    for (std::thread& helper : helpers) helper.join();
    helpers.clear();
  }

  void help() {
    for (unsigned seen = 0;;) {
      await_change(round, seen);
      seen = round.load(std::memory_order_acquire);
      if (closing) return;
      work();
      if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) busy.notify_one();
    }
  }
};

Team::Team(int threads) : threads_(threads) {
  if (threads < 1) throw wrong_input("a run needs at least 1 thread, not " + std::to_string(threads));
  if (threads == 1) return;
  state_ = std::make_unique<State>();
  try {
    for (int i = 1; i < threads; ++i) state_->helpers.emplace_back([state = state_.get()] { state->help(); });
  } catch (const std::system_error&) {
    const std::size_t started = state_->helpers.size() + 1;
    state_->close();
    throw failure(
        "this machine gives a run at most " + std::to_string(started) + " threads, not " + std::to_string(threads),
        "use at most one thread per core");
  }
}

Team::~Team() {
  if (state_) state_->close();
}

void Team::run(int pieces, void (*call)(void*, int), void* self) {
  State& s = *state_;
  s.pieces = pieces;
  s.call = call;
  s.self = self;
  s.next.store(0, std::memory_order_relaxed);
  s.busy.store(threads_ - 1, std::memory_order_relaxed);
  s.round.fetch_add(1, std::memory_order_acq_rel);
  s.round.notify_all();
  s.work();
  for (int left = s.busy.load(std::memory_order_acquire); left != 0; left = s.busy.load(std::memory_order_acquire))
    State::await_change(s.busy, left);
  if (s.error) {
    const std::exception_ptr error = std::exchange(s.error, nullptr);
    std::rethrow_exception(error);
  }
}

}  // namespace fovea
