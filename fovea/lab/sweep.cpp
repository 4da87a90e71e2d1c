// Many runs at once. Workers train; the caller's thread alone writes the store and reports.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "fovea/lab/machine.h"
#include "fovea/lab/reproduce.h"

namespace fovea {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// One run still to be made, and every place of the list that asks for it.
struct Job {
  RunSpec spec;
  std::string hash;
  std::vector<std::size_t> places;
};

struct Ended {
  std::size_t job;
  RunRecord record;
};

std::string label(const std::string& experiment, const RunSpec& spec) {
  return fmt::format("{} seed {}", experiment, spec.seed);
}

// The workers, and what they hand over. Ends its threads when it goes, letting runs in flight stop after their step.
class Crew {
 public:
  Crew(const std::string& experiment, const std::vector<Job>& jobs, int workers)
      : experiment_(experiment), jobs_(jobs), shares_(jobs.size()) {
    for (int i = 0; i < workers; ++i) {
      const std::unique_lock lock(mutex_);
      try {
        threads_.emplace_back([this] { work(); });
      } catch (const std::system_error& error) {
        if (i == 0)
          throw failure(fmt::format("no thread can be started for the runs ({})", error.what()),
                        "end some programs and run again");
        break;  // fewer at a time, then
      }
      ++working_;
    }
  }
  ~Crew() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void stop() { stop_ = true; }

  // The next run that ended, or nothing within `patience`.
  std::optional<Ended> wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    news_.wait_for(lock, patience, [this] { return !ended_.empty() || working_ == 0; });
    if (ended_.empty()) return std::nullopt;
    Ended first = std::move(ended_.front());
    ended_.pop_front();
    return first;
  }

  bool over() {
    const std::lock_guard lock(mutex_);
    return working_ == 0 && ended_.empty();
  }

  // A mistake in what was asked: no run can be right, and none is kept for it.
  std::exception_ptr wrong() {
    const std::lock_guard lock(mutex_);
    return wrong_;
  }

  double work_done() const {  // in runs, those in flight by their share of steps
    double sum = 0;
    for (const std::atomic<double>& share : shares_) sum += share.load(std::memory_order_relaxed);
    return sum;
  }

  std::string now() {
    const std::lock_guard lock(mutex_);
    return now_;
  }

 private:
  void work() {
    for (;;) {
      const std::size_t job = next_.fetch_add(1);
      if (job >= jobs_.size() || stop_) break;
      {
        const std::lock_guard lock(mutex_);
        now_ = label(experiment_, jobs_[job].spec);
      }
      std::optional<RunRecord> record = make(job);
      const std::lock_guard lock(mutex_);
      if (record) ended_.push_back({job, std::move(*record)});
      news_.notify_one();
    }
    const std::lock_guard lock(mutex_);
    --working_;
    news_.notify_one();
  }

  std::optional<RunRecord> make(std::size_t job) {
    std::atomic<double>& share = shares_[job];
    TrainHooks hooks;
    hooks.stop = &stop_;
    hooks.progress = [&share](std::int64_t step, std::int64_t of) {
      if (of > 0) share.store(static_cast<double>(step) / static_cast<double>(of), std::memory_order_relaxed);
    };
    try {
      RunRecord record = train(jobs_[job].spec, hooks);
      record.experiment = experiment_;
      share = 1;
      return record;
    } catch (const Error&) {
      const std::lock_guard lock(mutex_);
      if (!wrong_) wrong_ = std::current_exception();
      stop_ = true;
      return std::nullopt;
    }
  }

  const std::string& experiment_;
  const std::vector<Job>& jobs_;
  std::vector<std::atomic<double>> shares_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<Ended> ended_;
  std::exception_ptr wrong_;
  std::string now_;
  std::size_t working_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace

std::vector<RunRecord> sweep(Store& store, const std::string& experiment, const std::vector<RunSpec>& specs,
                             const SweepOptions& options) {
  const Clock::time_point start = Clock::now();
  std::vector<std::optional<RunRecord>> records(specs.size());
  SweepProgress progress;
  progress.total = std::ssize(specs);

  std::vector<Job> jobs;
  std::unordered_map<std::string, std::size_t> job_of;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    std::string hash = specs[i].hash();
    if (const auto same = job_of.find(hash); same != job_of.end()) {
      jobs[same->second].places.push_back(i);
      continue;
    }
    if (!options.fresh) records[i] = store.find_done(hash);
    if (records[i]) {
      ++progress.reused;
      continue;
    }
    job_of[hash] = jobs.size();
    jobs.push_back({specs[i], std::move(hash), {i}});
  }

  const int wanted = options.jobs > 0 ? options.jobs : core_count();
  const int workers = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(wanted), jobs.size()));
  if (workers > 1)
    for (Job& job : jobs)
      if (const auto threads = job.spec.train.find("threads"); threads != job.spec.train.end())
        threads->second.data = std::int64_t{1};

  const auto report = [&](double work_done, std::string now) {
    if (!options.progress) return;
    progress.seconds = seconds_since(start);
    progress.seconds_left =
        work_done > 0 ? progress.seconds * (static_cast<double>(jobs.size()) - work_done) / work_done : 0;
    progress.now = std::move(now);
    options.progress(progress);
  };
  report(0, {});

  if (!jobs.empty()) {
    Crew crew(experiment, jobs, workers);
    while (!crew.over()) {
      if (options.stop && *options.stop) crew.stop();
      if (auto ended = crew.wait(std::chrono::milliseconds(50))) {
        RunRecord& record = ended->record;
        store.keep(record);  // if it can not be kept, the crew stops and what stands in the way is told
        record.arrays.clear();
        const Job& job = jobs[ended->job];
        if (record.state == RunState::failed) ++progress.failed;
        else if (record.state == RunState::done) ++progress.done;
        progress.reused += std::ssize(job.places) - 1;
        for (const std::size_t place : job.places) records[place] = record;
      }
      report(crew.work_done(), crew.now());
    }
    if (const std::exception_ptr wrong = crew.wrong()) std::rethrow_exception(wrong);
  }

  std::vector<RunRecord> made;
  made.reserve(records.size());
  for (std::optional<RunRecord>& record : records)
    if (record) made.push_back(std::move(*record));
  return made;
}

StagedRuns sweep_stages(Store& store, const Experiment& experiment, Form form, const std::vector<Override>& overrides,
                        const std::vector<Axis>& axes, const SweepOptions& options) {
  const std::size_t stages = experiment.stages_of(form).size() + 1;
  return run_stages(experiment, form, overrides, axes, [&](const std::vector<RunSpec>& specs, std::size_t stage) {
    SweepOptions of_stage = options;
    if (stages > 1 && options.progress)
      of_stage.progress = [&](SweepProgress progress) {
        progress.now = fmt::format("stage {} of {}: {}", stage, stages, progress.now);
        options.progress(progress);
      };
    return sweep(store, experiment.name, specs, of_stage);
  });
}

Reproduction reproduce(Store& store, const Experiment& experiment, Form form, const std::vector<Override>& overrides,
                       const SweepOptions& options) {
  const Clock::time_point start = Clock::now();
  Reproduction result{experiment, form, {}, {}, 0};
  StagedRuns staged = sweep_stages(store, experiment, form, overrides, {}, options);
  result.runs = std::move(staged.runs);
  if (staged.whole) {
    result.claims = check_claims(experiment, form, result.runs, staged.notes);
    if (overrides.empty()) store.keep_claims(result.claims);
  }
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace fovea
