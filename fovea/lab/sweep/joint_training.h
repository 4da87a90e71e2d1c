// Trains one run on all ranks of a job together (train.data_parallel, lab/ranks/shards.h) (room lab/sweep). `fovea
// run` and rank_worker.cpp of this room call it. The first rank leads; the others train along and print nothing. It
// sends messages to the ranks and waits for theirs. Its training writes checkpoints. It does not use the store.
#pragma once

#include <atomic>
#include <memory>

#include "fovea/lab/ranks/ranks.h"
#include "fovea/lab/sweep/worker_pool.h"

namespace fovea {

// On the first rank: trains one run at a time, with everybody's help.
std::unique_ptr<WorkerPool> joint_pool(Ranks& ranks, const CheckpointPlan& checkpoints);

// A run goes wrong on all ranks at the same step or, where memory or data lack on one host, on one alone: then the
// others wait for that one, and no word comes from them within this time.
inline constexpr std::chrono::seconds joint_patience(30);

// On every other, for each message that calls to a run: trains along, to its end. Once `stop` is set all ranks stop
// after the same step. Returns what went wrong, empty if nothing did.
std::string join_training(Ranks& ranks, const std::string& call, const std::atomic<bool>* stop);

}  // namespace fovea
