#include "fovea/lab/sweep/worker_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace fovea {

namespace {

class ThreadPool : public WorkerPool {
 public:
  ThreadPool(int size, CheckpointPlan checkpoints, HowToTrain how)
      : checkpoints_(std::move(checkpoints)), train_(std::move(how)) {
    for (int i = 0; i < size; ++i) {
      try {
        threads_.emplace_back([this] { work(); });
      } catch (const std::system_error& error) {
        if (i == 0)
          throw failure(fmt::format("no thread can be started for the runs ({})", error.what()),
                        "end some programs, then try again");
        break;  // fewer at a time, then
      }
    }
  }
  ~ThreadPool() override {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      stop_ = true;
    }
    to_do_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const override { return static_cast<int>(threads_.size()); }

  void submit(Work work) override {
    const std::lock_guard lock(mutex_);
    if (stop_) {
      updates_.push_back({work.number, NotBegun()});
      return;
    }
    waiting_.push_back(std::move(work));
    to_do_.notify_one();
  }

  std::optional<RunUpdate> wait(std::chrono::milliseconds patience) override {
    std::unique_lock lock(mutex_);
    told_.wait_for(lock, patience, [this] { return !updates_.empty(); });
    if (updates_.empty()) return std::nullopt;
    RunUpdate first = std::move(updates_.front());
    updates_.pop_front();
    return first;
  }

  void stop() override {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    for (const Work& work : waiting_) updates_.push_back({work.number, NotBegun()});
    waiting_.clear();
  }

  std::vector<InTraining> in_training() const override {
    const std::lock_guard lock(mutex_);
    return in_training_;
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      to_do_.wait(lock, [this] { return over_ || !waiting_.empty(); });
      if (over_) return;
      Work work = std::move(waiting_.front());
      waiting_.pop_front();
      in_training_.push_back({work.number, 0, 0});
      lock.unlock();
      RunUpdate last = train_one(work);
      lock.lock();
      std::erase_if(in_training_, [&work](const InTraining& run) { return run.number == work.number; });
      updates_.push_back(std::move(last));
      told_.notify_one();
    }
  }

  RunUpdate train_one(Work& work) {
    TrainHooks hooks;
    hooks.stop = &stop_;
    hooks.checkpoints = checkpoints_;
    hooks.progress = [&](std::int64_t step, std::int64_t of) {
      const std::lock_guard lock(mutex_);
      *std::ranges::find(in_training_, work.number, &InTraining::number) = {work.number, step, of};
    };
    hooks.resumed = [&](const Resumption& from) { report(work, Resumed{from}); };
    hooks.trouble = [&](const std::string& text) { report(work, Trouble{text}); };
    hooks.saved = [&](const RunRecord& record) {
      RunRecord copy = record;
      copy.arrays.clear();
      report(work, Saved{std::move(copy)});
    };
    try {
      return {work.number, Ended{train_(std::move(work.run), hooks)}};
    } catch (const Error& error) {
      return {work.number, Refused{error}};
    }
  }

  void report(const Work& work, auto what) {
    const std::lock_guard lock(mutex_);
    updates_.push_back({work.number, std::move(what)});
    told_.notify_one();
  }

  const CheckpointPlan checkpoints_;
  const HowToTrain train_;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;
  std::condition_variable to_do_, told_;
  std::deque<Work> waiting_;
  std::deque<RunUpdate> updates_;
  std::vector<InTraining> in_training_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<WorkerPool> thread_pool(int size, const CheckpointPlan& checkpoints, HowToTrain how) {
  return std::make_unique<ThreadPool>(size, checkpoints, std::move(how));
}

}  // namespace fovea
