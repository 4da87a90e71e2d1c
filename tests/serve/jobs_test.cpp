#include "fovea/serve/jobs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "fovea/base/error/error.h"
#include "tests/lab/store/store_sample.h"

namespace fovea {
namespace {

using namespace std::chrono_literals;

// Until a job is in `state`, or five minutes are over.
Json wait_for(const Jobs& jobs, std::int64_t number, const std::string& state) {
  Json found;
  for (int i = 0; i < 30'000; ++i) {
    const Json list = jobs.list();
    for (const Json& job : list["jobs"])
      if (job["job"] == number) found = job;
    if (found["state"] == state) break;
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_EQ(found["state"], state) << found.dump();
  return found;
}

TEST(JobOrder, IsReadAndChecked) {
  const JobOrder order = JobOrder::parse(
      R"({"experiment": "copy-subset", "set": ["task.vocab=50,60", "train.steps=20"], "seeds": "0..2", "form": "quick"})");
  EXPECT_EQ(order.experiment, "copy-subset");
  EXPECT_EQ(order.preset, Preset::quick);
  EXPECT_EQ(order.overrides.size(), 1u);
  EXPECT_EQ(order.axes.size(), 2u);
  for (const char* wrong :
       {"", "[]", "{", "3", "{}", R"({"experiment": 3})", R"({"experiment": "nothing"})",
        R"({"experiment": "../toy-uniform"})", R"({"experiment": "toy-uniform", "sets": []})",
        R"({"experiment": "toy-uniform", "set": "a=1"})", R"({"experiment": "toy-uniform", "set": [1]})",
        R"({"experiment": "toy-uniform", "set": ["train.nothing=1"]})",
        R"({"experiment": "toy-uniform", "set": ["x"]})", R"({"experiment": "toy-uniform", "form": "slow"})",
        R"({"experiment": "toy-uniform", "seeds": "x"})", R"({"experiment": "toy-uniform", "seeds": "0..100000"})"})
    EXPECT_THROW(JobOrder::parse(wrong), Error) << wrong;
}

TEST(Jobs, ThreadsTrainWhatIsOrderedAndKeepIt) {
  const testing_parts::Folder folder;
  Jobs jobs(folder / "runs.db");
  const JobOrder order = JobOrder::parse(R"({"experiment": "toy-uniform", "form": "quick", "seeds": "0..3"})");
  EXPECT_EQ(jobs.start(order)["job"], 1);
  EXPECT_EQ(wait_for(jobs, 1, "done")["done"], 4);
  EXPECT_EQ(Store(folder / "runs.db", Store::Mode::read_only).count(), 4);
  jobs.start(order);  // again: nothing is missing
  EXPECT_EQ(wait_for(jobs, 2, "done")["found"], 4);
  EXPECT_EQ(Store(folder / "runs.db", Store::Mode::read_only).count(), 4);
}

TEST(Jobs, ThreadsStopWhatIsStopped) {
  const testing_parts::Folder folder;
  Jobs jobs(folder / "runs.db");
  // So slow that its parameters do not outgrow all numbers before it is stopped.
  jobs.start(JobOrder::parse(
      R"({"experiment": "toy-uniform", "set": ["train.steps=2000000000", "probe.every=1000000000", "train.rate=1e-9"]})"));
  jobs.start(JobOrder::parse(R"({"experiment": "toy-mistaken"})"));
  wait_for(jobs, 1, "running");
  EXPECT_TRUE(jobs.stop(2));  // one that waits
  EXPECT_TRUE(jobs.stop(1));
  EXPECT_EQ(wait_for(jobs, 1, "stopped")["done"], 0);
  wait_for(jobs, 2, "stopped");
  EXPECT_FALSE(jobs.stop(3));
  EXPECT_TRUE(jobs.stop(1));  // again: as it is
}

TEST(Jobs, ThreadsEndWithTheServer) {
  std::atomic<bool> begun{false};
  {
    Jobs jobs([&](const JobOrder&, const SweepOptions& options) {
      begun = true;
      while (!*options.stop) std::this_thread::sleep_for(1ms);
      SweepProgress stopped;
      stopped.total = stopped.stopped = 1;
      return stopped;
    });
    jobs.start(JobOrder::parse(R"({"experiment": "toy-uniform"})"));
    while (!begun) std::this_thread::sleep_for(1ms);
    for (int i = 0; i < 16; ++i) jobs.start(JobOrder::parse(R"({"experiment": "toy-uniform"})"));
    EXPECT_THROW(jobs.start(JobOrder::parse(R"({"experiment": "toy-uniform"})")), Error);
  }
  EXPECT_TRUE(begun);
}

TEST(Jobs, ThreadsTellWhatWentWrong) {
  Jobs jobs([](const JobOrder&, const SweepOptions&) -> SweepProgress { throw failure("no space is left"); });
  jobs.start(JobOrder::parse(R"({"experiment": "toy-uniform"})"));
  EXPECT_NE(wait_for(jobs, 1, "failed")["error"].get<std::string>().find("no space"), std::string::npos);
}

TEST(Jobs, ThreadsTellWhatWasRefused) {
  Jobs jobs([](const JobOrder&, const SweepOptions&) {
    SweepProgress reached;
    reached.total = reached.refused = 1;
    reached.refusal = wrong_input("there is no such folder");
    return reached;
  });
  jobs.start(JobOrder::parse(R"({"experiment": "toy-uniform"})"));
  EXPECT_NE(wait_for(jobs, 1, "failed")["error"].get<std::string>().find("no such folder"), std::string::npos);
}

}  // namespace
}  // namespace fovea
