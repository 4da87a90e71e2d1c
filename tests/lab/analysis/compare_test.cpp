#include "fovea/lab/analysis/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/lab/store/store_sample.h"

namespace fovea {
namespace {

using namespace testing_parts;

RunRecord run_of(std::int64_t id, std::uint64_t seed, int vocab, double accuracy) {
  RunRecord run = sample_run(seed);
  run.id = id;
  run.spec.task["vocab"] = value(vocab);
  run.series["accuracy"].values[2] = accuracy;
  return run;
}

Comparison compared(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b,
                    const std::string& metric = "accuracy") {
  return compare(a, b, std::vector<Expression>{Expression::parse(metric)});
}

std::string mistake_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    return error.what();
  }
  return "nothing is wrong";
}

// By hand: of the 2^n choices of signs, those whose sum is as far from 0.
TEST(SignFlip, CountsChoicesExactly) {
  EXPECT_EQ(sign_flip_test(std::vector<double>{1, 2, 3}).p, 2.0 / 8);
  EXPECT_EQ(sign_flip_test(std::vector<double>{1, 2, 3}).choices, 8);
  EXPECT_EQ(sign_flip_test(std::vector<double>{-1, 2, 3}).p, 4.0 / 8);  // sums 4 and -4, 6 and -6
  EXPECT_EQ(sign_flip_test(std::vector<double>{-1, -2, -3, -4, -5}).p, 2.0 / 32);
  EXPECT_EQ(sign_flip_test(std::vector<double>{0, 0, 0}).p, 1);
  EXPECT_EQ(sign_flip_test(std::vector<double>{5}).p, 1);
  EXPECT_EQ(sign_flip_test(std::vector<double>{1, -1}).p, 1);
  EXPECT_TRUE(std::isnan(sign_flip_test({}).p));
  // Equal sums that are not equal in their last digits: 0.1 + 0.2 and 0.3.
  EXPECT_EQ(sign_flip_test(std::vector<double>{0.1, 0.2, -0.3}).p, 1);
  EXPECT_EQ(sign_flip_test(std::vector<double>(20, 0.1)).p, 2.0 / (1 << 20));
}

