// What the ranks of a job say to each other (lab/sweep/rank_pool.h, lab/sweep/joint_training.h), as bytes and back.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "fovea/lab/sweep/worker_pool.h"

namespace fovea {

// Kinds of messages, beside Ranks::end.
enum RankMessage : int {
  // from the first
  order = 1,  // RankOrder: train this run by yourself
  join,       // RankOrder: train this run with all the others
  stop_work,  // stop what you have, and say how far it came
  // to the first
  news,     // of a run it was given: News
  beat,     // now and then while it has runs: vector of InTraining
  leaving,  // it was asked to stop and takes no more work
  joined,   // it has come to the end of what all of them trained
};

struct RankOrder {
  std::uint64_t ticket = 0;  // no two of a job are alike
  RunSpec spec;
  int jobs = 1;  // how many runs the rank trains at a time
  CheckpointPlan checkpoints;
};

// How often a rank that has runs tells how far they are: the first can hear so many a second.
inline std::chrono::milliseconds beat_interval(int ranks) {
  return std::chrono::milliseconds(std::max(300, 2 * ranks));
}

std::string to_message(const RankOrder& order);
std::string to_message(const News& news);  // its number is the ticket
std::string to_message(const std::vector<InTraining>& runs);

// They throw failure where the bytes are something else. A rank of another host that does not see the very folder of
// the order's checkpoints gets an order without.
RankOrder order_from_message(const std::string& bytes);
News news_from_message(const std::string& bytes);
std::vector<InTraining> beat_from_message(const std::string& bytes);

}  // namespace fovea
