// Team: a fixed team of threads that share the work of one run (room base). Compute (nn/compute.h) passes it to all
// layers. The workspace (lab/train/workspace.h) creates it.
//
// Each piece of work writes its own outputs. If pieces have sums of their own, the work is divided by its own size,
// never by the number of threads. Results therefore have the same bits for any size of the team.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>

namespace fovea {

class Team {
 public:
  explicit Team(int threads = 1);  // throws wrong_input if threads < 1
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int threads() const { return threads_; }

  // Calls piece(i) for i in [0, pieces), each exactly once, on any thread; returns when all are done.
  // An exception in a piece is rethrown here (the first one), after the others have finished.
  // Not reentrant: a piece must not call back into the same team.
  template <class Piece>
  void each(int pieces, Piece&& piece) {
    if (threads_ == 1 || pieces <= 1) {
      for (int i = 0; i < pieces; ++i) piece(i);
      return;
    }
    run(
        pieces, [](void* self, int i) { (*static_cast<std::remove_reference_t<Piece>*>(self))(i); },
        const_cast<void*>(static_cast<const void*>(&piece)));
  }

  // Cuts [0, count) into pieces of `grain` (the last may be shorter) and calls part(begin, end) on each.
  template <class Part>
  void split(std::ptrdiff_t count, std::ptrdiff_t grain, Part&& part) {
    const int pieces = static_cast<int>((count + grain - 1) / grain);
    each(pieces, [&](int i) {
      const std::ptrdiff_t begin = i * grain;
      part(begin, begin + grain < count ? begin + grain : count);
    });
  }

 private:
  void run(int pieces, void (*call)(void*, int), void* self);

  struct State;
  int threads_;
  std::unique_ptr<State> state_;
};

}  // namespace fovea
