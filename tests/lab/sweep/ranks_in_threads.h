// A job whose ranks are threads of the test: messages lie in memory, and nothing else differs from processes that
// mpirun started. Whoever is not one of its threads is the first rank.
#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fovea/lab/ranks/rank_transport.h"
#include "fovea/lab/ranks/ranks.h"

namespace fovea::testing_parts {

class RanksInThreads {
 public:
  // `work` is what every rank but the first does.
  RanksInThreads(int size, std::function<void(Ranks&)> work) {
    post() = std::make_unique<Post>();
    post()->size = size;
    post()->boxes.resize(static_cast<std::size_t>(size));
    for (int rank = 1; rank < size; ++rank)
      others_.emplace_back([rank, work] {
        own_rank() = rank;
        Ranks ranks(transport);
        work(ranks);
      });
    first_.emplace(transport);
  }
  ~RanksInThreads() {
    first_.reset();  // ends the job
    for (std::thread& other : others_) other.join();
  }
  RanksInThreads(const RanksInThreads&) = delete;
  RanksInThreads& operator=(const RanksInThreads&) = delete;

  Ranks& first() { return *first_; }

 private:
  struct Letter {
    int from, kind;
    std::string bytes;
  };
  struct Post {
    int size = 0;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::deque<Letter>> boxes;
    std::string gathered;  // of the round that goes on
    int come = 0, round = 0;
    std::string result;
  };

  static std::unique_ptr<Post>& post() {
    static std::unique_ptr<Post> one;
    return one;
  }
  static int& own_rank() {
    thread_local int rank = 0;
    return rank;
  }

  static const char* start(int* rank, int* size) {
    *rank = own_rank();
    *size = post()->size;
    return nullptr;
  }
  static bool send(int to, int kind, const void* bytes, std::size_t count) {
    const std::lock_guard lock(post()->mutex);
    std::string text;
    if (count > 0) text.assign(static_cast<const char*>(bytes), count);
    post()->boxes[static_cast<std::size_t>(to)].push_back({own_rank(), kind, std::move(text)});
    return true;
  }
  static bool receive(int* from, int* kind, const void** bytes, std::size_t* count) {
    thread_local Letter letter;
    const std::lock_guard lock(post()->mutex);
    auto& box = post()->boxes[static_cast<std::size_t>(own_rank())];
    if (box.empty()) return false;
    letter = std::move(box.front());
    box.pop_front();
    *from = letter.from;
    *kind = letter.kind;
    *bytes = letter.bytes.data();
    *count = letter.bytes.size();
    return true;
  }
  static void gather(const void* mine, void* all, std::size_t count) {
    Post& at = *post();
    std::unique_lock lock(at.mutex);
    const int round = at.round;
    const std::size_t whole = count * static_cast<std::size_t>(at.size);
    at.gathered.resize(whole);
    std::memcpy(at.gathered.data() + count * static_cast<std::size_t>(own_rank()), mine, count);
    if (++at.come == at.size) {
      std::swap(at.result, at.gathered);
      at.come = 0;
      ++at.round;
      at.changed.notify_all();
    }
    at.changed.wait(lock, [&] { return at.round != round; });
    std::memcpy(all, at.result.data(), whole);
  }
  static void finish(bool) {}

  static constexpr RankTransport transport{start, send, receive, gather, finish};

  std::vector<std::thread> others_;
  std::optional<Ranks> first_;
};

}  // namespace fovea::testing_parts
