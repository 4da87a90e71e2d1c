#include "fovea/lab/store/store.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "fovea/io/half.h"
#include "fovea/io/toml_reader.h"
#include "tests/lab/store/store_sample.h"

namespace fovea {
namespace {

using namespace testing_parts;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void expect_same(const RunRecord& a, const RunRecord& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.experiment, b.experiment);
  EXPECT_EQ(a.hash, b.hash);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.machine, b.machine);
  EXPECT_EQ(a.started, b.started);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a.seconds), std::bit_cast<std::uint64_t>(b.seconds));
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.spec.table(), b.spec.table());
  EXPECT_EQ(a.spec.seed, b.spec.seed);
  ASSERT_EQ(a.series.size(), b.series.size());
  for (const auto& [name, series] : a.series) {
    ASSERT_TRUE(b.series.contains(name)) << name;
    EXPECT_EQ(series.steps, b.series.at(name).steps);
    EXPECT_TRUE(same_bits(series.values, b.series.at(name).values)) << name;
  }
  ASSERT_EQ(a.arrays.size(), b.arrays.size());
  for (std::size_t i = 0; i < a.arrays.size(); ++i) {
    EXPECT_EQ(a.arrays[i].name, b.arrays[i].name);
    EXPECT_EQ(a.arrays[i].step, b.arrays[i].step);
    EXPECT_EQ(a.arrays[i].shape, b.arrays[i].shape);
    ASSERT_EQ(a.arrays[i].values.size(), b.arrays[i].values.size());
    for (std::size_t j = 0; j < a.arrays[i].values.size(); ++j)
      EXPECT_EQ(std::bit_cast<std::uint32_t>(a.arrays[i].values[j]),
                std::bit_cast<std::uint32_t>(b.arrays[i].values[j]));
  }
}

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

std::vector<std::uint64_t> seeds(const std::vector<RunRecord>& runs) {
  std::vector<std::uint64_t> all;
  for (const RunRecord& run : runs) all.push_back(run.spec.seed);
  return all;
}

using Seeds = std::vector<std::uint64_t>;

class Queries : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::uint64_t seed = 1; seed <= 9;
         ++seed) {  // accuracy: seed hundredths; vocab 40, 50 or 60 as seed mod 3 says
      RunRecord run = sample_run(seed * 10);
      run.spec.seed = seed;
      if (seed == 7) run.spec.interventions = {{ValueTable{{"hold", {std::string("truth"), {}}}}, {}}};
      run.hash = run.spec.hash();
      if (seed == 4) run.series["accuracy"] = {{0, 100, 200}, {0, 0.9, nan}};
      if (seed == 5) run.series.erase("accuracy");
      if (seed >= 8) run.experiment = "other";
      store.keep(run);
    }
  }
  std::vector<RunRecord> where(const std::string& text, const std::string& sort = {}, std::int64_t limit = -1) {
    RunQuery query;
    if (!text.empty()) query.where = Expression::parse(text);
    query.sort = sort;
    query.limit = limit;
    return store.query(query);
  }
  const Folder folder;
  Store store{folder / "runs.db"};
};

