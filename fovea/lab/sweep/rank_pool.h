// A WorkerPool over the ranks of a job (lab/ranks/ranks.h): the first rank's own threads and those of all others
// (room lab/sweep). The program's sweeps use it; apps/cli/main.cpp calls work_for_first() on the other ranks.
//
//   first rank                             every other rank
//   sweep ── give ──> RankPool ── order ──> work_for_first ──> its own thread pool
//         <── update ──          <── update ───
//
// Work goes to any free thread, one piece a thread. A rank that is slow or hangs delays only its own runs. A rank
// that has runs and sends nothing for a while is given up: its runs are reported as not begun, and it gets no more.
#pragma once

#include <atomic>
#include <memory>

#include "fovea/lab/ranks/ranks.h"
#include "fovea/lab/sweep/worker_pool.h"

namespace fovea {

// On the first rank. `jobs`: runs at a time on each rank. `patience`: with a rank that says nothing.
std::unique_ptr<WorkerPool> rank_pool(Ranks& ranks, int jobs, const CheckpointPlan& checkpoints,
                                      std::chrono::milliseconds patience = std::chrono::seconds(60));

// On every other: trains what the first hands out, until that one ends the job. Once `stop` is set, what is in training
// stops and nothing more is begun.
void work_for_first(Ranks& ranks, const std::atomic<bool>* stop);

}  // namespace fovea
