#include "fovea/lab/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "fovea/base/duration.h"
#include "fovea/base/version.h"
#include "fovea/lab/record/machine.h"
#include "fovea/lab/store/run_lock.h"
#include "fovea/lab/store/vocabulary_cache.h"
#include "fovea/lab/sweep/find_source_runs.h"
#include "fovea/lab/train/checkpoint.h"
#include "fovea/math/tile_unit.h"

namespace fovea {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds patience(50), commit_every(100), check_elsewhere_every(500);
constexpr double most_waiting = 64;  // runs that are submitted before a worker is free
constexpr double short_run = 0.1;    // seconds
constexpr int most_named = 4;        // runs that start at step 0 after a kill

// A run that the pool trains or has trained, and every index of the list that has the same hash.
struct ActiveRun {
  std::string hash;
  std::string label;
  std::vector<std::size_t> indices;
  RunLock lock;
};

class Scheduler {
 public:
  Scheduler(Store& store, const std::string& experiment, const RunList& list, const SweepOptions& options)
      : store_(store), experiment_(experiment), list_(list), options_(options) {
    progress_.total = std::ssize(list);
    remove_leftovers();
  }

  SweepProgress run(WorkerPool& pool, bool one_thread_each) {
    one_thread_each_ = one_thread_each;
    report(pool);
    try {
      train_all(pool);
    } catch (...) {
      keep_what_ended();
      throw;
    }
    report(pool);
    return progress_;
  }

 private:
  void train_all(WorkerPool& pool) {
    while (true) {
      if (options_.stop && *options_.stop && !std::exchange(stopping_, true)) pool.stop();
      while (!stopping_ && !commit_is_due() && in_pool() < most_in_pool(pool) && start_next(pool)) {
      }
      if (Clock::now() - committed_ >= 3 * commit_every) spare_locks_.clear();  // runs are no longer short
      const bool over = in_pool() == 0 && (stopping_ || nothing_left());
      const bool committed = commit_is_due() || (over && !ended_.empty());
      if (committed) commit();
      else if (over) break;
      else if (auto update = pool.wait(patience)) handle(*update);
      if (committed || Clock::now() - reported_ >= patience) report(pool);
    }
  }

  // Of a sweep that goes wrong, such as on a full disk. Its own error is the one to report.
  void keep_what_ended() {
    spare_locks_.clear();
    try {
      if (!ended_.empty()) commit();
    } catch (const Error&) {
    }
  }

  std::filesystem::path checkpoints() const { return store_.checkpoint_folder(); }
  std::ptrdiff_t in_pool() const { return std::ssize(active_runs_) - std::ssize(ended_); }
  // A submitted run is locked, so that no other process starts it. If runs are short, some are submitted before a
  // worker is free, enough for `short_run`: waiting for the next one would cost time.
  std::ptrdiff_t most_in_pool(const WorkerPool& pool) const {
    const bool short_ones = trained_seconds_ < trained_ * short_run;
    const double waiting = short_ones ? pool.size() * short_run * trained_ / trained_seconds_ : 0;
    return pool.size() + static_cast<std::ptrdiff_t>(std::min(most_waiting, waiting));
  }
  bool commit_is_due() const { return !ended_.empty() && Clock::now() - committed_ >= commit_every; }
  bool nothing_left() const { return next_ == list_.size() && elsewhere_.empty(); }

  // Removes checkpoints and locks of kept runs, which a kill may leave.
  void remove_leftovers() {
    const auto finished = [this](const std::string& hash) {
      return store_.find_done(hash, false) && !store_.find_undone(hash);
    };
    const auto in_training = [this](const std::string& hash) { return RunLock::held(store_.running_folder(), hash); };
    for (const std::string& hash : runs_with_checkpoints(checkpoints(), in_training))
      if (!in_training(hash) && finished(hash)) Checkpoints(checkpoints(), hash).remove();
    for (const std::string& hash : RunLock::left(store_.running_folder()))
      if (finished(hash)) RunLock::take(store_.running_folder(), hash);  // releases the lock again and removes its file
  }

