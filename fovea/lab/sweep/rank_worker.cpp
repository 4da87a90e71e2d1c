// The other ranks of lab/sweep/rank_pool.h and lab/sweep/joint_training.h: a rank that works for the first (room
// lab/sweep). apps/cli/main.cpp calls work_for_first() of this file.
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "fovea/lab/sweep/joint_training.h"
#include "fovea/lab/sweep/rank_messages.h"
#include "fovea/lab/sweep/rank_pool.h"

namespace fovea {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

class Worker {
 public:
  Worker(Ranks& ranks, const std::atomic<bool>* stop) : ranks_(ranks), stop_(stop) {}

  void work() {
    for (;;) {
      if (stop_ && *stop_ && !std::exchange(leaving_, true)) {
        if (pool_) pool_->stop();
        ranks_.send(0, RankMessage::leaving, {});
      }
      if (const auto message = ranks_.receive(milliseconds(2))) {
        trouble_.clear();
        switch (message->kind) {
          case Ranks::end:
            return;
          case RankMessage::order:
            take(message->bytes);
            break;
          case RankMessage::join:
            trouble_ = join_training(ranks_, message->bytes, stop_);
            troubled_ = Clock::now();
            break;
          case RankMessage::stop_work:
            if (pool_) pool_->stop();
            break;
        }
      }
      if (pool_) send_updates();
      if (!trouble_.empty() && Clock::now() - troubled_ > joint_patience) end_the_job();
    }
  }

 private:
  // The first is still in training, and waits in vain for a part from here.
  [[noreturn]] void end_the_job() {
    ranks_.give_up(0);
    throw failure(fmt::format("{} on {} could not take part in the training, and no other rank had this error: {}",
                              rank_name(ranks_.rank()), host(), trouble_));
  }

  void take(const std::string& bytes) {
    const RankOrder order = order_from_message(bytes);
    if (leaving_) {
      ranks_.send(0, RankMessage::update, to_message(RunUpdate{order.ticket, NotBegun()}));
      return;
    }
    if (!pool_) {
      pool_ = thread_pool(order.jobs, order.checkpoints);
      told_ = Clock::now();
      if (order.checkpoints.folder.empty() && !std::exchange(said_no_folder_, true))
        ranks_.send(
            0, RankMessage::update,
            to_message(RunUpdate{order.ticket, Trouble{fmt::format("{} is on {}, which does not see the store's "
                                                                   "folder: its runs have no checkpoints",
                                                                   rank_name(ranks_.rank()), host())}}));
    }
    ++runs_;
    pool_->submit({order.ticket, order.spec});
  }

  void send_updates() {
    while (const auto update = pool_->wait(milliseconds(0))) {
      ranks_.send(0, RankMessage::update, to_message(*update));
      if (std::holds_alternative<Ended>(update->what) || std::holds_alternative<Refused>(update->what) ||
          std::holds_alternative<NotBegun>(update->what))
        --runs_;
    }
    if (runs_ == 0) {
      pool_.reset();  // the next order may want another; one that was stopped begins nothing more
    } else if (Clock::now() - told_ > beat_interval(ranks_.size())) {
      told_ = Clock::now();
      ranks_.send(0, RankMessage::beat, to_message(pool_->in_training()));
    }
  }

  static std::string host() {
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    return name;
  }

  Ranks& ranks_;
  const std::atomic<bool>* stop_;
  std::unique_ptr<WorkerPool> pool_;
  int runs_ = 0;
  std::string trouble_;  // with joint training, not known to be everybody's
  Clock::time_point troubled_;
  bool leaving_ = false, said_no_folder_ = false;
  Clock::time_point told_ = Clock::now();
};

}  // namespace

void work_for_first(Ranks& ranks, const std::atomic<bool>* stop) { Worker(ranks, stop).work(); }

}  // namespace fovea
