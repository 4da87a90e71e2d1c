#include "fovea/lab/store/store.h"

#include <gtest/gtest.h>

#include <bit>

#include "fovea/io/half.h"
#include "fovea/io/toml_reader.h"
#include "tests/lab/store/same_record.h"
#include "tests/lab/store/store_sample.h"

namespace fovea {
namespace {

using namespace testing_parts;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Everything that could be lost on the way: numbers that are none, names that look like SQL, texts of any bytes.
RunRecord odd_run() {
  RunRecord run = sample_run(std::numeric_limits<std::uint64_t>::max(), RunState::failed);
  run.experiment = "'; DROP TABLE runs; --";
  run.error = std::string("a\0b\n\"quoted\" 日本語 %s ?1", 26);
  run.version = "";
  run.seconds = 0.1 + 0.2;
  run.spec.task["x\"y'; DELETE FROM words; --"] = value("z\\\t\n'");
  run.spec.task["größe"] = value(-0.0);
  run.spec.task["huge"] = value(HUGE_VAL);
  run.spec.task["long"] = Value{std::numeric_limits<std::int64_t>::min(), {}};
  run.spec.task["inner"] =
      Value{ValueTable{{"deep", value(1)}, {"list", Value{ValueList{value(1), value("a")}, {}}}}, {}};
  run.spec.probe = {};
  run.spec.interventions = {Value{ValueTable{{"kind", value("freeze")}, {"until", value(50)}}, {}}};
  run.hash = "odd";
  run.series.clear();
  run.series["empty"] = {};
  run.series["Robert'); DROP TABLE series;--"] = {{-5, 0, std::numeric_limits<std::int64_t>::max()},
                                                  {nan, -HUGE_VAL, 5e-324}};
  run.series["zero"] = {{1}, {-0.0}};
  run.series["payload"] = {{1}, {std::bit_cast<double>(0xfff8000000001234u)}};
  run.series["точность \" ` [x]"] = {{1, 2}, {HUGE_VAL, 1.0 / 3}};
  run.series[""] = {{1}, {2}};
  run.arrays = {{"image", 7, {2, 3}, {0.1f, -0.0f, HUGE_VALF, std::numeric_limits<float>::quiet_NaN(), 1e-40f, 3e38f}},
                {"nothing", 0, {0, 4}, {}},
                {"scalar", 0, {}, {0.3f}},
                {"image", 8, {1}, {0.7f}},
                {"a'; DROP TABLE arrays; --", 1, {3}, {1, 0.5f, -2}}};
  return run;
}

TEST(Store, RoundTripKeepsEveryBit) {
  const Folder folder;
  RunRecord odd = odd_run(), plain = sample_run(3);
  {
    Store store(folder / "runs.db");
    store.keep(odd);
    store.keep(plain);
    EXPECT_NE(odd.id, plain.id);
  }
  for (const auto mode : {Store::Mode::read_write, Store::Mode::read_only}) {
    const Store store(folder / "runs.db", mode);
    ASSERT_EQ(store.count(), 2);
    const auto read = store.find(odd.id, true);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->id, odd.id);
    expect_same(*read, odd);
    EXPECT_TRUE(std::signbit(*read->spec.setting("task.größe")->as<double>()));
    expect_same(*store.find_done(plain.hash), plain);
    EXPECT_FALSE(store.find_done("odd"));  // failed
    EXPECT_FALSE(store.find(99));
    EXPECT_EQ(store.arrays(odd.id, "image").size(), 2u);
    EXPECT_EQ(store.arrays(odd.id, "no such").size(), 0u);
    EXPECT_EQ(store.find(odd.id)->arrays.size(), 0u);
  }
}

TEST(Store, AttentionIsKeptAsHalfWithinItsAccuracyAndOnlyAttention) {
  const Folder folder;
  Store store(folder / "runs.db");
  RunRecord run = sample_run(1);
  std::vector<float> row(1000);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = std::exp(-static_cast<float>(i) / 40) * 0.99f;
  std::vector<float> outside = row;
  outside[3] = 1.5f;
  run.arrays = {
      {"attention", 5, {20, 50}, row}, {"attention_items", 5, {1000}, row}, {"attention.raw", 5, {1000}, outside}};
  store.keep(run);
  const auto arrays = store.arrays(run.id);
  ASSERT_EQ(arrays.size(), 3u);
  for (std::size_t i = 0; i < row.size(); ++i) {
    EXPECT_EQ(arrays[0].values[i], from_half(to_half(row[i])));
    EXPECT_NEAR(arrays[0].values[i], row[i], std::max(row[i] * 0x1p-11f, 0x1p-25f));
  }
  EXPECT_EQ(arrays[1].values, row);
  EXPECT_EQ(arrays[2].values, outside);
}

TEST(Store, ARunTakesThePlaceAndTheNumberOfWhatItReplaces) {
  const Folder folder;
  Store store(folder / "runs.db");
  RunRecord other = sample_run(1), stopped = sample_run(2, RunState::stopped), failed = sample_run(2, RunState::failed);
  store.keep(other);
  const std::int64_t id = store.keep(stopped);
  failed.series.erase("loss");
  EXPECT_EQ(store.keep(failed), id);
  EXPECT_EQ(store.count(), 2);
  EXPECT_FALSE(store.find(id)->series.contains("loss"));
  RunRecord done = sample_run(2);
  EXPECT_EQ(store.keep(done), id);
  EXPECT_EQ(store.find(id)->state, RunState::done);
  RunRecord again = sample_run(2);
  again.seconds = 9;
  EXPECT_EQ(store.keep(again), id);
  EXPECT_EQ(store.find(id)->seconds, 9);
  // An interrupted repetition does not push out the run that is done.
  RunRecord interrupted = sample_run(2, RunState::stopped);
  EXPECT_NE(store.keep(interrupted), id);
  EXPECT_TRUE(store.find_done(done.hash));
  EXPECT_EQ(store.count(), 3);
  EXPECT_EQ(store.keep(again), id);
  EXPECT_EQ(store.count(), 2);
}

TEST(Store, ARunThatContradictsItselfIsNotKept) {
  const Folder folder;
  Store store(folder / "runs.db");
  RunRecord good = sample_run(1);
  store.keep(good);
  RunRecord bad = sample_run(2);
  bad.arrays = {{"x", 0, {2}, {1, 2}}, {"y", 0, {3}, {1, 2}}};
  EXPECT_THROW(store.keep(bad), Error);
  bad.arrays = {{"y", 0, {-1, -2}, {1, 2}}};
  EXPECT_THROW(store.keep(bad), Error);
  bad.arrays.clear();
  bad.series["new name"] = {{1, 2}, {1}};
  EXPECT_THROW(store.keep(bad), Error);
  EXPECT_EQ(bad.id, 0);
  EXPECT_EQ(store.count(), 1);
  bad.series["new name"] = {{1}, {1}};  // what was learned in the undone transaction is forgotten with it
  store.keep(bad);
  expect_same(*store.find(bad.id), bad);
}

TEST(Store, SeveralRunsAreKeptTogetherOrNone) {
  const Folder folder;
  Store store(folder / "runs.db");
  std::vector<RunRecord> runs{sample_run(1), sample_run(2, RunState::failed), sample_run(3)};
  runs[2].hash.clear();
  EXPECT_TRUE(store.keep(runs).empty());
  for (const RunRecord& run : runs) EXPECT_EQ(store.find(run.id)->hash, run.hash);
  EXPECT_EQ(runs[2].hash, sample_run(3).hash);
  EXPECT_EQ(store.count(), 3);
  runs = {sample_run(2), sample_run(4), sample_run(4)};  // of one hash: the newer takes the other's place
  store.keep(runs);
  EXPECT_EQ(store.count(), 4);
  EXPECT_EQ(store.find_done(sample_run(2).hash)->id, 2);
  runs = {sample_run(5), sample_run(6)};
  runs[1].series["loss"].steps.pop_back();
  EXPECT_THROW(store.keep(runs), Error);
  EXPECT_EQ(store.count(), 4);
  runs[1] = sample_run(6);
  store.keep(runs);
  EXPECT_EQ(store.count(), 6);
}

TEST(Store, WeightsOfDoneRunsLieBesideIt) {
  const Folder folder;
  Store store(folder / "runs.db");
  RunRecord run = sample_run(1), stopped = sample_run(2, RunState::stopped), plain = sample_run(3);
  const std::vector<float> values{1.5f, -0.0f, 1e-40f, HUGE_VALF};
  const auto bytes = std::as_bytes(std::span(values));
  run.weights = {{"encoder.weight", {2, 2}, "F32", {bytes.begin(), bytes.end()}},
                 {"scale", {}, "F64", {bytes.begin(), bytes.begin() + 8}}};
  stopped.weights = run.weights;
  for (RunRecord* one : {&run, &stopped, &plain}) {
    store.keep(*one);
    EXPECT_TRUE(one->weights.empty());
  }
  const auto read = Store(folder / "runs.db", Store::Mode::read_only).weights(*store.find(run.id));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->tensors().size(), 2u);
  const Tensor* weight = read->find("encoder.weight");
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->shape, (std::vector<Index>{2, 2}));
  EXPECT_TRUE(std::ranges::equal(weight->bytes, bytes));
  EXPECT_EQ(read->find("scale")->type, "F64");
  EXPECT_EQ(read->metadata().at("hash"), run.hash);
  EXPECT_EQ(read->metadata().at("experiment"), "copy-subset");
  EXPECT_EQ(read->metadata().at("seed"), "1");
  EXPECT_EQ(run_spec_from_table(parse_table(read->metadata().at("spec"), "x")).hash(), run.hash);
  EXPECT_FALSE(store.weights(*store.find(stopped.id)));
  EXPECT_FALSE(store.weights(*store.find(plain.id)));
  // Run again without them: they are still what they were.
  RunRecord again = sample_run(1);
  store.keep(again);
  EXPECT_TRUE(store.weights(again));
}