  // Takes the next run of the list, and submits it if it must be trained. Returns false if there is none now.
  bool start_next(WorkerPool& pool) {
    if (next_ < list_.size()) {
      start_or_skip(next_++, pool);
      return true;
    }
    if (elsewhere_.empty() || Clock::now() - checked_elsewhere_ < check_elsewhere_every) return false;
    checked_elsewhere_ = Clock::now();
    std::deque<std::size_t> postponed;
    std::swap(postponed, elsewhere_);
    progress_.elsewhere = 0;
    for (const std::size_t index : postponed) {
      if (in_pool() < most_in_pool(pool)) start_or_skip(index, pool);
      else postpone(index);
    }
    return true;
  }

  void start_or_skip(std::size_t index, WorkerPool& pool) {
    ResolvedRun run = list_.at(index);
    find_source_runs(run, store_);
    std::string hash = run.spec().hash();
    if (const auto same = active_by_hash_.find(hash); same != active_by_hash_.end()) {
      active_runs_.at(same->second).indices.push_back(index);
      return;
    }
    const std::string label = list_.label(index);
    if (already_trained(index, hash, label)) return;
    std::optional<RunLock> lock = take_lock(hash);
    if (!lock) {
      if (!options_.wait)
        throw failure(fmt::format("this run is being trained by {}", RunLock::holder(store_.running_folder(), hash)),
                      "wait for it, or stop it and continue the run");
      postpone(index);
      return;
    }
    if (already_trained(index, hash, label)) return;  // whoever had the lock may have finished it just before
    if (options_.ignore_checkpoints) Checkpoints(checkpoints(), hash).remove();
    if (lock->after_a_kill() && Checkpoints(checkpoints(), hash).files().empty() && restarted_++ < most_named)
      notice(label, fmt::format("its process was killed before the first checkpoint: it starts at step 0{}",
                                restarted_ < most_named ? "" : ". Further runs of killed processes are not named"));
    warn_of_emulation(label, run.spec());
    if (one_thread_each_) run.use_one_thread();
    keep_words(run.spec(), label);
    active_by_hash_[hash] = index;
    active_runs_.emplace(index, ActiveRun{std::move(hash), label, {index}, std::move(*lock)});
    pool.submit({index, std::move(run)});
  }

  // The lock of a run that is done is taken along to the next one: to make and remove a file for each of many short
  // runs would cost more than their training.
  std::optional<RunLock> take_lock(const std::string& hash) {
    if (!spare_locks_.empty()) {
      RunLock spare = std::move(spare_locks_.back());
      spare_locks_.pop_back();
      if (spare.move_to(hash)) return spare;
    }
    return RunLock::take(store_.running_folder(), hash);
  }

  // A run without its vocabulary is still complete as long as its corpus exists.
  void keep_words(const RunSpec& spec, const std::string& label) const {
    try {
      vocabulary_cache(store_).keep(spec);
    } catch (const Error& error) {
      notice(label, fmt::format("its vocabulary could not be stored: {}", worded(error)));
    }
  }

  void release(std::uint64_t number) {
    active_by_hash_.erase(active_runs_.at(number).hash);
    active_runs_.erase(number);  // releases its lock
  }

  void postpone(std::size_t index) {
    elsewhere_.push_back(index);
    progress_.elsewhere = std::ssize(elsewhere_);
  }

  // Returns whether the run need not be trained; if so, delivers its record.
  bool already_trained(std::size_t index, const std::string& hash, const std::string& label) {
    const bool ours = trained_hashes_.contains(hash);
    if (ours || !options_.retrain) {
      if (auto run = store_.find_done(hash, static_cast<bool>(options_.on_record))) {
        if (run->arithmetic != arithmetic_revision) {
          tell_of_arithmetic(label, run->arithmetic);
          return false;
        }
        ++progress_.reused;
        if (!ours && run->version != version()) ++progress_.of_versions[run->version];
        deliver(index, std::move(*run));
        return true;
      }
    }
    auto run = store_.find_undone(hash);
    if (!run || run->state != RunState::failed) return false;
    const bool retried = options_.retrain || options_.retry_failed || run->version != version() ||
                         run->arithmetic != arithmetic_revision;
    if (!ours && retried) return false;
    ++progress_.failed;
    deliver(index, std::move(*run));
    return true;
  }

