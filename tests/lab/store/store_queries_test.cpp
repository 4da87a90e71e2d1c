// Runs asked for by conditions, names and order.
#include <gtest/gtest.h>

#include "fovea/lab/store/store.h"
#include "tests/lab/store/store_sample.h"

namespace fovea {
namespace {

using namespace testing_parts;

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
      if (seed == 4) run.series["accuracy"] = {{0, 100, 200}, {0, 0.9, std::numeric_limits<double>::quiet_NaN()}};
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
  EXPECT_EQ(seeds(where("intervene = \"hold truth\"")), (Seeds{7}));
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
  EXPECT_EQ(mistake_of([&] { where("state = done"); }), "'done' is a text without quotes. Write: state = \"done\".");
  EXPECT_EQ(mistake_of([&] { where("done"); }),
            "no run has a metric or setting 'done'. Put a text in quotes: \"done\".");
  EXPECT_EQ(mistake_of([&] { where("seed = \"0\""); }),
            "'seed' is a number, and \"0\" is a text. Write a number without quotes.");
  EXPECT_EQ(mistake_of([&] { where("accuracy < 1 or experiment != 3"); }),
            "'experiment' is a text, and 3 is a number. Put the text in quotes: \"3\".");
  EXPECT_EQ(mistake_of([&] { where("task.vcoab = 1"); }),
            "no run has a metric or setting 'task.vcoab'. Did you mean 'task.vocab'?");
  EXPECT_EQ(mistake_of([&] { where("accuracy"); }),
            "'accuracy' is not a condition. Write a comparison, as in 'accuracy >= 1'.");
  EXPECT_EQ(mistake_of([&] { where("accuracy > 0 and not id"); }),
            "'id' is not a condition. Write a comparison, as in 'id >= 1'.");
  EXPECT_EQ(mistake_of([&] { where("", "done"); }).find("quotes"), std::string::npos) << "no text can stand there";
  EXPECT_EQ(mistake_of([&] { where("", "-sed"); }), "sort: no run has a metric or setting 'sed'. Did you mean 'seed'?");
  EXPECT_EQ(mistake_of([&] { where("", "median(accuracy)"); }),
            "sort: 'median(accuracy)' needs many runs, and this is one run. Remove functions over runs, such as share "
            "and median.");
  EXPECT_NE(mistake_of([&] { where("step > 3"); }).find("'steps'"), std::string::npos);
  EXPECT_NE(mistake_of([&] { where("task = 3"); }).find("no run has"), std::string::npos);
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
  EXPECT_TRUE(where("tagged(\"" + evil + "\")").empty());
  for (const std::string& text : {"experiment = \"" + evil + "\"", std::string("state = '\"; DELETE FROM metrics; --'"),
                                  std::string("task.name = \"copy' OR '1'='1\""), evil, "accuracy" + evil,
                                  std::string("1; DELETE FROM runs"), std::string("x OR 1=1")})
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

// Without a condition no more rows are read than the limit; the count is of all.
TEST_F(Queries, NewestRunsAndHowManyThereAre) {
  store.put_in_bin(std::vector<std::int64_t>{2, 9});
  const auto newest = [&](RunQuery query, std::int64_t count) {
    std::int64_t matched = 0;
    const Seeds found = seeds(store.query(query, &matched));
    EXPECT_EQ(matched, count);
    return found;
  };
  RunQuery query;
  query.sort = "-id";
  query.limit = 3;
  EXPECT_EQ(newest(query, 7), (Seeds{8, 7, 6}));
  query.columns = {"accuracy"};
  EXPECT_EQ(newest(query, 7), (Seeds{8, 7, 6}));
  query.sort = "id";
  EXPECT_EQ(newest(query, 7), (Seeds{1, 3, 4}));
  query.experiment = "other";
  EXPECT_EQ(newest(query, 1), (Seeds{8}));
  query.in_bin = true;
  EXPECT_EQ(newest(query, 1), (Seeds{9}));
  query.experiment.clear();
  query.limit = 0;
  EXPECT_EQ(newest(query, 2), Seeds{});
  EXPECT_EQ(store.count(), 7);
}

TEST_F(Queries, VisitedRunsHaveWhatIsAskedForAndNothingOfTheOneBefore) {
  RunQuery query;
  query.where = Expression::parse("seed > 3 and seed < 8");
  query.columns = {"accuracy", "task.vocab"};
  std::vector<RunRecord> visited;
  store.visit(query, [&](const RunRecord& run, std::int64_t spec) {
    visited.push_back(run);
    EXPECT_EQ(store.spec(spec).setting("task.vocab"), run.spec.setting("task.vocab"));
    EXPECT_TRUE(store.spec(spec).setting("train.rate"));
  });
  const auto queried = store.query(query);
  ASSERT_EQ(seeds(visited), (Seeds{4, 5, 6, 7}));
  for (std::size_t i = 0; i < visited.size(); ++i) {
    EXPECT_EQ(visited[i].id, queried[i].id);
    EXPECT_EQ(visited[i].experiment, queried[i].experiment);
    EXPECT_EQ(visited[i].state, queried[i].state);
    EXPECT_EQ(visited[i].arithmetic, queried[i].arithmetic);
    EXPECT_EQ(visited[i].series.contains("accuracy"), i != 1);  // seed 5 has none
    EXPECT_EQ(visited[i].spec.setting("task.vocab"), queried[i].spec.setting("task.vocab"));
  }
  EXPECT_EQ(visited[2].series.at("accuracy").values, std::vector<double>{0.06});
  query.with_series = true;
  store.visit(query, [](const RunRecord& run, std::int64_t) {
    if (run.spec.seed != 5) {
      EXPECT_EQ(run.series.at("accuracy").values.size(), 3u);
    }
  });
  query.where = Expression::parse("no_such > 3");
  EXPECT_THROW(store.visit(query, [](const RunRecord&, std::int64_t) {}), Error);
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
  query.with_series = true;
  query.limit = 2;
  runs = store.query(query);
  EXPECT_EQ(seeds(runs), (Seeds{9, 8}));
  EXPECT_EQ(runs[1].series.at("accuracy").values.size(), 3u);
  EXPECT_EQ(runs[1].metrics().at("accuracy"), 0.08);
}

}  // namespace
}  // namespace fovea
