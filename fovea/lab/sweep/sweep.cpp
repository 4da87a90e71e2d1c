#include "fovea/lab/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "fovea/base/duration.h"
#include "fovea/base/version.h"
#include "fovea/lab/record/machine.h"
#include "fovea/lab/store/run_lock.h"
#include "fovea/lab/store/vocabulary_cache.h"
#include "fovea/lab/sweep/find_transplants.h"
#include "fovea/lab/train/checkpoint.h"
#include "fovea/math/tile_unit.h"

namespace fovea {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr std::chrono::milliseconds patience(50), look_elsewhere_every(500);
constexpr int few = 64;            // workers
constexpr double short_run = 0.1;  // seconds

// A run that a pool has, and every place of the list that asks for it.
struct Flight {
  std::string hash;
  std::string label;
  std::vector<std::size_t> places;
  RunLock lock;
};

class Scheduler {
 public:
  Scheduler(Store& store, const std::string& experiment, const RunList& list, const SweepOptions& options)
      : store_(store), experiment_(experiment), list_(list), options_(options) {
    progress_.total = std::ssize(list);
    tidy();
  }

  SweepProgress run(WorkerPool& pool, bool one_thread_each) {
    one_thread_each_ = one_thread_each;
    report(pool);
    while (true) {
      if (options_.stop && *options_.stop && !std::exchange(stopping_, true)) pool.stop();
      while (!stopping_ && std::ssize(flights_) < most_in_flight(pool) && give_next(pool)) {
      }
      if (flights_.empty() && (stopping_ || nothing_left())) break;
      auto news = pool.wait(patience);
      if (news) hear(*news);
      // What is in training is listed anew each time: of thousands that would be most of the work.
      if ((news && pool.size() <= few) || Clock::now() - reported_ >= patience) report(pool);
    }
    report(pool);
    return progress_;
  }

 private:
  std::filesystem::path checkpoints() const { return store_.checkpoint_folder(); }
  // A run that is given is locked, so that no other process begins it. Where runs are so short that waiting for the
  // next one would show, some are given before anybody asks for them.
  std::ptrdiff_t most_in_flight(const WorkerPool& pool) const {
    const bool short_ones = trained_ > 0 && trained_seconds_ < trained_ * short_run;
    return pool.size() + (short_ones ? std::min(pool.size(), few) : 0);
  }
  bool nothing_left() const { return next_ == list_.size() && elsewhere_.empty(); }

  // Checkpoints and locks whose run was kept, where a kill came between.
  void tidy() {
    const auto finished = [this](const std::string& hash) {
      return store_.find_done(hash, false) && !store_.find_undone(hash);
    };
    const auto in_training = [this](const std::string& hash) { return RunLock::held(store_.running_folder(), hash); };
    for (const std::string& hash : runs_with_checkpoints(checkpoints(), in_training))
      if (!in_training(hash) && finished(hash)) Checkpoints(checkpoints(), hash).remove();
    for (const std::string& hash : RunLock::left(store_.running_folder()))
      if (finished(hash)) RunLock::take(store_.running_folder(), hash);  // and lets go of it, file and all
  }

  // Goes on to the next run, and gives it to the pool if it is to be trained. False if there is none to look at now.
  bool give_next(WorkerPool& pool) {
    if (next_ < list_.size()) {
      consider(next_++, pool);
      return true;
    }
    if (elsewhere_.empty() || Clock::now() - looked_elsewhere_ < look_elsewhere_every) return false;
    looked_elsewhere_ = Clock::now();
    std::deque<std::size_t> waited_for;
    std::swap(waited_for, elsewhere_);
    progress_.elsewhere = 0;
    for (const std::size_t place : waited_for) {
      if (std::ssize(flights_) < most_in_flight(pool)) consider(place, pool);
      else put_off(place);
    }
    return true;
  }

