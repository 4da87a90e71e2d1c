// Several that write to one store at a time, and what a kill leaves of what they wrote.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "fovea/lab/store/sqlite_statement.h"
#include "tests/lab/store/store_process.h"

namespace fovea {
namespace {

using namespace testing_parts;

TEST(StoreWriters, WritersInThreadsAndProcessesLoseNothing) {
  const Folder folder;
  constexpr std::uint64_t each = 25;
  const auto write = [&](std::uint64_t first) {
    Store store(folder / "runs.db");
    for (std::uint64_t seed = first; seed < first + each; ++seed) {
      RunRecord run = large_run(seed);
      store.keep(run);
      RunRecord shared = large_run(5000 + seed % each);  // the same runs from everyone
      store.keep(shared);
    }
  };
  std::vector<pid_t> children;
  for (std::uint64_t i = 0; i < 2; ++i) children.push_back(start_process([&, i] { write(100 * i); }));
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 2; i < 4; ++i) threads.emplace_back([&, i] { write(100 * i); });
  }
  for (const pid_t child : children) EXPECT_TRUE(ended_well(child));
  const Store store(folder / "runs.db");
  EXPECT_EQ(store.count(), static_cast<std::int64_t>(5 * each));
  for (const RunRecord& run : store.query({})) expect_whole(store, run.id);
}

TEST(StoreWriters, AKillInTheMiddleOfWritingLosesOnlyWhatWasNotKept) {
  const Folder folder;
  std::int64_t told = 0;
  for (int round = 0; round < 8; ++round) {
    int channel[2];
    ASSERT_EQ(::pipe(channel), 0);
    const pid_t child = start_process([&] {
      Store store(folder / "runs.db");
      for (std::uint64_t seed = 0;; ++seed) {
        RunRecord run = large_run(seed + static_cast<std::uint64_t>(round) * 1'000'000);
        const std::int64_t id = store.keep(run);
        if (::write(channel[1], &id, sizeof id) != sizeof id) return;
      }
    });
    ::close(channel[1]);
    // The child is killed at a moment of its own in each round, after it has kept a few.
    std::vector<std::int64_t> kept;
    std::int64_t id = 0;
    while (kept.size() < 3 && ::read(channel[0], &id, sizeof id) == sizeof id) kept.push_back(id);
    std::this_thread::sleep_for(std::chrono::microseconds(round * 700));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ::waitpid(child, nullptr, 0);
    while (::read(channel[0], &id, sizeof id) == sizeof id) kept.push_back(id);
    ::close(channel[0]);
    told += std::ssize(kept);
    const Store store(folder / "runs.db");
    for (const std::int64_t run : kept) expect_whole(store, run);
    const std::int64_t count = store.count();
    EXPECT_GE(count, told);
    EXPECT_LE(count, told + round + 1);  // one a round may have been kept and not told
    for (const RunRecord& run : store.query({})) expect_whole(store, run.id);
  }
}

// FOVEA_STORE_SECONDS says for how long; every run that was kept is there in the end, and whoever read meanwhile saw
// whole runs only, and never fewer than before.
TEST(StoreWriters, TwoWritersAndAReaderLoseNothing) {
  const Folder folder;
  { const Store store(folder / "runs.db"); }
  const char* const wanted = std::getenv("FOVEA_STORE_SECONDS");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(wanted ? std::atoi(wanted) : 2);
  const auto going_on = [end] { return std::chrono::steady_clock::now() < end; };
  int channel[2];
  ASSERT_EQ(::pipe(channel), 0);
  std::vector<pid_t> children;
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1'000'000}})
    children.push_back(start_process([&, first] {
      Store store(folder / "runs.db");
      std::uint64_t seed = first;
      for (; going_on() || seed == first; ++seed) {
        RunRecord run = large_run(seed);
        store.keep(run);
        if (seed % 5 == 4) {  // writers of other kinds, too
          store.tag(std::vector{run.id}, std::vector<std::string>{"fifth"}, {});
          store.put_in_bin(std::vector{run.id});
          store.restore(std::vector{run.id});
        }
      }
      ASSERT_EQ(::write(channel[1], &seed, sizeof seed), static_cast<ssize_t>(sizeof seed));
    }));
  children.push_back(start_process([&] {
    const Store store(folder / "runs.db", Store::Mode::read_only);
    std::int64_t before = 0;
    for (std::uint64_t look = 0; going_on() || look == 0; ++look) {
      RunQuery query;
      query.columns = {"accuracy"};
      const auto runs = store.query(query);
      const std::int64_t there = std::ssize(runs);
      // One of each writer may just be in the bin.
      EXPECT_GE(there + 2, before);
      before = std::max(before, there);
      if (runs.empty()) continue;
      const std::int64_t id = runs[look * 7919 % runs.size()].id;
      if (store.has(id)) expect_whole(store, id);
    }
  }));
  for (const pid_t child : children) EXPECT_TRUE(ended_well(child));
  std::int64_t kept = 0;
  const Store store(folder / "runs.db");
  for (int i = 0; i < 2; ++i) {
    std::uint64_t last = 0;
    ASSERT_EQ(::read(channel[0], &last, sizeof last), static_cast<ssize_t>(sizeof last));
    const std::uint64_t first = last >= 1'000'000 ? 1'000'000 : 0;
    kept += static_cast<std::int64_t>(last - first);
    for (std::uint64_t seed = first; seed < last; ++seed) {
      const auto run = store.find_done(large_run(seed).hash, false);
      ASSERT_TRUE(run) << seed;
      expect_whole(store, run->id);
    }
  }
  ::close(channel[0]);
  ::close(channel[1]);
  EXPECT_EQ(store.count(), kept);
  EXPECT_EQ(Connection(folder / "runs.db", Connection::Access::read).integer("SELECT count(*) FROM tags"), [&] {
    std::int64_t fifths = 0;
    for (const RunRecord& run : store.query({})) fifths += run.spec.seed % 5 == 4;
    return fifths;
  }());
  std::printf("%lld runs kept by two writers\n", static_cast<long long>(kept));
}

}  // namespace
}  // namespace fovea