TEST(Store, RemovedRunsLeaveNothing) {
  const Folder folder;
  Store store(folder / "runs.db");
  RunRecord run = sample_run(1);
  run.arrays = {{"x", 0, {1}, {1}}};
  store.keep(run);
  store.put_in_bin({{run.id}});
  EXPECT_EQ(store.collect_garbage({}, false).runs, 1);
  EXPECT_FALSE(store.has(run.id));
  EXPECT_FALSE(store.is_in_bin(run.id));
  EXPECT_EQ(store.count(), 0);
  EXPECT_TRUE(store.arrays(run.id).empty());
  RunRecord next = sample_run(2);
  EXPECT_GT(store.keep(next), run.id);  // a number is never given twice
}

TEST(Store, ClaimsOfAnExperimentAndFormAreReplacedTogether) {
  const Folder folder;
  Store store(folder / "runs.db");
  const auto claim = [](std::string experiment, std::string says, std::string preset, double x) {
    return ClaimResult{std::move(experiment),
                       std::move(says),
                       "share(accuracy > 0.9)",
                       x,
                       ">= 0.9",
                       x >= 0.9,
                       std::move(preset),
                       "it's a \"note\"",
                       {}};
  };
  store.keep_claims(
      {claim("b", "second", "quick", 1), claim("b", "first", "quick", nan), claim("b", "first", "full", 0.5)});
  store.keep_claims({claim("a", "'; DROP TABLE claims; --", "quick", 0.95)});
  store.keep_claims({claim("b", "new", "quick", -HUGE_VAL)});
  const auto all = store.claims();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].claim, "'; DROP TABLE claims; --");
  EXPECT_TRUE(all[0].held);
  EXPECT_EQ(all[0].note, "it's a \"note\"");
  EXPECT_EQ(all[1].preset, "full");
  EXPECT_EQ(all[2].claim, "new");
  EXPECT_EQ(all[2].value, -HUGE_VAL);
  store.keep_claims({claim("c", "one", "quick", nan), claim("c", "two", "quick", 2)});
  const auto of_c = store.claims("c");
  ASSERT_EQ(of_c.size(), 2u);
  EXPECT_TRUE(std::isnan(of_c[0].value));
  EXPECT_EQ(of_c[1].claim, "two");
  EXPECT_EQ(of_c[1].wanted, ">= 0.9");
  // Files that share a name do not share claims, neither with each other nor with the shipped experiment.
  std::vector<ClaimResult> here{claim("c", "here", "quick", 3)}, there{claim("c", "there", "quick", 4)};
  here[0].source = "/here/c.toml";
  there[0].source = "/there/c.toml";
  store.keep_claims(here);
  store.keep_claims(there);
  here[0].claim = "here, again";
  store.keep_claims(here);
  const auto apart = store.claims("c");
  ASSERT_EQ(apart.size(), 4u);
  EXPECT_EQ(apart[0].source, "");
  EXPECT_EQ(apart[2].source, "/here/c.toml");
  EXPECT_EQ(apart[2].claim, "here, again");
  EXPECT_EQ(apart[3].claim, "there");
}

TEST(Store, MissingFileReadsAsEmpty) {
  const Folder folder;
  const Store store(folder / "none.db", Store::Mode::read_only);
  EXPECT_EQ(store.count(), 0);
  EXPECT_TRUE(store.query({}).empty());
  EXPECT_TRUE(store.claims().empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "none.db"));
}

}  // namespace
}  // namespace fovea