TEST_F(Queries, ConditionsReadMetricsSettingsAndSeries) {
  EXPECT_EQ(seeds(where("")), (Seeds{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(seeds(where("accuracy >= 0.06")), (Seeds{6, 7, 8, 9}));
  EXPECT_EQ(seeds(where("task.vocab = 40")), (Seeds{3, 6, 9}));
  EXPECT_EQ(seeds(where("task.vocab = 40 and accuracy < 0.07")), (Seeds{3, 6}));
  EXPECT_EQ(seeds(where("seed < 3 or experiment = \"other\"")), (Seeds{1, 2, 8, 9}));
  EXPECT_EQ(seeds(where("step_of(accuracy >= 0.5) = 100")), (Seeds{4}));
  EXPECT_EQ(seeds(where("max_over(accuracy) > 0.075")), (Seeds{4, 8, 9}));
  EXPECT_EQ(seeds(where("task.distinct = true and seed = 2")), (Seeds{2}));
  EXPECT_EQ(seeds(where("model.name = \"seq2seq\" and seed = 2")), (Seeds{2}));
  EXPECT_EQ(seeds(where("steps_to_50 = 100")), (Seeds{4}));
  EXPECT_THROW(where("median(accuracy) > 0"), Error);
}

TEST_F(Queries, ConditionsReadWhatInterventionsSay) {
  EXPECT_EQ(seeds(where("hold = \"truth\"")), (Seeds{7}));
  EXPECT_EQ(seeds(where("hold = \"none\" and seed > 4")), (Seeds{5, 6, 8, 9}));
  EXPECT_EQ(seeds(where("interventions = 1")), (Seeds{7}));
}

std::string mistake_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    return error.what();
  }
  return "nothing is wrong";
}

TEST_F(Queries, ANameThatNoRunHasIsSaidWithTheNearest) {
  EXPECT_EQ(mistake_of([&] { where("acuracy > 0"); }),
            "no run has a metric or setting 'acuracy'. Did you mean 'accuracy'?");
  EXPECT_EQ(mistake_of([&] { where("vocab > 0"); }),
            "no run has a metric or setting 'vocab'. Did you mean 'task.vocab'?");
  EXPECT_EQ(mistake_of([&] { where("", "-sed"); }), "sort: no run has a metric or setting 'sed'. Did you mean 'seed'?");
  EXPECT_EQ(mistake_of([&] { where("", "median(accuracy)"); }),
            "sort: 'median(accuracy)' is over many runs, and here there is one. Drop share, median and the like.");
  EXPECT_NE(mistake_of([&] { where("step > 3"); }).find("'steps'"), std::string::npos);
  EXPECT_NE(mistake_of([&] { where("intervene = 3"); }).find("no run has"), std::string::npos);
  RunQuery query;
  query.experiment = "copy-subste";
  EXPECT_NE(mistake_of([&] { store.query(query); }).find("Did you mean 'copy-subset'?"), std::string::npos);
  query.experiment = "copy-permutation";  // shipped, and without runs
  EXPECT_TRUE(store.query(query).empty());
  const Store empty(folder / "none.db", Store::Mode::read_only);
  query.experiment = "never heard of";
  query.where = Expression::parse("nor_of_this > 3");
  EXPECT_TRUE(empty.query(query).empty());
}

TEST_F(Queries, NamesAreThoseThatRunsHave) {
  const Store::Names names = store.names();
  EXPECT_EQ(names.experiments, (std::vector<std::string>{"copy-subset", "other"}));
  EXPECT_EQ(names.metrics, (std::vector<std::string>{"accuracy", "loss"}));
  EXPECT_EQ(names.settings, (std::vector<std::string>{"model.hidden", "model.name", "probe.names", "task.distinct",
                                                      "task.name", "task.vocab", "train.rate", "train.steps", "seed"}));
}

// What a person could try, by mistake or not, finds nothing or is refused, and leaves every run.
TEST_F(Queries, SqlInNamesIsANameAndNoMore) {
  const std::string evil = "'; DROP TABLE runs; --";
  for (const std::string& text : {"experiment = \"" + evil + "\"", std::string("state = '\"; DELETE FROM metrics; --'"),
                                  std::string("task.name = \"copy' OR '1'='1\"")})
    EXPECT_TRUE(where(text).empty()) << text;
  for (const std::string& text : {evil, "accuracy" + evil, std::string("1; DELETE FROM runs"), std::string("x OR 1=1")})
    EXPECT_NE(mistake_of([&] { where(text); }), "nothing is wrong") << text;
  for (const std::string& sort : {evil, std::string("accuracy; DROP TABLE runs"), std::string("id DESC, (SELECT 1)")})
    EXPECT_NE(mistake_of([&] { where("", sort); }), "nothing is wrong") << sort;
  RunQuery query;
  query.experiment = evil;
  EXPECT_NE(mistake_of([&] { store.query(query); }), "nothing is wrong");
  EXPECT_EQ(store.count(), 9);
  EXPECT_EQ(seeds(where("accuracy >= 0.06")), (Seeds{6, 7, 8, 9}));
}

TEST_F(Queries, OrderAndLimit) {
  EXPECT_EQ(seeds(where("", "-accuracy")), (Seeds{9, 8, 7, 6, 3, 2, 1, 4, 5}));  // without a value: last
  EXPECT_EQ(seeds(where("", "accuracy", 3)), (Seeds{1, 2, 3}));
  EXPECT_EQ(seeds(where("seed < 7", "-seed", 2)), (Seeds{6, 5}));
  EXPECT_EQ(seeds(where("", "task.vocab", 4)), (Seeds{3, 6, 9, 1}));
  EXPECT_EQ(seeds(where("", "-experiment", 2)), (Seeds{8, 9}));
  EXPECT_EQ(seeds(where("", "", 2)), (Seeds{1, 2}));
  EXPECT_EQ(seeds(where("", "", 0)), Seeds{});
  EXPECT_EQ(seeds(where("", "-id", 1)), (Seeds{9}));
  EXPECT_EQ(seeds(where("", "-max_over(accuracy)", 2)), (Seeds{4, 9}));
  EXPECT_EQ(seeds(where("", "0 - seed", 2)), (Seeds{9, 8}));
  EXPECT_EQ(seeds(where("accuracy > 0.05", "steps_to_1", 1)), (Seeds{6}));
  std::int64_t fitting = 0;
  RunQuery query;
  query.where = Expression::parse("seed > 3");
  query.limit = 2;
  EXPECT_EQ(seeds(store.query(query, &fitting)), (Seeds{4, 5}));
  EXPECT_EQ(fitting, 6);
  query.columns = {"accuracy"};
  EXPECT_EQ(seeds(store.query(query, &fitting)), (Seeds{4, 5}));
  EXPECT_EQ(fitting, 6);
}

TEST_F(Queries, WhatIsReadIsWhatIsAsked) {
  RunQuery query;
  query.experiment = "other";
  auto runs = store.query(query);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].series.at("accuracy").values, std::vector<double>{0.08});
  EXPECT_EQ(runs[0].series.at("accuracy").steps, std::vector<std::int64_t>{200});
  EXPECT_EQ(runs[0].metrics().at("loss"), 0.92);
  query.with_series = true;
  EXPECT_EQ(store.query(query)[0].series.at("accuracy").values.size(), 3u);
  query.columns = {"accuracy", "task.vocab", "probe.names", "no such"};
  runs = store.query(query);
  EXPECT_EQ(runs[0].series.at("accuracy").values.size(), 3u);
  EXPECT_EQ(runs[0].series.size(), 1u);
  EXPECT_EQ(*runs[1].spec.setting("task.vocab")->as<std::int64_t>(), 40);
  EXPECT_EQ(runs[1].spec.setting("probe.names")->text(), "[\"accuracy\", \"loss\"]");
  EXPECT_FALSE(runs[1].spec.setting("train.rate"));
  query.with_series = false;
  query.experiment.clear();
  query.sort = "-accuracy";
  query.where = Expression::parse("seed > 3");
  runs = store.query(query);
  EXPECT_EQ(seeds(runs), (Seeds{9, 8, 7, 6, 4, 5}));
  EXPECT_EQ(runs[0].metrics().at("accuracy"), 0.09);
  EXPECT_FALSE(runs[5].series.contains("accuracy"));
  EXPECT_EQ(runs[0].machine, "a test machine, 2 cores");
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
