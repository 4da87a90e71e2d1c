// sweep_workers STORE EXPERIMENT [RUNS [WORKERS…]]
//
// How the time of a sweep falls with the number of workers, by simulation. The scheduler is the real one, with a real
// store, real locks and real messages; only the training is not done: a run takes as long as one that STORE holds of
// EXPERIMENT took, drawn at random, and comes back with the record of that one. Time passes in two ways: the
// scheduler's own work takes what it takes of the processor (so what else the machine does is not counted), and where
// it would wait for the next run to end, the clock skips there. Without WORKERS: 10, 100, 1000 and 10 000, and 100 000
// runs.
//
// Printed are the whole time, that of workers who are never idle (the sum of all runs over the workers), how much of
// their time the workers train, and how much of it the scheduler works.
#include <fmt/format.h>
#include <stdlib.h>
#include <time.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <queue>

#include "fovea/base/duration.h"
#include "fovea/base/random.h"
#include "fovea/lab/experiment/sweep_plan.h"
#include "fovea/lab/sweep/rank_messages.h"
#include "fovea/lab/sweep/sweep.h"

namespace fovea {
namespace {

class SkippingClock {
 public:
  double now() const { return worked() + skipped_; }
  double worked() const { return processor_seconds() - start_; }
  void skip_to(double time) { skipped_ += std::max(0.0, time - now()); }

 private:
  static double processor_seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  double start_ = processor_seconds(), skipped_ = 0;
};

class SimulatedCrew : public WorkerPool {
 public:
  SimulatedCrew(int workers, const std::vector<RunRecord>& recorded, SkippingClock& clock, double& trained)
      : free_(workers), workers_(workers), recorded_(recorded), clock_(clock), trained_(trained) {}

  int size() const override { return workers_; }

  void submit(Work work) override {
    waiting_.push_back(std::move(work));
    hand_out();
  }

  std::optional<RunUpdate> wait(std::chrono::milliseconds) override {
    if (ends_.empty()) return std::nullopt;
    clock_.skip_to(ends_.top().time);
    const End end = ends_.top();
    ends_.pop();
    ++free_;
    hand_out();
    RunRecord record = recorded_[end.like];
    record.id = 0;
    record.spec = order_from_message(end.order).spec;
    record.hash = record.spec.hash();
    return update_from_message(to_message(RunUpdate{end.number, Ended{std::move(record)}}));
  }

  void stop() override {}
  std::vector<InTraining> in_training() const override { return {}; }

 private:
  struct End {
    double time = 0;
    std::uint64_t number = 0;
    std::size_t like = 0;  // which of the recorded runs it is like
    std::string order;
    bool operator<(const End& other) const { return time > other.time; }
  };

  void hand_out() {
    for (; free_ > 0 && !waiting_.empty(); --free_) {
      Work work = std::move(waiting_.front());
      waiting_.pop_front();
      const std::size_t like = RandomStream(0, "run time", work.number).integer(recorded_.size());
      const double seconds = recorded_[like].seconds;
      trained_ += seconds;
      ends_.push({clock_.now() + way + seconds, work.number, like,
                  to_message(RankOrder{work.number, work.run.spec(), 1, {}})});
    }
  }

  static constexpr double way = 0.004;  // to a worker and back: each looks for messages every 2 ms

  int free_;
  const int workers_;
  const std::vector<RunRecord>& recorded_;
  SkippingClock& clock_;
  double& trained_;
  std::deque<Work> waiting_;
  std::priority_queue<End> ends_;
};

void simulate(const Experiment& experiment, const std::vector<RunRecord>& recorded, std::int64_t runs, int workers) {
  std::string folder = (std::filesystem::temp_directory_path() / "fovea-workers-XXXXXX").string();
  if (!::mkdtemp(folder.data())) throw failure("no folder could be made for the store", {}, {folder});
  SkippingClock clock;
  double trained = 0;
  {
    const SweepPlan plan(experiment, Preset::quick, {}, {parse_axis(fmt::format("seed=0..{}", runs - 1))});
    Store store(std::filesystem::path(folder) / "runs.db");
    SweepOptions options;
    options.jobs = workers;
    options.progress = [](const SweepProgress&) {};
    options.pool = [&](int, const CheckpointPlan&) {
      return std::make_unique<SimulatedCrew>(workers, recorded, clock, trained);
    };
    const SweepProgress made = sweep(store, experiment.name, plan, options);
    if (made.done != static_cast<std::int64_t>(plan.size())) throw failure("not every run came back");
    const double seconds = clock.now(), ideal = trained / workers;
    fmt::print("{:>7} {:>7} {:>14} {:>14} {:>13.1f} % {:>13.1f} % {:>10.2f} ms\n", workers, plan.size(),
               duration_text(seconds), duration_text(ideal), 100 * ideal / seconds, 100 * clock.worked() / seconds,
               1e3 * clock.worked() / static_cast<double>(plan.size()));
    std::fflush(stdout);
  }
  std::filesystem::remove_all(folder);
}

int run(const std::vector<std::string>& words) {
  if (words.size() < 2) throw wrong_input("a store and an experiment are wanted", "sweep_workers STORE EXPERIMENT");
  const Experiment experiment = find_experiment(words[1]);
  RunQuery query;
  query.experiment = experiment.name;
  query.where = Expression::parse("state = \"done\"", {"sweep_workers"});
  query.with_series = true;
  const std::vector<RunRecord> recorded = Store(words[0], Store::Mode::read_only).query(query);
  if (recorded.empty()) throw wrong_input("the store holds no finished run of it", "make some: fovea sweep");
  double sum = 0, longest = 0;
  for (const RunRecord& one : recorded) {
    sum += one.seconds;
    longest = std::max(longest, one.seconds);
  }
  fmt::print("{} recorded runs of {}: {:.2f} s on average, {:.2f} s at most\n\n", recorded.size(), experiment.name,
             sum / static_cast<double>(recorded.size()), longest);
  fmt::print("workers    runs           time  never idle in  workers train  first is busy    for a run\n");
  const std::int64_t runs = words.size() > 2 ? std::atoll(words[2].c_str()) : 100'000;
  std::vector<int> workers{10, 100, 1000, 10'000};
  if (words.size() > 3) workers.clear();
  for (std::size_t i = 3; i < words.size(); ++i) workers.push_back(std::atoi(words[i].c_str()));
  for (const int count : workers) simulate(experiment, recorded, runs, count);
  return 0;
}

}  // namespace
}  // namespace fovea

int main(int argc, char** argv) try { return fovea::run({argv + 1, argv + argc}); } catch (const fovea::Error& error) {
  fmt::print(stderr, "sweep_workers: {}\n", error.what());
  return error.exit_code();
}
