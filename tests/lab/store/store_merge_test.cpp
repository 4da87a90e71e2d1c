#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "fovea/base/file.h"
#include "fovea/lab/store/run_lock.h"
#include "fovea/lab/store/schema.h"
#include "fovea/lab/train/checkpoint.h"
#include "tests/lab/store/same_record.h"
#include "tests/lab/store/store_sample.h"

namespace fovea {
namespace {

using namespace testing_parts;

using Ids = std::vector<std::int64_t>;

class StoreMerge : public ::testing::Test {
 protected:
  StoreMerge() {
    std::filesystem::create_directories(folder / "a");
    std::filesystem::create_directories(folder / "b");
    a.emplace(folder / "a" / "runs.db");
    b.emplace(folder / "b" / "runs.db");
  }

  static RunRecord run_with_all(std::uint64_t seed, RunState state = RunState::done) {
    RunRecord run = sample_run(seed, state);
    run.series["odd"] = {{0, 1, 2, 3},
                         {-0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::denorm_min(),
                          -std::numeric_limits<double>::infinity()}};
    run.arrays = {{"attention", 0, {2, 2}, {0.1f, 0.9f, 1.0f / 3, 2.0f / 3}}, {"image", 1, {3}, {1e-40f, -2.5f, 0.1f}}};
    if (state == RunState::done) run.weights = {{"w", {2}, "F32", std::vector<std::byte>(8, std::byte(seed))}};
    return run;
  }

  static void expect_same(const Store& one, std::int64_t id, const Store& other, const std::string& hash) {
    const RunRecord x = *one.find(id, true);
    const auto header = x.state == RunState::done ? other.find_done(hash) : other.find_undone(hash);
    ASSERT_TRUE(header);
    const RunRecord y = *other.find(header->id, true);
    testing_parts::expect_same(x, y);
    EXPECT_EQ(one.weights(x).has_value(), other.weights(y).has_value());
  }

  std::string refusal(const std::filesystem::path& other, Error::Kind kind) {
    const std::int64_t before = a->count();
    try {
      a->merge(other);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      EXPECT_FALSE(error.remedy().empty()) << error.what();
      EXPECT_EQ(a->count(), before);
      return error.what();
    }
    return "nothing was refused";
  }

  const Folder folder;
  std::optional<Store> a, b;
};

TEST_F(StoreMerge, TakesWhatIsNewBitForBitAndNothingTwice) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    RunRecord run = run_with_all(seed);
    a->keep(run);
  }
  Ids theirs;
  for (const std::uint64_t seed : {3u, 4u, 5u}) {
    RunRecord run = run_with_all(seed);
    theirs.push_back(b->keep(run));
  }
  RunRecord failed = run_with_all(6, RunState::failed);
  failed.error = "at step 3 the loss is nan";
  theirs.push_back(b->keep(failed));
  std::vector<std::pair<std::int64_t, std::int64_t>> told;
  Store::Merged merged =
      a->merge(folder / "b" / "runs.db", [&told](auto done, auto of) { told.emplace_back(done, of); });
  EXPECT_EQ(merged.added, 3);
  EXPECT_EQ(merged.known, 1);
  EXPECT_TRUE(merged.troubles.empty());
  EXPECT_EQ(told.back(), (std::pair<std::int64_t, std::int64_t>{4, 4}));
  EXPECT_EQ(a->count(), 6);
  EXPECT_EQ(b->count(), 4);
  for (const std::int64_t id : theirs) expect_same(*b, id, *a, b->find(id)->hash);
  merged = a->merge(folder / "b" / "runs.db");
  EXPECT_EQ(merged.added, 0);
  EXPECT_EQ(merged.known, 4);
  EXPECT_EQ(a->count(), 6);
}

