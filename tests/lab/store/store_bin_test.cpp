// Tags, notes, the bin, and what is cleared away for good.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

#include "fovea/base/file.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/store/run_lock.h"
#include "fovea/lab/store/vocabulary_cache.h"
#include "tests/lab/store/store_sample.h"

namespace fovea {
namespace {

using namespace testing_parts;

using Ids = std::vector<std::int64_t>;
using Words = std::vector<std::string>;

class StoreBin : public ::testing::Test {
 protected:
  StoreBin() {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      RunRecord run = sample_run(seed, seed == 5 ? RunState::stopped : RunState::done);
      if (seed < 5) run.weights = {{"w", {2}, "F32", std::vector<std::byte>(8, std::byte(seed))}};
      ids.push_back(store.keep(run));
    }
  }

  Ids found(const std::string& where, bool in_bin = false) const {
    RunQuery query;
    if (!where.empty()) query.where = Expression::parse(where);
    query.in_bin = in_bin;
    Ids all;
    for (const RunRecord& run : store.query(query)) all.push_back(run.id);
    query.columns.emplace();
    Ids again;
    for (const RunRecord& run : store.query(query)) again.push_back(run.id);
    EXPECT_EQ(all, again) << where;
    return all;
  }

  static std::string mistake_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
      EXPECT_FALSE(error.remedy().empty()) << error.what();
      return error.what();
    }
    return "nothing is wrong";
  }

  const Folder folder;
  Store store{folder / "runs.db"};
  Ids ids;
};

TEST_F(StoreBin, TagsAreWordsToFindRunsBy) {
  store.tag(Ids{1, 2, 3}, Words{"good", "for the paper"}, {});
  store.tag(Ids{2}, Words{"good", "again"}, Words{"for the paper", "never given"});
  EXPECT_EQ(store.find(1)->tags, (Words{"for the paper", "good"}));
  EXPECT_EQ(store.find(2)->tags, (Words{"again", "good"}));
  EXPECT_TRUE(store.find(4)->tags.empty());
  EXPECT_EQ(found("tagged(\"good\")"), (Ids{1, 2, 3}));
  EXPECT_EQ(found("tagged('good') and not tagged('again')"), (Ids{1, 3}));
  EXPECT_EQ(found("not tagged('good')"), (Ids{4, 5}));
  EXPECT_EQ(found("tags = ''"), (Ids{4, 5}));
  using Counts = std::vector<std::pair<std::string, std::int64_t>>;
  EXPECT_EQ(store.tags(), (Counts{{"again", 1}, {"for the paper", 2}, {"good", 3}}));
  RunQuery query;
  query.columns.emplace();
  query.limit = 2;
  const auto listed = store.query(query);
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[1].tags, (Words{"again", "good"}));
  RunQuery ordered;
  ordered.sort = "tags";
  EXPECT_EQ(store.query(ordered).front().id, 2);
  EXPECT_NE(mistake_of([&] { Expression::parse("tagged(good)"); }).find("in quotes"), std::string::npos);
  EXPECT_NE(mistake_of([&] { Expression::parse("tagged(3)"); }).find("in quotes"), std::string::npos);
}

TEST_F(StoreBin, SqlInTagsAndNotesIsAWordAndNoMore) {
  const std::string evil = "x'); DROP TABLE runs; --";
  store.tag(Ids{1}, Words{evil}, {});
  store.note(1, evil);
  EXPECT_EQ(store.find(1)->tags, Words{evil});
  EXPECT_EQ(store.find(1)->note, evil);
  EXPECT_EQ(found("tagged(\"" + evil + "\")"), Ids{1});
  EXPECT_EQ(found("note = \"" + evil + "\""), Ids{1});
  store.tag(Ids{1}, {}, Words{"' OR 1=1; --"});
  EXPECT_EQ(store.find(1)->tags, Words{evil});
  EXPECT_EQ(store.count(), 5);
}