  // Said once in a sweep.
  void tell_of_arithmetic(const std::string& label, int found) {
    if (std::exchange(told_of_arithmetic_, true)) return;
    notice(label, fmt::format(
                      "the stored run is of arithmetic revision {}, and this program has revision {}. Runs of an older "
                      "revision are trained again, since their last digits differ.",
                      found, arithmetic_revision));
  }

  void deliver(std::size_t index, RunRecord run) {
    if (run.state == RunState::failed && progress_.failures.size() < 5)
      progress_.failures.push_back(fmt::format("{} failed: {}", list_.label(index), run.error));
    if (options_.on_record) options_.on_record(index, std::move(run));
  }

  void handle(RunUpdate& update) {
    ActiveRun& active = active_runs_.at(update.number);
    if (auto* ended = std::get_if<Ended>(&update.what)) {
      const bool begun = ended->record.state != RunState::stopped || ended->record.steps > 0;
      if (!begun) {
        release(update.number);
        return;
      }
      ended->record.experiment = experiment_;
      trained_ += 1;
      trained_seconds_ += ended->record.seconds;
      ended_.push_back(std::move(ended->record));
      ended_numbers_.push_back(update.number);
    } else if (auto* refused = std::get_if<Refused>(&update.what)) {
      refuse(active, refused->error);
      release(update.number);
    } else if (std::holds_alternative<NotBegun>(update.what)) {
      release(update.number);
    } else if (auto* saved = std::get_if<Saved>(&update.what)) {
      saved->record.experiment = experiment_;
      try {
        store_.keep(saved->record);  // so that it can be seen, and found after a kill
      } catch (const Error& error) {
        notice(active.label, worded(error));
      }
    } else if (auto* resumed = std::get_if<Resumed>(&update.what)) {
      const Resumption& from = resumed->from;
      notice(active.label,
             fmt::format("continues from step {} of {}, {} {} ago", from.step, from.of,
                         from.interrupted ? "stopped" : "saved", duration_text(std::max(0.0, from.seconds_ago))));
    } else if (auto* trouble = std::get_if<Trouble>(&update.what)) {
      notice(active.label, trouble->text);
    }
  }

  // Many runs may be refused for one reason. The notice names the first.
  void refuse(const ActiveRun& active, const Error& error) {
    progress_.refused += std::ssize(active.indices);
    if (list_.size() > 1 && refusals_.insert(error.problem().text()).second) notice(active.label, worded(error));
    if (!progress_.refusal) progress_.refusal = error;
  }

  void keep_ended(std::size_t first, std::size_t count) {
    for (const auto& [index, error] : store_.keep(std::span(ended_).subspan(first, count)))
      notice(active_runs_.at(ended_numbers_[first + index]).label, worded(error));
  }

  // Keeps the runs that ended since the last commit. If the disk has no room for all of them, it keeps one by one.
  void commit() {
    try {
      keep_ended(0, ended_.size());
    } catch (const Error&) {
      if (ended_.size() == 1) throw;
      for (std::size_t i = 0; i < ended_.size(); ++i) keep_ended(i, 1);
    }
    for (std::size_t i = 0; i < ended_.size(); ++i) deliver_ended(ended_numbers_[i], ended_[i]);
    ended_.clear();
    ended_numbers_.clear();
    committed_ = Clock::now();
  }

  void deliver_ended(std::uint64_t number, RunRecord& record) {
    ActiveRun& active = active_runs_.at(number);
    if (record.state != RunState::stopped) Checkpoints(checkpoints(), active.hash).remove();
    record.arrays.clear();
    trained_hashes_.insert(active.hash);
    std::int64_t& count = record.state == RunState::done     ? progress_.done
                          : record.state == RunState::failed ? progress_.failed
                                                             : progress_.stopped;
    ++count;
    progress_.reused += std::ssize(active.indices) - 1;
    for (const std::size_t index : active.indices) deliver(index, record);
    if (record.state == RunState::done) spare_locks_.push_back(std::move(active.lock));
    release(number);
  }

  std::string worded(const Error& error) const { return options_.wording->paragraph(error); }

  void notice(const std::string& label, const std::string& text) const {
    if (options_.notice) options_.notice(fmt::format("{}, {}: {}", experiment_, label, text));
  }