TEST(SignFlip, DrawsChoicesWhereTheyAreTooMany) {
  const SignFlipTest alike = sign_flip_test(std::vector<double>(30, 1.0));
  EXPECT_FALSE(alike.exact);
  EXPECT_EQ(alike.choices, 100'000);
  EXPECT_EQ(alike.p, 1.0 / 100'000);  // none but the one seen
  // 21 pairs are drawn and 20 are counted: nearly the same data, nearly the same p.
  std::vector<double> differences;
  for (int i = 0; i < 20; ++i) differences.push_back(std::sin(i * 7.0) + 0.25);
  const double exact = sign_flip_test(differences).p;
  differences.push_back(0);
  EXPECT_NEAR(sign_flip_test(differences).p, exact, 0.01);
  EXPECT_GT(exact, 0.02);
}

// Above `most_resampled` pairs the normal distribution takes the place of drawn signs: nearly the same p.
TEST(SignFlip, IsNormalWhereThePairsAreVeryMany) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < most_resampled; ++i) differences.push_back(std::sin(static_cast<double>(i) * 7) + 0.012);
  const SignFlipTest drawn = sign_flip_test(differences);
  EXPECT_EQ(drawn.choices, 100'000);
  const Estimate resampled = mean_interval(differences, 0, 1000);
  differences.push_back(0);
  const SignFlipTest normal = sign_flip_test(differences);
  EXPECT_EQ(normal.choices, -1);
  EXPECT_FALSE(normal.exact);
  EXPECT_NEAR(normal.p, drawn.p, 0.006);
  EXPECT_GT(normal.p, 0.02);
  const Estimate interval = mean_interval(differences, 0, 1000);
  EXPECT_NEAR(interval.low, resampled.low, 0.002);
  EXPECT_NEAR(interval.high, resampled.high, 0.002);
  EXPECT_NEAR(interval.mean, resampled.mean, 1e-5);
  EXPECT_EQ(sign_flip_test(std::vector<double>(most_resampled + 1, 0.0)).p, 1);
  EXPECT_LT(sign_flip_test(std::vector<double>(most_resampled + 1, 1.0)).p, 1e-100);
}

TEST(Compare, PairsOverSeeds) {
  std::vector<RunRecord> a, b;
  for (int seed = 0; seed < 6; ++seed) {
    a.push_back(run_of(seed + 1, static_cast<std::uint64_t>(seed), 40, 0.5 + 0.01 * seed));
    b.insert(b.begin(), run_of(seed + 11, static_cast<std::uint64_t>(seed), 60, 0.7 + 0.02 * seed));  // another order
  }
  b.push_back(run_of(20, 99, 60, 0));
  const Comparison found = compared(a, b);
  ASSERT_EQ(found.settings.size(), 1u);
  EXPECT_EQ(found.settings[0].name, "task.vocab");
  EXPECT_EQ(found.settings[0].a, "40");
  EXPECT_EQ(found.settings[0].b, "60");
  EXPECT_EQ(found.paired_by, std::vector<std::string>{"seed"});
  EXPECT_EQ(found.pairs, 6);
  EXPECT_EQ(found.alone_a, 0);
  EXPECT_EQ(found.alone_b, 1);
  const MetricDifference& accuracy = found.metrics.at(0);
  ASSERT_EQ(accuracy.differences.size(), 6u);
  EXPECT_NEAR(accuracy.mean_a, 0.525, 1e-12);
  EXPECT_NEAR(accuracy.mean_b, 0.75, 1e-12);
  EXPECT_NEAR(accuracy.interval.mean, 0.225, 1e-12);
  EXPECT_GT(accuracy.interval.low, 0.2);
  EXPECT_LT(accuracy.interval.high, 0.25);
  EXPECT_EQ(accuracy.test.p, 2.0 / 64);
}

TEST(Compare, RefusesRunsOfSeveralArithmetics) {
  std::vector<RunRecord> a{run_of(1, 0, 40, 0.5)}, b{run_of(2, 0, 60, 0.7)};
  a[0].arithmetic = 0;
  const std::string mistake = mistake_of([&] { compared(a, b); });
  EXPECT_NE(mistake.find("run 1 is of arithmetic revision 0, and run 2 is of revision 1"), std::string::npos)
      << mistake;
  b[0].arithmetic = 0;
  EXPECT_EQ(compared(a, b).pairs, 1);
}

TEST(Compare, MediansAreOfTheNewestArithmetic) {
  std::vector<RunRecord> runs{run_of(1, 0, 40, 0.5), run_of(2, 1, 40, 0.6), run_of(3, 2, 40, 0.7)};
  EXPECT_EQ(keep_newest_arithmetic(runs), 0u);
  runs[1].arithmetic = 0;
  EXPECT_EQ(keep_newest_arithmetic(runs), 1u);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[1].id, 3);
}

TEST(Compare, LeavesOutWhatIsNotDone) {
  std::vector<RunRecord> a, b;
  for (int seed = 0; seed < 3; ++seed) {
    a.push_back(run_of(seed + 1, static_cast<std::uint64_t>(seed), 40, 0.5));
    b.push_back(run_of(seed + 11, static_cast<std::uint64_t>(seed), 60, seed == 1 ? 0.1 : 0.7));
  }
  b[1].state = RunState::stopped;
  a.push_back(run_of(4, 7, 40, 0.5));
  a.back().state = RunState::failed;
  a.back().spec.task["vocab"] = value(60);  // what is left out neither pairs nor tells apart
  const Comparison found = compared(a, b);
  EXPECT_EQ(found.pairs, 2);
  EXPECT_EQ(found.settings.size(), 1u);
  EXPECT_EQ(found.paired_by, std::vector<std::string>{"seed"});
  EXPECT_EQ(found.unfinished_a, 1);
  EXPECT_EQ(found.unfinished_b, 1);
  EXPECT_EQ(found.alone_a, 1);
  EXPECT_EQ(found.alone_b, 0);
  EXPECT_NEAR(found.metrics[0].mean_b, 0.7, 1e-12);
  const Comparison single = compared({a[1]}, {b[1]});  // named one by one
  EXPECT_EQ(single.pairs, 1);
  EXPECT_EQ(single.unfinished_b, 0) << "nothing is left out";
}

