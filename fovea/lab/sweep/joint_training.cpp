#include "fovea/lab/sweep/joint_training.h"

#include <algorithm>

#include "fovea/lab/sweep/rank_messages.h"

namespace fovea {

namespace {

using Clock = std::chrono::steady_clock;

// Waits until every other rank has reached the end of the run too. Those that have not by then are given up.
void await_others(Ranks& ranks) {
  std::vector<bool> there(static_cast<std::size_t>(ranks.size()));
  there[0] = true;
  const Clock::time_point until = Clock::now() + joint_patience;
  while (std::ranges::count(there, true) < ranks.size() && Clock::now() < until)
    if (const auto message = ranks.receive(std::chrono::milliseconds(20)))
      if (message->kind == RankMessage::joined) there[static_cast<std::size_t>(message->from)] = true;
  for (int rank = 1; rank < ranks.size(); ++rank)
    if (!there[static_cast<std::size_t>(rank)]) ranks.give_up(rank);
}

}  // namespace

std::unique_ptr<WorkerPool> joint_pool(Ranks& ranks, const CheckpointPlan& checkpoints) {
  return thread_pool(1, checkpoints, [&ranks](ResolvedRun run, TrainHooks hooks) {
    for (int rank = 1; rank < ranks.size(); ++rank)
      ranks.send(rank, RankMessage::join, to_message(RankOrder{0, run.spec(), 1, hooks.checkpoints}));
    hooks.ranks = &ranks;
    try {
      RunRecord record = train(std::move(run), hooks);
      await_others(ranks);
      return record;
    } catch (const Error&) {
      await_others(ranks);
      throw;
    }
  });
}

std::string join_training(Ranks& ranks, const std::string& call, const std::atomic<bool>* stop) {
  std::string trouble;
  try {
    const RankOrder order = order_from_message(call);
    TrainHooks hooks;
    hooks.stop = stop;
    hooks.ranks = &ranks;
    hooks.checkpoints = order.checkpoints;
    const RunRecord record = train(order.spec, hooks);
    if (record.state == RunState::failed) trouble = record.error;
  } catch (const Error& error) {
    trouble = error.what();
  }
  ranks.send(0, RankMessage::joined, {});
  return trouble;
}

}  // namespace fovea