  void warn_of_emulation(const std::string& label, const RunSpec& spec) {
    const auto precision = spec.train.find("precision");
    if (precision == spec.train.end() || precision->second != Value{std::string("bf16x3"), {}}) return;
    if (bf16x3::tile_choice().unit != bf16x3::TileUnit::software || std::exchange(warned_of_emulation_, true)) return;
    notice(label,
           fmt::format("products in three-term bfloat16 are emulated on this processor, slowly: {}", tile_unit_line()));
  }

  void report(const WorkerPool& pool) {
    reported_ = Clock::now();
    if (!options_.progress) return;
    double work = trained_;  // in runs, those in training by their share of steps
    progress_.in_training.clear();
    for (const InTraining& run : pool.in_training()) {
      const auto active = active_runs_.find(run.number);
      if (active == active_runs_.end()) continue;  // its end is not yet heard of
      progress_.in_training.push_back({active->second.label, run.step, run.of});
      if (run.of > 0) work += static_cast<double>(run.step) / static_cast<double>(run.of);
    }
    progress_.seconds = seconds_since(start_);
    const double to_train = trained_ + static_cast<double>(progress_.left());
    progress_.seconds_left = work > 0 ? progress_.seconds * (to_train - work) / work : 0;
    options_.progress(progress_);
  }

  Store& store_;
  const std::string& experiment_;
  const RunList& list_;
  const SweepOptions& options_;
  const Clock::time_point start_ = Clock::now();
  bool one_thread_each_ = false, stopping_ = false, warned_of_emulation_ = false, told_of_arithmetic_ = false;
  std::size_t next_ = 0;
  std::deque<std::size_t> elsewhere_;
  Clock::time_point checked_elsewhere_ = start_, reported_ = start_;
  std::unordered_map<std::uint64_t, ActiveRun> active_runs_;       // by the index that asked first
  std::unordered_map<std::string, std::uint64_t> active_by_hash_;  // which of them has this hash
  std::unordered_set<std::string> trained_hashes_;                 // hashes of what this sweep trained
  std::unordered_set<std::string> refusals_;
  int restarted_ = 0;
  std::vector<RunRecord> ended_;              // not committed yet
  std::vector<std::uint64_t> ended_numbers_;  // of each
  Clock::time_point committed_;
  std::vector<RunLock> spare_locks_;
  double trained_ = 0, trained_seconds_ = 0;
  SweepProgress progress_;
};

}  // namespace

SweepProgress sweep(Store& store, const std::string& experiment, const RunList& list, const SweepOptions& options) {
  const std::size_t wanted = static_cast<std::size_t>(options.jobs > 0 ? options.jobs : core_count());
  const int jobs = static_cast<int>(std::max<std::size_t>(1, std::min(wanted, list.size())));
  const CheckpointPlan checkpoints{store.checkpoint_folder(), options.checkpoint_every, options.ignore_checkpoints,
                                   store.weight_files().folder()};
  Scheduler scheduler(store, experiment, list, options);
  const auto watched = [watcher = options.watcher, engine = options.engine](ResolvedRun run, const TrainHooks& hooks) {
    TrainHooks theirs = hooks;
    theirs.watcher = watcher;
    theirs.engine = engine;
    return train(std::move(run), theirs);
  };
  const auto pool = options.pool ? options.pool(jobs, checkpoints) : thread_pool(jobs, checkpoints, watched);
  return scheduler.run(*pool, pool->size() > 1);
}

std::vector<RunRecord> sweep(Store& store, const std::string& experiment, std::vector<ResolvedRun> runs,
                             SweepOptions options) {
  std::vector<std::optional<RunRecord>> records(runs.size());
  options.on_record = [&records](std::size_t index, RunRecord record) { records[index] = std::move(record); };
  const SweepProgress last = sweep(store, experiment, ResolvedRuns(runs), options);
  if (last.refusal) throw Error(*last.refusal);
  std::vector<RunRecord> reached;
  for (std::optional<RunRecord>& record : records)
    if (record) reached.push_back(std::move(*record));
  return reached;
}

std::optional<RunRecord> sweep_one(Store& store, const std::string& experiment, ResolvedRun run, SweepOptions options) {
  std::vector<ResolvedRun> runs;
  runs.push_back(std::move(run));
  std::vector<RunRecord> reached = sweep(store, experiment, std::move(runs), std::move(options));
  if (reached.empty()) return std::nullopt;
  return std::move(reached.front());
}

}  // namespace fovea