TEST_F(StoreMerge, WhatIsDoneTakesThePlaceOfWhatIsNotAndNeverTheOtherWay) {
  RunRecord stopped_here = run_with_all(1, RunState::stopped), done_here = run_with_all(2);
  a->keep(stopped_here);
  a->keep(done_here);
  RunRecord done_there = run_with_all(1), stopped_there = run_with_all(2, RunState::stopped);
  b->keep(done_there);
  b->keep(stopped_there);
  const Store::Merged merged = a->merge(folder / "b" / "runs.db");
  EXPECT_EQ(merged.added, 1);
  EXPECT_EQ(merged.known, 1);
  EXPECT_EQ(a->count(), 2);
  EXPECT_EQ(a->find(stopped_here.id)->state, RunState::done);
  EXPECT_EQ(a->find(done_here.id)->state, RunState::done);
}

TEST_F(StoreMerge, ANewerArithmeticTakesThePlaceOfAnOlderOneWithItsWeights) {
  const auto kept = [](Store& store, std::uint64_t seed, int arithmetic) {
    RunRecord run = run_with_all(seed);
    run.arithmetic = arithmetic;
    run.weights[0].bytes.assign(8, std::byte(arithmetic + 1));
    store.keep(run);
    return run;
  };
  const RunRecord old_here = kept(*a, 1, 0), new_here = kept(*a, 2, 1);
  kept(*b, 1, 1);
  kept(*b, 2, 0);
  const Store::Merged merged = a->merge(folder / "b" / "runs.db");
  EXPECT_EQ(merged.furthered, 1);
  EXPECT_EQ(merged.known, 1);
  for (const RunRecord& run : {old_here, new_here}) {
    const RunRecord now = *a->find(run.id);
    EXPECT_EQ(now.arithmetic, 1);
    EXPECT_EQ(a->weights(now)->tensors()[0].bytes[0], std::byte{2});
  }
}

TEST_F(StoreMerge, TagsNotesAndWeightsComeAlong) {
  RunRecord mine = run_with_all(1), same = run_with_all(1), other = run_with_all(2);
  mine.weights.clear();
  a->keep(mine);
  b->keep(same);
  b->keep(other);
  a->tag(Ids{mine.id}, std::vector<std::string>{"mine"}, {});
  b->tag(Ids{same.id, other.id}, std::vector<std::string>{"theirs"}, {});
  b->note(same.id, "theirs");
  b->put_in_bin(Ids{other.id});
  EXPECT_FALSE(a->weights(mine));
  EXPECT_EQ(a->merge(folder / "b" / "runs.db").added, 0);  // the other one is in their bin
  EXPECT_EQ(a->find(mine.id)->tags, (std::vector<std::string>{"mine", "theirs"}));
  EXPECT_EQ(a->find(mine.id)->note, "theirs");
  EXPECT_TRUE(a->weights(mine));
}

TEST_F(StoreMerge, AStoppedRunBringsItsCheckpointAndOneInTrainingWaits) {
  RunRecord stopped = run_with_all(1, RunState::stopped), running = run_with_all(2, RunState::running);
  b->keep(stopped);
  b->keep(running);
  Checkpoints(b->checkpoint_folder(), stopped.hash).write({}, {{"hash", stopped.hash}});
  const auto lock = RunLock::take(b->running_folder(), running.hash);
  const Store::Merged merged = a->merge(folder / "b" / "runs.db");
  EXPECT_EQ(merged.added, 1);
  EXPECT_EQ(merged.in_training, 1);
  const auto files = Checkpoints(a->checkpoint_folder(), stopped.hash).files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Checkpoints::read(files[0]).metadata().at("hash"), stopped.hash);
}

