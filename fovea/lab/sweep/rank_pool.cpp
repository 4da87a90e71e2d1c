#include "fovea/lab/sweep/rank_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "fovea/lab/sweep/rank_messages.h"

namespace fovea {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

bool last_word(const RunUpdate& update) {
  return std::holds_alternative<Ended>(update.what) || std::holds_alternative<Refused>(update.what) ||
         std::holds_alternative<NotBegun>(update.what);
}

class RankPool : public WorkerPool {
 public:
  RankPool(Ranks& ranks, int jobs, CheckpointPlan checkpoints, milliseconds patience)
      : ranks_(ranks),
        jobs_(jobs),
        checkpoints_(std::move(checkpoints)),
        patience_(patience),
        own_(thread_pool(jobs, checkpoints_)),
        others_(static_cast<std::size_t>(ranks.size())) {}

  ~RankPool() override {
    try {
      stop();
      for (int rank = 1; rank < ranks_.size(); ++rank) send_stop(rank);
      while (!away_.empty()) wait(milliseconds(20));  // comes to an end: who does not answer is given up
    } catch (const std::exception&) {
      for (const auto& [ticket, run] : away_) ranks_.give_up(run.rank);
    }
  }
  RankPool(const RankPool&) = delete;
  RankPool& operator=(const RankPool&) = delete;

  int size() const override { return own_->size() + jobs_ * (ranks_.size() - 1); }

  void submit(Work work) override {
    if (stopped_) {
      updates_.push_back({work.number, NotBegun()});
      return;
    }
    waiting_.push_back(std::move(work));
    hand_out();
  }

  std::optional<RunUpdate> wait(milliseconds patience) override {
    const Clock::time_point until = Clock::now() + patience;
    for (;;) {
      if (!updates_.empty()) {
        RunUpdate first = std::move(updates_.front());
        updates_.pop_front();
        return first;
      }
      if (std::optional<RunUpdate> own = own_->wait(milliseconds(0))) {
        if (last_word(*own)) {
          --own_runs_;
          hand_out();
        }
        return own;
      }
      if (const auto message = ranks_.receive(milliseconds(1))) handle(*message);
      else give_up_the_silent();
      if (updates_.empty() && Clock::now() >= until) return std::nullopt;
    }
  }

  void stop() override {
    if (stopped_) return;
    stopped_ = Clock::now();
    for (const Work& work : waiting_) updates_.push_back({work.number, NotBegun()});
    waiting_.clear();
    own_->stop();
  }

  std::vector<InTraining> in_training() const override {
    std::vector<InTraining> all = own_->in_training();
    for (const auto& [ticket, run] : away_) all.push_back(run.progress);
    return all;
  }

 private:
  struct Other {
    int runs = 0;
    bool leaving = false;
    bool told_to_stop = false;
    bool heard_since_stop = false;
    milliseconds silent{0};
  };
  struct Away {
    int rank = 0;
    InTraining progress;  // with the giver's number
  };

  Other& other(int rank) { return others_[static_cast<std::size_t>(rank)]; }

  // The first that has a thread free; -1 for none, 0 for this one.
  int free_rank() {
    for (int rank = 1; rank < ranks_.size(); ++rank)
      if (other(rank).runs < jobs_ && !other(rank).leaving && ranks_.answers(rank)) return rank;
    return own_runs_ < own_->size() ? 0 : -1;
  }

  void hand_out() {
    while (!waiting_.empty()) {
      const int rank = free_rank();
      if (rank < 0) return;
      Work work = std::move(waiting_.front());
      waiting_.pop_front();
      if (rank == 0) {
        ++own_runs_;
        own_->submit(std::move(work));
        continue;
      }
      static std::uint64_t last_ticket =
          0;  // of the whole job: late updates of an earlier pool's runs must not be ours
      const std::uint64_t ticket = ++last_ticket;
      if (other(rank).runs++ == 0) other(rank).silent = milliseconds(0);
      away_[ticket] = {rank, {work.number, 0, 0}};
      ranks_.send(rank, RankMessage::order, to_message(RankOrder{ticket, work.run.spec(), jobs_, checkpoints_}));
    }
  }