TEST(Compare, PairsByWhateverElseVaries) {
  std::vector<RunRecord> a, b;
  std::int64_t id = 0;
  for (const double rate : {1e-3, 1e-2})
    for (std::uint64_t seed = 0; seed < 3; ++seed)
      for (auto* group : {&a, &b}) {
        group->push_back(run_of(++id, seed, group == &a ? 40 : 60, rate * 10 + (group == &a ? 0 : 0.5)));
        group->back().spec.train["rate"] = value(rate);
        group->back().spec.train["threads"] = value(static_cast<int>(id));  // changes no number
      }
  const Comparison found = compared(a, b);
  EXPECT_EQ(found.paired_by, (std::vector<std::string>{"seed", "train.rate"}));
  EXPECT_EQ(found.settings.size(), 1u);
  EXPECT_EQ(found.pairs, 6);
  for (const double difference : found.metrics[0].differences) EXPECT_NEAR(difference, 0.5, 1e-12);
}

TEST(Compare, NamesTheRunsThatAreInPairs) {
  const std::vector<RunRecord> a{run_of(1, 0, 40, 0.1), run_of(2, 1, 40, 0.2)};
  const std::vector<RunRecord> b{run_of(3, 5, 60, 0.3), run_of(4, 1, 60, 0.4), run_of(5, 7, 60, 0.5)};
  const Comparison found = compared(a, b);
  EXPECT_EQ(found.in_pair_a, (std::vector<bool>{false, true}));
  EXPECT_EQ(found.in_pair_b, (std::vector<bool>{false, true, false}));
}

TEST(Compare, OfTwoRunsThatDifferInAListTheIdIsProposed) {
  std::vector<RunRecord> a{run_of(1, 0, 40, 0.1), run_of(2, 0, 40, 0.2)};
  std::vector<RunRecord> b{run_of(3, 0, 60, 0.3)};
  const auto mistake = [&] { return mistake_of([&] { compared(a, b); }); };
  a[1].spec.probe["names"] = Value{ValueList{{"loss", {}}}, {}};
  b[0].spec.probe["names"] = Value{ValueList{{"entropy", {}}}, {}};
  EXPECT_NE(mistake().find("Leave one of them out: add 'and id != 2' to A."), std::string::npos) << mistake();
  a[1].spec.model["hidden"] = value(9);
  b[0].spec.model["hidden"] = value(11);
  EXPECT_NE(mistake().find("Add a condition on model.hidden to A, or 'and id != 2' to leave run 2 out."),
            std::string::npos)
      << mistake();
}

TEST(Compare, RunsOfAStoreNeedNotBeReadWhole) {
  const Folder folder;
  Store store(folder / "runs.db");
  std::vector<RunRecord> a, b;
  for (int seed = 0; seed < 12; ++seed) {
    for (int which = 0; which < 2; ++which) {
      RunRecord run = run_of(0, static_cast<std::uint64_t>(seed), 40 + 10 * which, 0.1 * seed + 0.01 * which * seed);
      run.spec.model["hidden"] = value(seed < 9 ? 256 : 512);
      if (seed == 4 && which == 1) run.state = RunState::failed;
      if (seed == 5) run.series.erase("accuracy");
      run.hash.clear();
      store.keep(run);
      (which ? b : a).push_back(run);
    }
  }
  const std::vector<Expression> metrics{Expression::parse("accuracy"), Expression::parse("loss - accuracy"),
                                        Expression::parse("step_of(accuracy >= 0.5)")};
  RunQuery query_a, query_b;
  query_a.where = Expression::parse("task.vocab = 40");
  query_b.where = Expression::parse("task.vocab = 50");
  const Comparison whole = compare(a, b, metrics);
  const Comparison streamed =
      compare(compared_runs(store, query_a, metrics), compared_runs(store, query_b, metrics), metrics);
  EXPECT_EQ(streamed.pairs, 11);
  EXPECT_EQ(streamed.unfinished_b, 1);
  EXPECT_EQ(streamed.alone_a, whole.alone_a);
  EXPECT_EQ(streamed.paired_by, (std::vector<std::string>{"model.hidden", "seed"}));
  EXPECT_EQ(streamed.paired_by, whole.paired_by);
  ASSERT_EQ(streamed.settings.size(), 1u);
  EXPECT_EQ(streamed.settings[0].name, "task.vocab");
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    EXPECT_EQ(streamed.metrics[i].metric, whole.metrics[i].metric);
    EXPECT_EQ(streamed.metrics[i].differences, whole.metrics[i].differences);
    EXPECT_EQ(streamed.metrics[i].lacking, whole.metrics[i].lacking);
    EXPECT_EQ(streamed.metrics[i].test.p, whole.metrics[i].test.p);
  }
  EXPECT_EQ(streamed.metrics[0].differences.size(), 10u);
}

