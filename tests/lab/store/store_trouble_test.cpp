// What may befall the store: full disks, files that cannot be written, damage, kills, company.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "fovea/base/file.h"
#include "fovea/lab/store/schema.h"
#include "tests/lab/store/store_sample.h"

namespace fovea {
namespace {

using namespace testing_parts;

std::string failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::failure);
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    EXPECT_TRUE(error.place().known()) << error.what();
    return error.what();
  }
  return "nothing went wrong";
}

testing::AssertionResult has(const std::string& message, const std::string& part) {
  if (message.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << message << "' lacks '" << part << "'";
}

RunRecord large_run(std::uint64_t seed) {
  RunRecord run = sample_run(seed);
  std::vector<float> values(20'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0f / static_cast<float>(i + seed + 3);
  run.arrays.push_back({"image", 0, {static_cast<Index>(values.size())}, std::move(values)});
  return run;
}

void expect_whole(const Store& store, std::int64_t id) {
  const auto run = store.find(id, true);
  ASSERT_TRUE(run) << id;
  const RunRecord wanted = large_run(run->spec.seed);
  EXPECT_EQ(run->series, wanted.series);
  ASSERT_EQ(run->arrays.size(), 1u);
  EXPECT_EQ(run->arrays[0].values, wanted.arrays[0].values);
}

// Does the work in a process of its own, so that it may change who it is or be killed; true if it ended with 0.
pid_t start_process(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    work();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    ::_exit(2);
  }
}

bool ended_well(pid_t child) {
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class SmallDisk {
 public:
  explicit SmallDisk(const char* options) {
    mounted_ = ::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, options) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  bool make_read_only() {
    return ::mount("tmpfs", folder_.path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  Folder folder_;
  bool mounted_ = false;
};

TEST(StoreTrouble, AFullDiskIsSaidAndLosesNothing) {
  const SmallDisk disk("size=2m");
  if (!disk.mounted()) GTEST_SKIP() << "a small disk cannot be mounted here (that takes root)";
  const auto file = disk / "runs.db";
  write_whole(disk / "other", std::string(500'000, 'x'));  // what will be cleared away in the end
  std::vector<std::int64_t> kept;
  {
    Store store(file);
    std::string message = "nothing went wrong";
    for (std::uint64_t seed = 0; seed < 200 && message == "nothing went wrong"; ++seed) {
      RunRecord run = large_run(seed);
      message = failure_of([&] { kept.push_back(store.keep(run)); });
    }
    EXPECT_TRUE(has(message, "disk is full"));
    EXPECT_TRUE(has(message, file.string()));
    ASSERT_GT(kept.size(), 3u);
    EXPECT_EQ(store.count(), std::ssize(kept));
    for (const std::int64_t id : kept) expect_whole(store, id);
  }
  {  // to the last byte, so that not even the index beside the file fits
    std::ofstream filler(disk / "filler", std::ios::binary);
    const std::string block(1024, 'x');
    while (filler.write(block.data(), std::ssize(block)).flush()) {
    }
  }
  for (const auto mode : {Store::Mode::read_only, Store::Mode::read_write}) {
    const Store store(file, mode);
    EXPECT_EQ(store.count(), std::ssize(kept));
    for (const std::int64_t id : kept) expect_whole(store, id);
  }
  EXPECT_TRUE(has(failure_of([&] {
                    Store store(file);
                    RunRecord run = large_run(999);
                    store.keep(run);
                  }),
                  "disk is full"));
  std::filesystem::remove(disk / "filler");
  std::filesystem::remove(disk / "other");
  Store store(file);
  RunRecord run = large_run(1000);
  store.keep(run);
  EXPECT_EQ(store.count(), std::ssize(kept) + 1);
  expect_whole(store, run.id);
}

TEST(StoreTrouble, WeightsThatDoNotFitAreSaidAndTheRunIsKept) {
  const SmallDisk disk("size=2m");
  if (!disk.mounted()) GTEST_SKIP() << "a small disk cannot be mounted here (that takes root)";
  Store store(disk / "runs.db");
  RunRecord run = large_run(1);
  run.weights = {{"w", {1'000'000}, "F32", std::vector<std::byte>(4'000'000)}};
  const std::string message = failure_of([&] { store.keep(run); });
  EXPECT_TRUE(has(message, "run 1 is kept, but not its weights"));
  EXPECT_TRUE(has(message, "disk is full"));
  expect_whole(store, 1);
  EXPECT_FALSE(store.weights(*store.find(1)));
  EXPECT_TRUE(std::filesystem::is_empty(disk / "weights"));
}

TEST(StoreTrouble, ADiskFullFromTheStart) {
  const SmallDisk disk("size=16k");
  if (!disk.mounted()) GTEST_SKIP() << "a small disk cannot be mounted here (that takes root)";
  EXPECT_TRUE(has(failure_of([&] { const Store store(disk / "runs.db"); }), "disk is full"));
}

TEST(StoreTrouble, AReadOnlyDiskReadsAndSaysThatItCanNotBeWritten) {
  SmallDisk disk("size=4m");
  if (!disk.mounted()) GTEST_SKIP() << "a small disk cannot be mounted here (that takes root)";
  std::int64_t id = 0;
  {
    Store store(disk / "runs.db");
    RunRecord run = large_run(1);
    id = store.keep(run);
  }
  ASSERT_TRUE(disk.make_read_only());
  EXPECT_TRUE(has(failure_of([&] { const Store store(disk / "runs.db"); }), "cannot be written"));
  EXPECT_TRUE(has(failure_of([&] { const Store store(disk / "new.db"); }), "cannot be opened"));
  const Store store(disk / "runs.db", Store::Mode::read_only);
  expect_whole(store, id);
}

TEST(StoreTrouble, AFileOfSomeoneElseReadsAndSaysThatItCanNotBeWritten) {
  const Folder folder;
  std::int64_t id = 0;
  {
    Store store(folder / "runs.db");
    RunRecord run = large_run(1);
    id = store.keep(run);
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  std::filesystem::permissions(folder / "runs.db", std::filesystem::perms(0444));
  const pid_t child = start_process([&] {
    if (::geteuid() == 0) {
      ASSERT_EQ(::setuid(65534), 0);  // root may write everything
    }
    EXPECT_TRUE(has(failure_of([&] { const Store store(folder / "runs.db"); }), "cannot be written"));
    EXPECT_TRUE(has(failure_of([&] { const Store store(folder / "new.db"); }), "cannot be opened"));
    Store store(folder / "runs.db", Store::Mode::read_only);
    expect_whole(store, id);
    RunRecord run = large_run(2);
    EXPECT_TRUE(has(failure_of([&] { store.keep(run); }), "cannot be written"));
  });
  EXPECT_TRUE(ended_well(child));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
}

TEST(StoreTrouble, FoldersAndMissingFolders) {
  const Folder folder;
  EXPECT_TRUE(has(failure_of([&] { const Store store(folder.path()); }), "is a folder"));
  EXPECT_TRUE(has(failure_of([&] { const Store store(folder / "no" / "runs.db"); }), "cannot be opened"));
}

TEST(StoreTrouble, AFileThatIsNoStore) {
  const Folder folder;
  for (const std::string& text :
       {std::string(5000, 'x'), std::string("title = 1\n"), std::string("SQLite format 3\0garbage", 23)}) {
    write_whole(folder / "runs.db", text);
    for (const auto mode : {Store::Mode::read_write, Store::Mode::read_only})
      EXPECT_TRUE(has(failure_of([&] { Store(folder / "runs.db", mode).count(); }), "is not a store of runs"));
    EXPECT_EQ(read_file(folder / "runs.db", 1 << 20), text);  // as it was
  }
}

TEST(StoreTrouble, ADatabaseOfAnotherProgramIsLeftAlone) {
  const Folder folder;
  {
    Connection(folder / "runs.db", Connection::Access::create)
        .run("CREATE TABLE books (title TEXT); INSERT INTO books VALUES ('x')");
  }
  const std::string before = read_file(folder / "runs.db", 1 << 20);
  for (const auto mode : {Store::Mode::read_write, Store::Mode::read_only})
    EXPECT_TRUE(has(failure_of([&] { const Store store(folder / "runs.db", mode); }), "of another program"));
  EXPECT_EQ(read_file(folder / "runs.db", 1 << 20), before);
}

TEST(StoreTrouble, ATruncatedOrDamagedFileIsSaid) {
  const Folder folder;
  {
    Store store(folder / "good.db");
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      RunRecord run = large_run(seed);
      store.keep(run);
    }
  }
  const std::string good = read_file(folder / "good.db", 1 << 26);
  const auto read_all = [&] {
    const Store store(folder / "bad.db", Store::Mode::read_only);
    for (const RunRecord& run : store.query({})) store.find(run.id, true);
  };
  for (const std::size_t size : {good.size() / 2, good.size() - 4096, std::size_t{5000}}) {
    write_whole(folder / "bad.db", good.substr(0, size));
    EXPECT_TRUE(has(failure_of(read_all), "damaged")) << size;
  }
  for (std::size_t page = 4096; page < good.size();
       page += 16 * 4096) {  // damage here and there: said or harmless, never a crash
    std::string bad = good;
    for (std::size_t i = page; i < page + 4096 && i < bad.size(); ++i) bad[i] = static_cast<char>(i * 31);
    write_whole(folder / "bad.db", bad);
    try {
      read_all();
    } catch (const Error&) {
    }
  }
}

TEST(StoreTrouble, AStoreOfALaterVersionIsRefused) {
  const Folder folder;
  { const Store store(folder / "runs.db"); }
  { Connection(folder / "runs.db", Connection::Access::create).run("PRAGMA user_version = 1000"); }
  for (const auto mode : {Store::Mode::read_write, Store::Mode::read_only})
    EXPECT_TRUE(has(failure_of([&] { const Store store(folder / "runs.db", mode); }), "later version"));
}

// A store as each earlier version left it, with a run in it, becomes one of today.
TEST(StoreTrouble, EveryEarlierVersionIsBroughtUpToDate) {
  for (std::size_t version = 0; version < migrations().size(); ++version) {
    for (const auto mode : {Store::Mode::read_write, Store::Mode::read_only}) {
      const Folder folder;
      {
        Connection old(folder / "runs.db", Connection::Access::create);
        for (std::size_t step = 0; step < version; ++step) old.run(migrations()[step]);
        old.run(("PRAGMA user_version = " + std::to_string(version)).c_str());
        if (version > 0)
          old.run(
              "INSERT INTO words VALUES (1, 'copy-subset'), (2, '0.1.0'), (3, 'a machine'), (4, 'task.vocab'), (5, "
              "'accuracy');"
              "INSERT INTO specs VALUES (9, 'intervene = []\nmodel = {}\nprobe = {}\ntask = { vocab = 40 }\ntrain = "
              "{}\n');"
              "INSERT INTO settings VALUES (9, 4, 0, 40);"
              "INSERT INTO runs VALUES (7, 9, 1, 'abc', 3, 1, '', 2, 3, '2024-01-02T03:04:05Z', 1.5, 200);"
              "INSERT INTO metrics VALUES (7, 5, 200, 0.5);"
              "INSERT INTO series VALUES (7, 5, x'c800000000000000', x'000000000000e03f')");
        if (version > 2)
          old.run(
              "INSERT INTO claims VALUES ('copy-subset', '', 'quick', 'it learns', 0, 'mean(accuracy)', 0.5, '>= 1', "
              "0, 'a note')");
        if (version == 2)
          old.run(
              "INSERT INTO claims VALUES ('copy-subset', 'quick', 'it learns', 0, 'mean(accuracy)', 0.5, '>= 1', 0, 'a "
              "note')");
      }
      Store store(folder / "runs.db", mode);
      EXPECT_EQ(store.count(), version > 0 ? 1 : 0);
      EXPECT_EQ(store.claims().size(), version >= 2 ? 1u : 0u);
      for (const ClaimResult& claim : store.claims()) {
        EXPECT_EQ(claim.claim, "it learns");
        EXPECT_EQ(claim.value, 0.5);
        EXPECT_EQ(claim.wanted, ">= 1");
        EXPECT_EQ(claim.note, "a note");
        EXPECT_EQ(claim.preset, "quick");
        EXPECT_EQ(claim.source, "");
      }
      if (version > 0) {
        const auto run = store.find_done("abc");
        ASSERT_TRUE(run);
        EXPECT_EQ(run->experiment, "copy-subset");
        EXPECT_EQ(run->spec.seed, 3u);
        EXPECT_EQ(run->series.at("accuracy"), (Series{{200}, {0.5}}));
        RunQuery query;
        query.where = Expression::parse("task.vocab = 40 and accuracy = 0.5");
        EXPECT_EQ(store.query(query).size(), 1u);
      }
      Connection now(folder / "runs.db", Connection::Access::read);
      EXPECT_EQ(schema_version(now), std::ssize(migrations()));
    }
  }
}

// Killed while it is brought up to date, after every change and before they hold: it is as it was, and comes up to date
// the next time.
TEST(StoreTrouble, AKillWhileItIsBroughtUpToDateLosesNothing) {
  const Folder folder;
  {
    Store store(folder / "new.db");
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      RunRecord run = large_run(seed);
      store.keep(run);
    }
  }
  const auto last = std::ssize(migrations()) - 1;
  {  // the same as the version before left it
    Connection old(folder / "runs.db", Connection::Access::create);
    old.run("PRAGMA journal_mode = WAL");
    for (std::ptrdiff_t step = 0; step < last; ++step) old.run(migrations()[static_cast<std::size_t>(step)]);
    old.run(("PRAGMA user_version = " + std::to_string(last)).c_str());
    old.run(("ATTACH '" + (folder / "new.db").string() + "' AS new").c_str());
    for (const char* table : {"words", "specs", "settings"})
      old.run(fmt::format("INSERT INTO {0} SELECT * FROM new.{0}", table).c_str());
    old.run(
        "INSERT INTO runs SELECT id, spec, experiment, hash, seed, state, error, version, machine, started, seconds, "
        "steps FROM new.runs");
    for (const char* table : {"metrics", "series", "arrays"})
      old.run(fmt::format("INSERT INTO {0} SELECT * FROM new.{0}", table).c_str());
  }
  for (int round = 0; round < 3; ++round) {
    const pid_t child = start_process([&] {
      Connection database(folder / "runs.db", Connection::Access::create);
      if (round == 2) database.run("PRAGMA cache_size = 1");  // much of it is on the disk already
      Transaction transaction(database, Transaction::Kind::write);
      database.run(migrations()[static_cast<std::size_t>(last)]);
      if (round == 2) database.run("UPDATE arrays SET points = zeroblob(length(points))");
      if (round > 0) database.run(("PRAGMA user_version = " + std::to_string(last + 1)).c_str());
      ::kill(::getpid(), SIGKILL);
    });
    ::waitpid(child, nullptr, 0);
    Connection database(folder / "runs.db", Connection::Access::read);
    EXPECT_EQ(schema_version(database), last);
    EXPECT_EQ(database.integer("SELECT count(*) FROM runs"), 20);
  }
  const Store store(folder / "runs.db");
  EXPECT_EQ(store.count(), 20);
  for (const RunRecord& run : store.query({})) expect_whole(store, run.id);
}

TEST(StoreTrouble, WritersInThreadsAndProcessesLoseNothing) {
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

TEST(StoreTrouble, AKillInTheMiddleOfWritingLosesOnlyWhatWasNotKept) {
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
TEST(StoreTrouble, TwoWritersAndAReaderLoseNothing) {
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

TEST(StoreTrouble, AWriterThatNeverEndsIsSaid) {
  const Folder folder;
  Store store(folder / "runs.db");
  Connection other(folder / "runs.db", Connection::Access::create);
  Transaction held(other, Transaction::Kind::write);
  RunRecord run = sample_run(1);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(has(failure_of([&] { store.keep(run); }), "another program"));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(9));
  EXPECT_EQ(store.count(), 0);  // reading goes on
}

}  // namespace
}  // namespace fovea