TEST_F(StoreBin, WhatIsNoTagIsSaidAndNothingChanges) {
  for (const char* tag : {"", "a,b", " a", "a ", "a\nb"})
    EXPECT_NE(mistake_of([&] { store.tag(Ids{1}, Words{"good", tag}, {}); }).find("cannot be a tag"), std::string::npos)
        << tag;
  EXPECT_NE(mistake_of([&] { store.tag(Ids{1}, Words{std::string(101, 'x')}, {}); }), "nothing is wrong");
  EXPECT_EQ(mistake_of([&] { store.tag(Ids{1, 99}, Words{"good"}, {}); }), "there is no run 99. See the list of runs.");
  EXPECT_EQ(mistake_of([&] { store.note(-1, "x"); }), "there is no run -1. See the list of runs.");
  EXPECT_NE(mistake_of([&] { store.note(1, std::string(20'000, 'x')); }), "nothing is wrong");
  EXPECT_TRUE(store.find(1)->tags.empty());
  EXPECT_TRUE(store.tags().empty());
}

TEST_F(StoreBin, TagsAndNotesStayWhereARunIsMadeAnew) {
  store.tag(Ids{1, 5}, Words{"good"}, {});
  store.note(1, "first");
  store.note(1, "second");
  store.note(5, "five");
  RunRecord anew = sample_run(1), ended = sample_run(5);
  ended.tags = {"ended"};
  store.keep(anew);
  store.keep(ended);
  EXPECT_EQ(store.find(1)->tags, Words{"good"});
  EXPECT_EQ(store.find(1)->note, "second");
  EXPECT_EQ(store.find(5)->state, RunState::done);
  EXPECT_EQ(store.find(5)->tags, (Words{"ended", "good"}));
  EXPECT_EQ(store.find(5)->note, "five");
  store.note(1, "");
  EXPECT_EQ(store.find(1)->note, "");
}

TEST_F(StoreBin, NobodyMeetsWhatIsInTheBinAndItComesBackWhole) {
  store.tag(Ids{2}, Words{"good"}, {});
  const RunRecord before = *store.find(2, true);
  store.put_in_bin(Ids{2, 5});
  EXPECT_FALSE(store.find(2));
  EXPECT_FALSE(store.find_done(before.hash));
  EXPECT_FALSE(store.find_undone(sample_run(5).hash));
  EXPECT_EQ(store.count(), 3);
  EXPECT_EQ(found(""), (Ids{1, 3, 4}));
  EXPECT_EQ(found("experiment = 'copy-subset'"), (Ids{1, 3, 4}));
  EXPECT_EQ(found("", true), (Ids{2, 5}));
  EXPECT_EQ(found("tagged('good')", true), (Ids{2}));
  EXPECT_TRUE(store.tags().empty());
  EXPECT_TRUE(store.is_in_bin(2));
  EXPECT_FALSE(store.has(2));
  EXPECT_NE(mistake_of([&] { store.put_in_bin(Ids{1, 2}); }), "nothing is wrong");
  EXPECT_TRUE(store.has(1));  // all or nothing
  EXPECT_NE(mistake_of([&] { store.tag(Ids{2}, Words{"x"}, {}); }), "nothing is wrong");
  EXPECT_NE(mistake_of([&] { store.restore(Ids{2, 1}); }), "nothing is wrong");
  EXPECT_TRUE(store.is_in_bin(2));
  EXPECT_TRUE(store.restore(Ids{2, 5}).empty());
  const RunRecord after = *store.find(2, true);
  EXPECT_EQ(after.series, before.series);
  EXPECT_EQ(after.tags, Words{"good"});
  EXPECT_EQ(after.removed, "");
  EXPECT_TRUE(store.weights(after));
  EXPECT_EQ(store.count(), 5);
}

TEST_F(StoreBin, ARunInTheBinDoesNotStandInTheWayOfANewOne) {
  store.put_in_bin(Ids{1, 5});
  RunRecord one = sample_run(1), five = sample_run(5, RunState::stopped);
  EXPECT_GT(store.keep(one), 5);
  EXPECT_GT(store.keep(five), 5);
  EXPECT_EQ(store.restore(Ids{1, 5}), (Ids{1, 5}));
  EXPECT_EQ(found("", true), (Ids{1, 5}));
  store.put_in_bin(Ids{one.id});  // both of them: the bin may hold the same twice
  EXPECT_TRUE(store.restore(Ids{1}).empty());
  EXPECT_EQ(found("", true), (Ids{5, one.id}));
}

TEST_F(StoreBin, ARunInTrainingIsNotPutThere) {
  const auto lock = RunLock::take(store.running_folder(), sample_run(5).hash);
  ASSERT_TRUE(lock);
  EXPECT_NE(mistake_of([&] { store.put_in_bin(Ids{1, 5}); }).find("is being trained by process"), std::string::npos);
  EXPECT_EQ(store.count(), 5);
}

TEST_F(StoreBin, GarbageIsWhatIsInTheBinAndFilesOfNoRun) {
  const auto checkpoint = [&](const std::string& hash) {
    std::filesystem::create_directories(store.checkpoint_folder());
    write_whole(store.checkpoint_folder() / (hash + ".safetensors"), std::string(1000, 'x'));
    return store.checkpoint_folder() / (hash + ".safetensors");
  };
  const auto unfinished = checkpoint(sample_run(5).hash), orphan = checkpoint("0123"), trained = checkpoint("4567");
  const auto lock = RunLock::take(store.running_folder(), "4567");
  const auto other = store.weight_files().folder() / "89ab.safetensors";
  write_whole(other, std::string(500, 'x'));
  store.put_in_bin(Ids{1, 2});
  const auto weights = store.weight_files().file_of(sample_run(1).hash);
  EXPECT_TRUE(std::filesystem::exists(weights));

  const Store::Collected dry = store.collect_garbage("", true);
  EXPECT_EQ(dry.runs, 2);
  EXPECT_EQ(dry.weights, 3);
  EXPECT_EQ(dry.checkpoints, 1);
  EXPECT_EQ(dry.bytes, 1500u + std::filesystem::file_size(weights) +
                           std::filesystem::file_size(store.weight_files().file_of(sample_run(2).hash)));
  EXPECT_EQ(found("", true), (Ids{1, 2}));
  EXPECT_TRUE(std::filesystem::exists(orphan));

  EXPECT_EQ(store.collect_garbage("2000-01-01T00:00:00Z", false).runs, 0);  // not so long in the bin
  EXPECT_EQ(found("", true), (Ids{1, 2}));
  EXPECT_FALSE(std::filesystem::exists(orphan));
  EXPECT_FALSE(std::filesystem::exists(other));
  EXPECT_TRUE(std::filesystem::exists(weights));

  const Store::Collected gone = store.collect_garbage("", false);
  EXPECT_EQ(gone.runs, 2);
  EXPECT_EQ(gone.weights, 2);
  EXPECT_FALSE(gone.shrunk);  // a run is being trained
  EXPECT_TRUE(found("", true).empty());
  EXPECT_FALSE(std::filesystem::exists(weights));
  EXPECT_TRUE(std::filesystem::exists(unfinished));
  EXPECT_TRUE(std::filesystem::exists(trained));
  EXPECT_EQ(found(""), (Ids{3, 4, 5}));
  for (const std::int64_t id : {3, 4}) EXPECT_TRUE(store.weights(*store.find(id)));
}

// A run that knows the words of a corpus that are seen so often.
RunRecord run_on_texts(int min_count, std::uint64_t seed, RunState state = RunState::done) {
  static const Experiment experiment = parse_experiment(R"(
task = { name = "text-classify" }
model = { name = "word-mean", embedding = 2 }
train = { steps = 1, batch = 1, rate = 0.01 }
probe = { names = ["accuracy"] }
)",
                                                        "texts.toml");
  RunRecord run = sample_run(seed, state);
  run.spec = resolve(experiment, Preset::full, {parse_override("task.min_count=" + std::to_string(min_count))}, seed);
  run.hash = run.spec.hash();
  return run;
}

TEST_F(StoreBin, WordsGoWithTheLastRunThatKnowsThem) {
  const VocabularyCache words = vocabulary_cache(store);
  const auto add = [&](RunRecord run) {
    words.keep(run.spec);
    return store.keep(run);
  };
  const std::int64_t one = add(run_on_texts(1, 0)), same = add(run_on_texts(1, 1)), two = add(run_on_texts(2, 0));
  add(run_on_texts(3, 0, RunState::stopped));
  const auto there = [&](int min_count) {
    return std::filesystem::exists(words.file_of(run_on_texts(min_count, 0).spec));
  };
  write_whole(folder / "words" / "notes.txt", "of somebody's own");
  ASSERT_EQ(words.files().size(), 3u);

  store.put_in_bin(Ids{one});
  EXPECT_EQ(store.collect_garbage("", false).vocabularies, 0);  // another run knows them, too
  EXPECT_TRUE(there(1));

  store.put_in_bin(Ids{same, two});
  EXPECT_EQ(store.collect_garbage("2000-01-01T00:00:00Z", false).vocabularies, 0);  // not so long in the bin
  const auto bytes = std::filesystem::file_size(words.file_of(run_on_texts(1, 0).spec)) +
                     std::filesystem::file_size(words.file_of(run_on_texts(2, 0).spec));
  const Store::Collected dry = store.collect_garbage("", true);
  EXPECT_EQ(dry.vocabularies, 2);
  EXPECT_EQ(dry.bytes, bytes);
  EXPECT_TRUE(there(1) && there(2));

  // A run that is being trained, and not yet in the store, may know any of them.
  const RunRecord begun = run_on_texts(4, 0);
  std::optional<RunLock> lock = RunLock::take(store.running_folder(), begun.hash);
  words.keep(begun.spec);
  EXPECT_EQ(store.collect_garbage("2000-01-01T00:00:00Z", false).vocabularies, 0);
  EXPECT_TRUE(there(4));
  lock.reset();
  EXPECT_EQ(store.collect_garbage("2000-01-01T00:00:00Z", false).vocabularies, 1);
  EXPECT_FALSE(there(4));

  // One that is in the store says which are its own.
  lock = RunLock::take(store.running_folder(), run_on_texts(3, 0).hash);
  EXPECT_EQ(store.collect_garbage("", false).vocabularies, 2);
  EXPECT_FALSE(there(1) || there(2));
  EXPECT_TRUE(there(3));
  EXPECT_TRUE(std::filesystem::exists(folder / "words" / "notes.txt"));
  words.keep(run_on_texts(1, 0).spec);  // who needs them again keeps them again
  EXPECT_TRUE(there(1));
}

TEST_F(StoreBin, GarbageGivesItsRoomBack) {
  RunRecord large = sample_run(6);
  large.arrays = {{"image", 0, {1'000'000}, std::vector<float>(1'000'000, 0.1f)}};
  const std::int64_t id = store.keep(large);
  store.put_in_bin(Ids{id});
  const Store::Collected gone = store.collect_garbage("", false);
  EXPECT_TRUE(gone.shrunk);
  EXPECT_GT(gone.bytes, 3'500'000u);
  EXPECT_LT(std::filesystem::file_size(folder / "runs.db"), 500'000u);
  EXPECT_EQ(store.count(), 5);
}

}  // namespace
}  // namespace fovea