  void consider(std::size_t place, WorkerPool& pool) {
    RunSpec spec = list_.at(place);
    find_transplants(spec, store_);
    std::string hash = spec.hash();
    if (const auto same = in_flight_.find(hash); same != in_flight_.end()) {
      flights_.at(same->second).places.push_back(place);
      return;
    }
    if (known(place, hash)) return;
    std::optional<RunLock> lock = RunLock::take(store_.running_folder(), hash);
    if (!lock) {
      if (!options_.wait)
        throw failure(fmt::format("this run is being trained by {}", RunLock::holder(store_.running_folder(), hash)),
                      "wait for it, or end it: what it has done until then can be gone on with");
      put_off(place);
      return;
    }
    if (known(place, hash)) return;  // whoever had the lock may have finished it just before
    const std::string label = list_.label(place);
    if (options_.forget) Checkpoints(checkpoints(), hash).remove();
    if (lock->after_a_kill() && Checkpoints(checkpoints(), hash).files().empty())
      notice(label, "its process was killed before a checkpoint was due: it begins anew");
    tell_of_emulation(label, spec);
    if (one_thread_each_)
      if (const auto threads = spec.train.find("threads"); threads != spec.train.end())
        threads->second.data = std::int64_t{1};
    keep_words(spec, label);
    in_flight_[hash] = place;
    flights_.emplace(place, Flight{std::move(hash), label, {place}, std::move(*lock)});
    pool.give({place, std::move(spec)});
  }

  // A run without them is as good, while its corpus is there.
  void keep_words(const RunSpec& spec, const std::string& label) const {
    try {
      vocabulary_cache(store_).keep(spec);
    } catch (const Error& error) {
      notice(label, fmt::format("its words could not be kept: {}", said(error)));
    }
  }

  void land(std::uint64_t number) {
    in_flight_.erase(flights_.at(number).hash);
    flights_.erase(number);  // and lets go of its lock
  }

  void put_off(std::size_t place) {
    elsewhere_.push_back(place);
    progress_.elsewhere = std::ssize(elsewhere_);
  }

  // Whether the run need not be trained, and then what there is of it is handed on.
  bool known(std::size_t place, const std::string& hash) {
    const bool ours = made_.contains(hash);
    if (ours || !options_.again) {
      if (auto run = store_.find_done(hash, static_cast<bool>(options_.take))) {
        ++progress_.reused;
        if (!ours && run->version != version()) ++progress_.of_versions[run->version];
        hand_on(place, std::move(*run));
        return true;
      }
    }
    auto run = store_.find_undone(hash);
    if (!run || run->state != RunState::failed) return false;
    const bool retried = options_.again || options_.retry_failed || run->version != version();
    if (!ours && retried) return false;
    ++progress_.failed;
    hand_on(place, std::move(*run));
    return true;
  }

  void hand_on(std::size_t place, RunRecord run) {
    if (options_.take) options_.take(place, std::move(run));
  }

  void hear(News& news) {
    Flight& flight = flights_.at(news.number);
    if (auto* ended = std::get_if<Ended>(&news.what)) {
      const bool begun = ended->record.state != RunState::stopped || ended->record.steps > 0;
      if (begun) keep(flight, ended->record);
      land(news.number);
    } else if (auto* refused = std::get_if<Refused>(&news.what)) {
      refuse(flight, refused->error);
      land(news.number);
    } else if (std::holds_alternative<NotBegun>(news.what)) {
      land(news.number);
    } else if (auto* saved = std::get_if<Saved>(&news.what)) {
      saved->record.experiment = experiment_;
      try {
        store_.keep(saved->record);  // so that it can be seen, and found after a kill
      } catch (const Error& error) {
        notice(flight.label, said(error));
      }
    } else if (auto* resumed = std::get_if<Resumed>(&news.what)) {
      const Resumption& from = resumed->from;
      notice(flight.label, fmt::format("going on from step {} of {}, {} {} ago", from.step, from.of,
                                       from.interrupted ? "where it was stopped" : "saved",
                                       duration_text(std::max(0.0, from.seconds_ago))));
    } else if (auto* trouble = std::get_if<Trouble>(&news.what)) {
      notice(flight.label, trouble->text);
    }
  }

  // Many runs may be refused for one reason, which is said of the first.
  void refuse(const Flight& flight, const Error& error) {
    progress_.refused += std::ssize(flight.places);
    if (list_.size() > 1 && refusals_.insert(error.problem().text()).second) notice(flight.label, said(error));
    if (!progress_.refusal) progress_.refusal = error;
  }

