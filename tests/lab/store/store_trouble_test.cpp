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
#include "tests/lab/store/store_process.h"

namespace fovea {
namespace {

using namespace testing_parts;

std::string failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::failure);
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    EXPECT_TRUE(error.location().known()) << error.what();
    return error.what();
  }
  return "nothing went wrong";
}

testing::AssertionResult has(const std::string& message, const std::string& part) {
  if (message.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << message << "' lacks '" << part << "'";
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
  EXPECT_TRUE(has(message, "run 1 is stored without its weights"));
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
  EXPECT_TRUE(has(failure_of([&] { const Store store(disk / "new.db"); }), "cannot be created"));
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
    EXPECT_TRUE(has(failure_of([&] { const Store store(folder / "new.db"); }), "cannot be created"));
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
              ("INSERT INTO words VALUES (1, 'copy-subset'), (2, '0.1.0'), (3, 'a machine'), (4, 'task.vocab'), (5, "
               "'accuracy');"
               "INSERT INTO specs VALUES (9, 'intervene = []\nmodel = {}\nprobe = {}\ntask = { vocab = 40 }\ntrain = "
               "{}\n');"
               "INSERT INTO settings VALUES (9, 4, 0, 40);"
               "INSERT INTO runs VALUES (7, 9, 1, 'abc', 3, 1, '', 2, 3, '2024-01-02T03:04:05Z', 1.5, 200" +
               std::string(version > 3 ? ", NULL" : "") +
               ");"
               "INSERT INTO metrics VALUES (7, 5, 200, 0.5);"
               "INSERT INTO series VALUES (7, 5, x'c800000000000000', x'000000000000e03f')")
                  .c_str());
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
        EXPECT_EQ(run->arithmetic, 0);
        RunQuery query;
        query.where = Expression::parse("task.vocab = 40 and accuracy = 0.5");
        EXPECT_EQ(store.query(query).size(), 1u);
      }
      Connection now(folder / "runs.db", Connection::Access::read);
      EXPECT_EQ(schema_version(now), std::ssize(migrations()));
    }
  }
}

// Metrics, arrays and settings have today's names; an experiment and a tag of an old name keep it.
TEST(StoreTrouble, OldNamesBecomeThoseOfToday) {
  const Folder folder;
  {
    Connection old(folder / "runs.db", Connection::Access::create);
    for (std::size_t step = 0; step < 4; ++step) old.run(migrations()[step]);
    old.run(
        "PRAGMA user_version = 4;"
        "INSERT INTO words VALUES (1, 'collapse'), (2, '0.1.0'), (3, 'a machine'), (4, 'probe.where_able'), (5, "
        "'collapse_held'), (6, 'loss_by_place');"
        "INSERT INTO specs VALUES (9, 'intervene = []\nmodel = {}\nprobe = { names = [\"digit_rank\"], where_able = "
        "[\"alpha_auc\"] }\ntask = {}\ntrain = { stop_when = \"alpha_auc > 1\" }\n');"
        "INSERT INTO settings VALUES (9, 4, 3, '[\"alpha_auc\"]');"
        "INSERT INTO runs VALUES (7, 9, 1, 'abc', 3, 1, '', 2, 3, '2024-01-02T03:04:05Z', 1.5, 200, NULL);"
        "INSERT INTO metrics VALUES (7, 1, 200, 0.5), (7, 5, 200, 0.25);"
        "INSERT INTO series VALUES (7, 1, x'c800000000000000', x'000000000000e03f');"
        "INSERT INTO arrays VALUES (7, 0, 6, 200, '1', 0, x'0000803f');"
        "INSERT INTO tags VALUES (7, 1)");
  }
  const Store store(folder / "runs.db");
  const auto run = store.find(7, true);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->experiment, "collapse");
  EXPECT_EQ(run->tags, std::vector<std::string>{"collapse"});
  EXPECT_EQ(run->series.at("state_cosine"), (Series{{200}, {0.5}}));
  EXPECT_EQ(run->arrays.at(0).name, "loss_by_position");
  EXPECT_EQ(run->spec.setting("probe.names")->text(), "[\"top1_on_answer\"]");
  EXPECT_EQ(run->spec.setting("probe.optional")->text(), "[\"attention_auc\"]");
  EXPECT_EQ(run->spec.setting("train.stop_when")->text(), "\"attention_auc > 1\"");
  RunQuery query;
  query.where = Expression::parse("collapse = 0.5 and state_cosine_held = 0.25");
  EXPECT_EQ(store.query(query).size(), 1u);
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
        "steps, removed FROM new.runs");
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
