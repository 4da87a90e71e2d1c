// Ranks: the processes of one job, started together by mpirun or srun (room lab/ranks). Shards, the trainer and the
// pools of lab/sweep send messages through it.
//
// Only rank 0, the first, prints and owns the store. The others wait for work. Messages carry a kind and bytes, and
// are sent without waiting for their receiver. Calls come from one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fovea {

struct RankTransport;

class Ranks {
 public:
  // The job this process is part of; nullptr where it was started alone. Joins it the first time. Throws failure where
  // a launcher started several processes that cannot find each other.
  static Ranks* job();
  // What the launcher said, known without joining: 0 of 1 where there is none.
  static int announced_rank();
  static int announced_size();

  explicit Ranks(const RankTransport& transport);  // throws failure where it cannot be joined
  ~Ranks();                                        // of the first: ends the job, and waits for those that answer
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool first() const { return rank_ == 0; }

  struct Message {
    int from = 0;
    int kind = 0;
    std::string bytes;
  };
  static constexpr int end = 0;  // the kind that ends the others' work: sent by the first as it goes
  void send(int to, int kind, const std::string& bytes);
  std::optional<Message> receive(std::chrono::milliseconds patience);

  // Everybody's bytes, one rank after the other: all.size() = size() * mine.size(). Every rank has to come.
  void gather(std::span<const std::byte> mine, std::span<std::byte> all);

  // A rank that no longer answers: the job will end without waiting for it.
  void give_up(int rank) { given_up_.at(static_cast<std::size_t>(rank)) = true; }
  bool answers(int rank) const { return !given_up_.at(static_cast<std::size_t>(rank)); }
  bool all_answer() const;

 private:
  const RankTransport& transport_;
  int rank_ = 0, size_ = 1;
  std::vector<bool> given_up_;
};

// "rank 3": how one is called in what is said of it.
std::string rank_name(int rank);

}  // namespace fovea