  void handle(const Ranks::Message& message) {
    Other& sender = other(message.from);
    sender.silent = milliseconds(0);
    sender.heard_since_stop = stopped_.has_value();
    if (message.kind == RankMessage::leaving) sender.leaving = true;
    else if (stopped_) send_stop(message.from);
    if (message.kind == RankMessage::beat) {
      for (const InTraining& run : beat_from_message(message.bytes)) {
        const auto there = away_.find(run.number);
        if (there == away_.end()) continue;
        there->second.progress.step = run.step;
        there->second.progress.of = run.of;
      }
    }
    if (message.kind != RankMessage::update) return;
    RunUpdate update = update_from_message(message.bytes);
    const auto run = away_.find(update.number);
    if (run == away_.end()) return;  // given up before
    update.number = run->second.progress.number;
    if (last_word(update)) {
      away_.erase(run);
      --sender.runs;
      hand_out();
    }
    updates_.push_back(std::move(update));
  }

  // A launcher that ends a job asks all ranks to, and they say at once that they leave. The others are told, each once
  // something is heard of it: where one is dead, MPI may well end whoever sends to it.
  void send_stop(int rank) {
    if (other(rank).runs > 0 && !other(rank).leaving && !std::exchange(other(rank).told_to_stop, true))
      ranks_.send(rank, RankMessage::stop_work, {});
  }

  // Time counts only while this rank listens, and finds nothing: where it was busy or suspended itself, others may have
  // spoken meanwhile.
  void give_up_the_silent() {
    const Clock::time_point now = Clock::now();
    const milliseconds passed = std::chrono::duration_cast<milliseconds>(now - listened_);
    if (passed < milliseconds(1)) return;
    listened_ = now;
    const bool hurry = stopped_ && now - *stopped_ > time_to_answer();
    for (int rank = 1; rank < ranks_.size(); ++rank) {
      if (other(rank).runs == 0) continue;
      other(rank).silent += std::min(passed, milliseconds(20));
      if ((hurry && !other(rank).heard_since_stop) || other(rank).silent > patience_) give_up(rank);
    }
  }

  // Since the stop. mpirun kills this rank a second after it has asked it to end; of other hosts it asks the ranks only
  // then, and those that live are heard of by their beats.
  milliseconds time_to_answer() const {
    const bool all_asked = std::ranges::find(others_, true, &Other::leaving) != others_.end();
    return all_asked ? milliseconds(500) : std::max(milliseconds(700), 2 * beat_interval(ranks_.size()));
  }

  void give_up(int rank) {
    ranks_.give_up(rank);
    other(rank).runs = 0;
    const auto its = [rank](const auto& run) { return run.second.rank == rank; };
    for (const auto& [ticket, run] : away_) {
      if (run.rank != rank) continue;
      updates_.push_back(
          {run.progress.number, Trouble{fmt::format("{} trained this run and does not answer any more. The work since "
                                                    "the last checkpoint is lost. The same command trains it again",
                                                    rank_name(rank))}});
      updates_.push_back({run.progress.number, NotBegun()});
    }
    std::erase_if(away_, its);
  }

  Ranks& ranks_;
  const int jobs_;
  const CheckpointPlan checkpoints_;
  const milliseconds patience_;
  std::unique_ptr<WorkerPool> own_;
  int own_runs_ = 0;
  std::vector<Other> others_;  // by rank
  std::deque<Work> waiting_;
  std::map<std::uint64_t, Away> away_;  // by ticket
  std::deque<RunUpdate> updates_;
  Clock::time_point listened_ = Clock::now();
  std::optional<Clock::time_point> stopped_;
};

}  // namespace

std::unique_ptr<WorkerPool> rank_pool(Ranks& ranks, int jobs, const CheckpointPlan& checkpoints,
                                      milliseconds patience) {
  return std::make_unique<RankPool>(ranks, jobs, checkpoints, patience);
}

}  // namespace fovea