TEST(Compare, TwoRunsArePairedWhateverTheirSeeds) {
  const Comparison found = compared({run_of(1, 3, 40, 0.25)}, {run_of(2, 4, 40, 0.5)});
  EXPECT_EQ(found.pairs, 1);
  ASSERT_EQ(found.settings.size(), 1u);
  EXPECT_EQ(found.settings[0].name, "seed");
  EXPECT_EQ(found.metrics[0].interval.mean, 0.25);
  EXPECT_EQ(found.metrics[0].test.p, 1);
  const RunRecord one = run_of(1, 3, 40, 0.25);
  EXPECT_TRUE(compared({one}, {one}).settings.empty());
}

TEST(Compare, WhatWasNeverReachedIsNotCounted) {
  std::vector<RunRecord> a, b;
  for (int seed = 0; seed < 4; ++seed) {
    a.push_back(run_of(seed + 1, static_cast<std::uint64_t>(seed), 40, 0.95));
    b.push_back(run_of(seed + 11, static_cast<std::uint64_t>(seed), 60, seed == 2 ? 0.1 : 0.95));
    b.back().series["accuracy"].values[1] = seed == 2 ? 0.1 : 0.92;
  }
  const MetricDifference steps = compared(a, b, "steps_to_90").metrics[0];
  EXPECT_EQ(steps.lacking, 1);
  EXPECT_EQ(steps.differences, (std::vector<double>{-100, -100, -100}));
  EXPECT_EQ(steps.mean_a, 200);
  EXPECT_EQ(steps.mean_b, 100);
  const MetricDifference none = compared(a, b, "unheard_of").metrics[0];
  EXPECT_EQ(none.lacking, 4);
  EXPECT_TRUE(std::isnan(none.mean_a));
  EXPECT_TRUE(std::isnan(none.test.p));
}

TEST(Compare, WhatCanNotBePairedIsSaid) {
  const RunRecord one = run_of(1, 0, 40, 0.5);
  RunRecord other = run_of(2, 0, 40, 0.5);
  other.spec.train["rate"] = value(0.5);
  EXPECT_NE(mistake_of([&] { compared({one}, {}); }).find("B has no run"), std::string::npos);
  EXPECT_NE(mistake_of([&] { compared({one, other}, {other}); }).find("run 2 is in A and in B"), std::string::npos);
  RunRecord third = run_of(3, 0, 60, 0.5), fourth = run_of(4, 0, 60, 0.5);
  third.spec.train["rate"] = value(2.0);
  fourth.spec.train["rate"] = value(3.0);
  const std::string both = mistake_of([&] { compared({one, other}, {third, fourth}); });
  EXPECT_NE(both.find("runs 1 and 2 of A"), std::string::npos) << both;
  EXPECT_NE(both.find("differ in train.rate"), std::string::npos) << both;
  const Comparison apart = compared({one, run_of(5, 1, 40, 0.5)}, {run_of(6, 7, 60, 0.5)});
  EXPECT_EQ(apart.pairs, 0);
  EXPECT_EQ(apart.alone_a, 2);
}

}  // namespace
}  // namespace fovea
