// Encodes and decodes the messages between the ranks of a job (room lab/sweep). lab/sweep/rank_pool.h and
// lab/sweep/joint_training.h send them. Pure functions.
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
  stop_work,  // stop what is in training, and report its progress
  // to the first
  update,   // RunUpdate of a run that this rank trains
  beat,     // at intervals, while this rank has runs: vector of InTraining
  leaving,  // this rank was asked to stop and takes no more work
  joined,   // this rank has finished a run that all ranks trained
};

struct RankOrder {
  std::uint64_t ticket = 0;  // unique in the job
  RunSpec spec;
  int jobs = 1;  // how many runs the rank trains at a time
  CheckpointPlan checkpoints;
};

// Interval between progress messages of a rank: the first rank can read a limited number a second.
inline std::chrono::milliseconds beat_interval(int ranks) {
  return std::chrono::milliseconds(std::max(300, 2 * ranks));
}

std::string to_message(const RankOrder& order);
std::string to_message(const RunUpdate& update);  // its number is the ticket
std::string to_message(const std::vector<InTraining>& runs);

// They throw failure where the bytes are something else. A rank of another host that does not see the very folder of
// the order's checkpoints gets an order without.
RankOrder order_from_message(const std::string& bytes);
RunUpdate update_from_message(const std::string& bytes);
std::vector<InTraining> beat_from_message(const std::string& bytes);

}  // namespace fovea