  void keep(Flight& flight, RunRecord& record) {
    record.experiment = experiment_;
    try {
      store_.keep(record);
    } catch (const WeightsNotKept& error) {
      notice(flight.label, said(error));
    }
    if (record.state != RunState::stopped) Checkpoints(checkpoints(), flight.hash).remove();
    record.arrays.clear();
    made_.insert(flight.hash);
    std::int64_t& count = record.state == RunState::done     ? progress_.done
                          : record.state == RunState::failed ? progress_.failed
                                                             : progress_.stopped;
    ++count;
    progress_.reused += std::ssize(flight.places) - 1;
    trained_ += 1;
    trained_seconds_ += record.seconds;
    for (const std::size_t place : flight.places) hand_on(place, record);
  }

  std::string said(const Error& error) const { return options_.wording->paragraph(error); }

  void notice(const std::string& label, const std::string& text) const {
    if (options_.notice) options_.notice(fmt::format("{}, {}: {}", experiment_, label, text));
  }

  void tell_of_emulation(const std::string& label, const RunSpec& spec) {
    const auto precision = spec.train.find("precision");
    if (precision == spec.train.end() || precision->second != Value{std::string("bf16x3"), {}}) return;
    if (bf16x3::tile_choice().unit != bf16x3::TileUnit::software || std::exchange(told_of_emulation_, true)) return;
    notice(label,
           fmt::format("products in three-term bfloat16 are emulated on this processor, slowly: {}", tile_unit_line()));
  }

  void report(const WorkerPool& pool) {
    reported_ = Clock::now();
    if (!options_.progress) return;
    double work = trained_;  // in runs, those in training by their share of steps
    progress_.in_training.clear();
    for (const InTraining& run : pool.in_training()) {
      const auto flight = flights_.find(run.number);
      if (flight == flights_.end()) continue;  // its end is not yet heard of
      progress_.in_training.push_back({flight->second.label, run.step, run.of});
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
  bool one_thread_each_ = false, stopping_ = false, told_of_emulation_ = false;
  std::size_t next_ = 0;
  std::deque<std::size_t> elsewhere_;
  Clock::time_point looked_elsewhere_ = start_, reported_ = start_;
  std::unordered_map<std::uint64_t, Flight> flights_;         // by the place that asked first
  std::unordered_map<std::string, std::uint64_t> in_flight_;  // which of them has this hash
  std::unordered_set<std::string> made_;                      // hashes of what this sweep trained
  std::unordered_set<std::string> refusals_;
  double trained_ = 0, trained_seconds_ = 0;
  SweepProgress progress_;
};

class ListAtHand : public RunList {
 public:
  explicit ListAtHand(const std::vector<RunSpec>& specs) : specs_(specs) {}
  std::size_t size() const override { return specs_.size(); }
  RunSpec at(std::size_t place) const override { return specs_[place]; }
  std::string label(std::size_t place) const override { return fmt::format("seed {}", specs_[place].seed); }

 private:
  const std::vector<RunSpec>& specs_;
};

}  // namespace

SweepProgress sweep(Store& store, const std::string& experiment, const RunList& list, const SweepOptions& options) {
  const std::size_t wanted = static_cast<std::size_t>(options.jobs > 0 ? options.jobs : core_count());
  const int jobs = static_cast<int>(std::max<std::size_t>(1, std::min(wanted, list.size())));
  const CheckpointPlan checkpoints{store.checkpoint_folder(), options.checkpoint_every, options.forget,
                                   store.weight_files().folder()};
  Scheduler scheduler(store, experiment, list, options);
  const auto watched = [watcher = options.watcher](const RunSpec& spec, const TrainHooks& hooks) {
    TrainHooks theirs = hooks;
    theirs.watcher = watcher;
    return train(spec, theirs);
  };
  const auto pool = options.pool ? options.pool(jobs, checkpoints) : thread_pool(jobs, checkpoints, watched);
  return scheduler.run(*pool, pool->size() > 1);
}

std::vector<RunRecord> sweep(Store& store, const std::string& experiment, const std::vector<RunSpec>& specs,
                             SweepOptions options) {
  std::vector<std::optional<RunRecord>> records(specs.size());
  options.take = [&records](std::size_t place, RunRecord record) { records[place] = std::move(record); };
  const SweepProgress last = sweep(store, experiment, ListAtHand(specs), options);
  if (last.refusal) throw Error(*last.refusal);
  std::vector<RunRecord> reached;
  reached.reserve(records.size());
  for (std::optional<RunRecord>& record : records)
    if (record) reached.push_back(std::move(*record));
  return reached;
}

}  // namespace fovea
