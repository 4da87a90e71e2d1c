// Jobs: trainings that visitors of the page started, one sweep at a time; the others wait (room serve). api.h of this
// room has them. A job writes the store, as `fovea sweep` does.
//
// Its runs are stored as they end. A stopped job can be continued. The same order given again trains only what is
// missing.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "fovea/lab/experiment/axes.h"
#include "fovea/lab/experiment/preset.h"
#include "fovea/lab/record/json.h"
#include "fovea/lab/sweep/sweep.h"

namespace fovea {

struct JobOrder {
  std::string experiment;  // a shipped one: a visitor names no files
  Preset preset = Preset::full;
  std::vector<Override> overrides;
  std::vector<Axis> axes;

  // From {"experiment": "copy-subset", "set": ["task.vocab=40,60"], "seeds": "0..4", "form": "quick"}, of which only
  // the experiment must be there. Checked as far as can be before anything is trained: throws wrong_input.
  static JobOrder parse(std::string_view json);
};

class Jobs {
 public:
  // How an order is carried out: train() below, unless a test has its own.
  using Train = std::function<SweepProgress(const JobOrder& order, const SweepOptions& options)>;

  explicit Jobs(std::filesystem::path store_file);
  explicit Jobs(Train train);
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;
  ~Jobs();  // stops what is in training

  // All of these may be called from any thread.
  Json start(JobOrder order);   // the job; throws wrong_input where too many wait
  bool stop(std::int64_t job);  // false where there is none of that number; one that has ended stays as it is
  Json list() const;            // {"jobs": […]}, the newest first

 private:
  enum class State { waiting, running, done, stopped, failed };
  struct Job {
    std::int64_t number = 0;
    JobOrder order;
    State state = State::waiting;
    SweepProgress progress = {};
    std::string error = {};
    std::atomic<bool> stop{false};
  };

  static Json json_of(const Job& job);
  void work();
  void carry_out(Job& job);

  Train train_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Job>> jobs_;  // the oldest first
  std::int64_t next_ = 1;
  bool ended_ = false;
  std::thread thread_;  // the last member: what it uses is there before it
};

}  // namespace fovea