TEST_F(StoreMerge, OfAStoppedRunTheOneThatCameFurtherIsKept) {
  RunRecord here = run_with_all(1, RunState::stopped), further = here;
  here.steps = 50;
  further.steps = 120;
  a->keep(here);
  a->tag({{here.id}}, std::vector<std::string>{"mine"}, {});
  b->keep(further);
  const Checkpoints ours(a->checkpoint_folder(), here.hash), theirs(b->checkpoint_folder(), here.hash);
  ours.write({}, {{"of", "here"}});
  theirs.write({}, {{"of", "before"}});
  theirs.write({}, {{"of", "newest"}});
  write_whole(theirs.files().front(), "damaged");
  const Store::Merged merged = a->merge(folder / "b" / "runs.db");
  EXPECT_EQ(merged.furthered, 1);
  EXPECT_EQ(merged.added + merged.known, 0);
  EXPECT_EQ(a->find(here.id)->steps, 120);
  EXPECT_EQ(a->find(here.id)->tags, std::vector<std::string>{"mine"});
  ASSERT_EQ(ours.files().size(), 1u);
  EXPECT_EQ(Checkpoints::read(ours.files()[0]).metadata().at("of"), "before");  // the newest that is sound
  EXPECT_EQ(b->merge(folder / "a" / "runs.db").known, 1);
  EXPECT_EQ(a->merge(folder / "b" / "runs.db").furthered, 0);
}

TEST_F(StoreMerge, AStoreOfAnEarlierVersionStaysAsItIs) {
  b.reset();
  const std::filesystem::path other = folder / "b" / "runs.db";
  { Connection(other, Connection::Access::create).run("PRAGMA user_version = 3"); }
  EXPECT_NE(refusal(other, Error::Kind::failure).find("the layout of an earlier version (3"), std::string::npos);
  Connection after(other, Connection::Access::read);
  EXPECT_EQ(schema_version(after), 3);
  write_whole(folder / "empty.db", "");
  EXPECT_NE(refusal(folder / "empty.db", Error::Kind::wrong_input).find("is empty"), std::string::npos);
}

TEST_F(StoreMerge, WeightsThatAreDamagedAreSaidAndTheRunIsTaken) {
  RunRecord run = run_with_all(1);
  b->keep(run);
  write_whole(b->weight_files().file_of(run.hash), "no weights");
  const Store::Merged merged = a->merge(folder / "b" / "runs.db");
  EXPECT_EQ(merged.added, 1);
  ASSERT_EQ(merged.troubles.size(), 1u);
  EXPECT_NE(merged.troubles[0].find(run.hash), std::string::npos) << merged.troubles[0];
}

TEST_F(StoreMerge, WhatIsNoSoundStoreIsRefusedBeforeAnythingIsTaken) {
  using Kind = Error::Kind;
  EXPECT_NE(refusal(folder / "none.db", Kind::wrong_input).find("no such file"), std::string::npos);
  EXPECT_NE(refusal(folder / "a" / "runs.db", Kind::wrong_input).find("merged into"), std::string::npos);
  EXPECT_NE(refusal(folder / "b", Kind::wrong_input).find("folder"), std::string::npos);
  write_whole(folder / "text.db", "title = 1\n");
  EXPECT_NE(refusal(folder / "text.db", Kind::wrong_input).find("not a store"), std::string::npos);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RunRecord run = run_with_all(seed);
    b->keep(run);
  }
  b.reset();
  const std::string good = read_file(folder / "b" / "runs.db", 1 << 26);
  std::string bad = good;
  for (std::size_t i = bad.size() / 2; i < bad.size() / 2 + 8192; ++i) bad[i] = static_cast<char>(i * 37);
  for (const std::string& bytes : {good.substr(0, good.size() / 2), good.substr(0, good.size() - 4096), bad}) {
    write_whole(folder / "damaged.db", bytes);
    EXPECT_NE(refusal(folder / "damaged.db", Kind::failure).find("damaged"), std::string::npos);
  }
  write_whole(folder / "later.db", good);
  { Connection(folder / "later.db", Connection::Access::create).run("PRAGMA user_version = 1000"); }
  EXPECT_NE(refusal(folder / "later.db", Kind::failure).find("later version"), std::string::npos);
  EXPECT_EQ(a->merge(folder / "b" / "runs.db").added, 40);
}

}  // namespace
}  // namespace fovea
