#include "fovea/lab/query/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/lab/train/mark.h"

namespace fovea {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

RunRecord run_of(std::int64_t vocab, std::uint64_t seed, std::vector<double> accuracy) {
  RunRecord run;
  run.experiment = "copy";
  run.id = static_cast<std::int64_t>(seed) + 1;
  run.state = RunState::done;
  run.steps = 40;
  run.spec.seed = seed;
  run.spec.task = {{"name", {std::string("copy"), {}}}, {"vocab", {vocab, {}}}, {"distinct", {true, {}}}};
  run.spec.train = {{"rate", {0.001, {}}}};
  for (std::size_t i = 0; i < accuracy.size(); ++i) {
    run.series["accuracy"].steps.push_back(static_cast<std::int64_t>(10 * i));
    run.series["accuracy"].values.push_back(accuracy[i]);
    run.series["loss"].steps.push_back(static_cast<std::int64_t>(10 * i));
    run.series["loss"].values.push_back(1 - accuracy[i]);
  }
  run.series["once"] = {{20}, {7.0}};
  return run;
}

const RunRecord& single() {
  static const RunRecord run = run_of(60, 3, {0.1, 0.5, 0.95, 0.8, 0.99});
  return run;
}

struct NumberCase {
  const char* text;
  double value;
};

void expect_close(double value, double wanted, const char* text) {
  EXPECT_TRUE(value == wanted || std::abs(value - wanted) < 1e-12) << text << " gives " << value << ", not " << wanted;
}

TEST(Expression, NumbersOfOneRun) {
  const NumberCase cases[] = {
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"8 / 4 / 2", 1},
      {"1 - 2 - 3", -4},
      {"--2", 2},
      {"-2 * -3", 6},
      {"1e-3 * 1e3", 1},
      {".5", 0.5},
      {"accuracy", 0.99},
      {"task.vocab", 60},
      {"seed", 3},
      {"train.rate", 0.001},
      {"id", 4},
      {"steps", 40},
      {"abs(-3)", 3},
      {"log(exp(2))", 2},
      {"sqrt(16)", 4},
      {"min(3, 1, 2)", 1},
      {"max(3, 1, 2)", 3},
      {"infinity", inf},
      {"-infinity", -inf},
      {"step_of(accuracy >= 0.9)", 20},
      {"step_of(accuracy > 2)", inf},
      {"steps_to_90", 20},
      {"steps_to_100", inf},
      {"10 * steps_to_90 + 1", 201},
      {"at(loss, steps_to_90) - at(loss, step_of(accuracy >= 0.9))", 0},
      {"step_of(accuracy >= 0.9 and loss < 0.02)", 40},
      {"step_of(accuracy >= 0.9 and step > 20)", 40},
      {"step_of(accuracy * task.vocab >= 30)", 10},
      {"step_of(once = 7)", 20},
      {"step_of(once = 7 and accuracy > 0.9)", 20},
      {"step_of(not accuracy < 0.9)", 20},
      {"step_of_rise(accuracy, 0.5)", 20},
      {"step_of_rise(accuracy, 0.1)", 10},
      {"step_of_rise(-loss, 0.9)", 20},
      {"step_of_rise(loss, 0.5)", inf},
      {"step_of_rise(accuracy, 1.01)", inf},
      {"first(accuracy)", 0.1},
      {"last(accuracy)", 0.99},
      {"min_over(accuracy)", 0.1},
      {"max_over(accuracy)", 0.99},
      {"max_over(loss)", 0.9},
      {"mean_over(accuracy)", (0.1 + 0.5 + 0.95 + 0.8 + 0.99) / 5},
      {"at(accuracy, 20)", 0.95},
      {"at(accuracy, 29)", 0.95},
      {"at(accuracy, step_of(accuracy > 2))", 0.99},
      {"at(accuracy, step_of(loss < 0.1))", 0.95},
      {"step_of(accuracy >= 0.9 * last(accuracy))", 20},
      {"last(accuracy) - first(accuracy)", 0.89},
      {"accuracy > 0.5", 1},
      {"accuracy < 0.5", 0},
      {"max_over(accuracy + once)", 7.95},
  };
  for (const NumberCase& c : cases) expect_close(Expression::parse(c.text).number(single()), c.value, c.text);
  for (const char* text : {"nothing", "nothing + 1", "task.nothing", "step_of(nothing > 1)", "at(accuracy, -1)",
                           "at(accuracy, 1e9)", "min(1, nothing)", "step_of_rise(nothing, 0.5)",
                           "step_of_rise(accuracy, nothing)", "task.name", "first(3)", "log(-1)"})
    EXPECT_TRUE(std::isnan(Expression::parse(text).number(single()))) << text;
}

TEST(Expression, ConditionsOfOneRun) {
  for (const char* text :
       {"accuracy >= 0.95 and task.vocab = 60", "task.name = \"copy\"", "task.name == 'copy'",
        "task.name != \"keyword\"", "task.distinct", "task.distinct = true", "not false", "accuracy > 2 or seed = 3",
        "1 < 2 and not 2 < 1 or false", "experiment = \"copy\"", "state = \"done\"", "true or nothing > 1",
        "accuracy!=0", "not (accuracy < 0.5 and nothing > 1)", "( ( accuracy ) ) > .5"})
    EXPECT_TRUE(Expression::parse(text).is_true(single())) << text;
  for (const char* text :
       {"accuracy < 0.95", "nothing > 1", "not nothing > 1", "nothing != 1", "nothing = nothing", "task.name = 3",
        "task.vocab = \"60\"", "nothing > 1 and true", "task.name", "not task.distinct", "once = 8"})
    EXPECT_FALSE(Expression::parse(text).is_true(single())) << text;
}

TEST(Expression, OverRuns) {
  std::vector<RunRecord> runs{run_of(40, 0, {0, 0.2}), run_of(40, 1, {0, 0.95}), run_of(60, 0, {0.9, 0.97}),
                              run_of(60, 1, {0, 0.99})};
  std::vector<const RunRecord*> all;
  for (const RunRecord& run : runs) all.push_back(&run);
  const NumberCase cases[] = {
      {"share(accuracy >= 0.95)", 0.75},
      {"share(accuracy >= 0.95 | task.vocab = 40)", 0.5},
      {"share_low(accuracy >= 0.95)", 0.30064184258240195},  // Wilson's interval of 3 of 4
      {"share_high(accuracy >= 0.95)", 0.9544127391902995},
      {"share_high(accuracy >= 0.95 | task.vocab = 60)", 1},
      {"count(accuracy >= 0.95)", 3},
      {"count(nothing > 1)", 0},
      {"share(nothing > 1)", 0},
      {"median(accuracy)", 0.96},
      {"median(accuracy | task.vocab = 60)", 0.98},
      {"mean(seed)", 0.5},
      {"least(accuracy)", 0.2},
      {"most(accuracy)", 0.99},
      {"deviation(seed)", std::sqrt(1.0 / 3)},
      {"median(step_of(accuracy >= 0.9))", 10},
      {"most(step_of(accuracy >= 0.9))", inf},
      {"median(step_of(accuracy >= 0.96))", inf},
      {"median(step_of(accuracy >= 0.9) | task.vocab = 60)", 5},
      {"rank_correlation(accuracy, accuracy)", 1},
      {"log_slope(accuracy, accuracy * accuracy)", 2},
      {"rank_correlation(accuracy, -accuracy)", -1},
      {"median(accuracy | task.vocab = 60) - median(accuracy | task.vocab = 40)", 0.98 - 0.575},
      {"rank_correlation(accuracy, seed)", 2 / std::sqrt(20.0)},
      // Of 40 words both seeds' medians are 0.575, of 60 words 0.98: two settings, in order or not.
      {"median_rank_correlation(accuracy, task.vocab)", 1},
      {"median_rank_correlation(accuracy, -task.vocab)", -1},
      {"median_rank_correlation(step_of(accuracy >= 0.9), accuracy)", -1},
      {"share(accuracy > 0.5) >= 0.7", 1},
      {"count(accuracy > 0 | false)", 0},
      {"rank_correlation(step_of(accuracy >= 0.9), accuracy)", -3 / std::sqrt(4.5 * 5)},
  };
  for (const NumberCase& c : cases) expect_close(Expression::parse(c.text).number(all), c.value, c.text);
  for (const char* text :
       {"median(nothing)", "share(true | false)", "share_low(true | false)", "accuracy", "median(accuracy) - accuracy",
        "rank_correlation(accuracy, 1)", "median_rank_correlation(accuracy, 1)",
        "median_rank_correlation(nothing, accuracy)", "deviation(accuracy | task.vocab = 40 and seed = 0)"})
    EXPECT_TRUE(std::isnan(Expression::parse(text).number(all))) << text;
  const std::vector<const RunRecord*> one{all[3]};
  EXPECT_EQ(Expression::parse("accuracy").number(one), 0.99);
  EXPECT_EQ(Expression::parse("most(accuracy) - accuracy").number(one), 0);
}

TEST(Expression, TellsWhatStandsForAConditionAndWhatIsReadStepByStep) {
  using Names = std::set<std::string>;
  const auto bare = [](const char* text) { return Expression::parse(text).bare_conditions(); };
  EXPECT_EQ(bare("accuracy and not (task.distinct or loss > 1)"), (Names{"accuracy", "task.distinct"}));
  EXPECT_EQ(bare("accuracy > 0.9 and step_of(loss < 1) < 3"), Names{});
  EXPECT_TRUE(Expression::parse("loss - first(loss)").reads_single_steps());
  EXPECT_FALSE(Expression::parse("max_over(loss) - first(loss)").reads_single_steps());
}

TEST(Expression, SaysWhatIsWrongAndWhere) {
  const struct {
    const char *text, *column, *problem, *remedy;
  } cases[] = {
      {"", "column 1", "a value is missing", "write a metric"},
      {"accuracy >=", "column 12", "a value is missing", "write a metric"},
      {"accuracy >= 0.9)", "column 16", "')' is not expected", "join"},
      {"(accuracy >= 0.9", "column 17", "a ')' is missing", "column 1"},
      {"accuracy & loss", "column 10", "there is no operator '&'", "write 'and'"},
      {"a = 1 && b = 2", "column 7", "there is no operator '&&'", "write 'and'"},
      {"a = 1 OR b = 2", "column 7", "there is no operator 'OR'", "write 'or'"},
      {"a => 1", "column 3", "there is no operator '=>'", "write '>='"},
      {"a =< 1", "column 3", "there is no operator '=<'", "write '<='"},
      {"a <> 1", "column 3", "there is no operator '<>'", "write '!='"},
      {"a ≥ 1", "column 3", "there is no operator '≥'", "write '>='"},
      {"a is 1", "column 3", "there is no operator 'is'", "write '='"},
      {"seed in 1,2", "column 6", "there is no operator 'in'", "seed = 1 or seed = 2"},
      {"a > 90%", "column 7", "there is no operator '%'", "0.9"},
      {"!(a = 1)", "column 1", "'!' is not expected", "write 'not'"},
      {"a > 0,5", "column 6", "',' is not expected", "write a decimal number with a point: 0.5"},
      {"seed = 1, 2", "column 9", "',' is not expected", "write seed = 1 or seed = 2"},
      {"a > 1, b > 2", "column 6", "',' is not expected", "join conditions"},
      {"a, b", "column 2", "',' is not expected", "write several metrics with spaces between them"},
      {"seed = 0..4", "column 10", "a condition has no range", "write seed >= 0 and seed <= 4"},
      {"is_done and in_bin", nullptr, nullptr, nullptr},
      {"a b", "column 3", "'b' is not expected", "an operator in front of it"},
      {"a > 1 bcd", "column 7", "'bcd' is not expected", "and"},
      {"medain(accuracy)", "column 1", "there is no function 'medain'", "did you mean 'median'?"},
      {"median()", "column 1", "has no argument", "median(METRIC)"},
      {"share(a, b)", "column 1", "takes exactly 1 value, not 2", "write share(CONDITION)"},
      {"at(loss)", "column 1", "takes exactly 2 values, not 1", "at(METRIC, STEP), as in at(loss, 100)"},
      {"rank_correlation(a)", "column 1", "takes exactly 2 values, not 1", "rank_correlation(METRIC, METRIC)"},
      {"median_rank_correlation(a)", "column 1", "takes exactly 2 values, not 1",
       "median_rank_correlation(METRIC, METRIC)"},
      {"median(a, b)", "column 1", "takes exactly 1 value, not 2", "median(METRIC)"},
      {"min(a)", "column 1", "takes at least 2 values, not 1", "min(METRIC, METRIC"},
      {"share(accuracy)", nullptr, nullptr, nullptr},
      {"share(3)", "column 7", "takes a condition, not a number", "comparison"},
      {"median(a > 1)", "column 8", "takes a number, not a condition", "metric"},
      {"median(share(a > 1))", "column 8", "is inside another", "one at a time"},
      {"step_of(share(a > 1) > 2)", "column 9", "inside a function of one run's series", "swap"},
      {"last(last(last(a)))", "column 11", "nested too deeply", "two levels"},
      {"last(a | b > 1)", "column 1", "only functions over runs", "drop"},
      {"median(a | 3)", "column 12", "takes a condition, not a number", "comparison"},
      {"a < \"x\"", "column 5", "takes a number, not a text", "metric"},
      {"\"x\" = 3", "column 7", "takes a text, not a number", "quotes"},
      {"1 < 2 < 3", "column 7", "'<' is not expected", "and"},
      {"\"abc", "column 1", "has no closing quote", "close"},
      {"3x", "column 2", "a number and a word touch", "write the number alone, or an operator"},
      {"1e999", "column 1", "too large", "0.95"},
      {"and", "column 1", "'and' is not expected", "both sides"},
      {"median > 3", "column 1", "is a function", "median("},
      {"task. = 3", "column 1", "ends in a dot", "task.vocab"},
      {"not 3", "column 5", "takes a condition", "comparison"},
      {"a > 1 and 3", "column 11", "takes a condition", "comparison"},
      {"a + µ", "column 5", "'µ' is not expected", "metric"},
  };
  for (const auto& c : cases) {
    if (!c.column) {
      EXPECT_NO_THROW(Expression::parse(c.text)) << c.text;
      continue;
    }
    try {
      Expression::parse(c.text, {"x.toml", 3, 7});
      ADD_FAILURE() << c.text << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
      EXPECT_EQ(error.location().text(), "x.toml:3:7");
      EXPECT_NE(error.problem().text().find(std::string(c.column) + ":"), std::string::npos) << error.what();
      EXPECT_NE(error.problem().text().find(c.problem), std::string::npos) << error.what();
      EXPECT_NE(error.remedy().text().find(c.remedy), std::string::npos) << error.what();
    }
  }
}

TEST(Expression, IsBoundedInLengthAndDepth) {
  const auto nested = [](const std::string& open, const std::string& close, std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += open;
    text += "1";
    for (std::size_t i = 0; i < n; ++i) text += close;
    return text;
  };
  EXPECT_EQ(Expression::parse(nested("(", ")", 150)).number(single()), 1);
  EXPECT_THROW(Expression::parse(nested("(", ")", 1000)), Error);
  EXPECT_THROW(Expression::parse(nested("-", "", 1000)), Error);
  EXPECT_THROW(Expression::parse(nested("not ", "", 900)), Error);
  EXPECT_THROW(Expression::parse(nested("abs(", ")", 700)), Error);
  EXPECT_THROW(Expression::parse(std::string(5000, ' ') + "1"), Error);
  EXPECT_EQ(Expression::parse(nested("1+", "", 190)).number(single()), 191);
  EXPECT_THROW(Expression::parse(nested("1+", "", 300)), Error);  // a chain is as deep as it is long
}

TEST(Expression, KnowsItsUseAndItsNames) {
  const Expression claim =
      Expression::parse("share(step_of(accuracy >= 0.9 and step > 3) < 50 | task.vocab = 60) + seed");
  EXPECT_EQ(claim.names(), (std::set<std::string>{"accuracy", "task.vocab", "seed"}));
  EXPECT_EQ(claim.quantities(), (std::set<std::string>{"step_of(accuracy >= 0.9 and step > 3)", "task.vocab", "seed"}));
  EXPECT_EQ(Expression::parse("mean( at(loss, steps_to_90) - steps_to_50 | tagged('good') )").quantities(),
            (std::set<std::string>{"at(loss, steps_to_90)", "steps_to_50", "tagged('good')"}));
  EXPECT_TRUE(claim.has_aggregate());
  EXPECT_TRUE(claim.reads_outside_aggregates());
  EXPECT_FALSE(Expression::parse("share(accuracy > 1)").reads_outside_aggregates());
  EXPECT_THROW(claim.require_single_run(), Error);
  EXPECT_THROW(claim.number(single()), Error);
  EXPECT_THROW(Expression::parse("accuracy + 1").require_condition(), Error);
  EXPECT_THROW(Expression::parse("accuracy + 1").is_true(single()), Error);
  EXPECT_TRUE(run_has(single(), "accuracy") && run_has(single(), "task.vocab") && run_has(single(), "seed") &&
              run_has(single(), "state"));
  EXPECT_FALSE(run_has(single(), "nothing") || run_has(single(), "task.nothing") || run_has(single(), "task"));
}

// A hold until step 20: evaluations at steps 0 and 10 are made under it, too.
TEST(Expression, AsTrainedIsUnderTheHoldWhereThereIsOne) {
  RunRecord run = single();
  run.series["accuracy_held"] = {{0, 10}, {0.2, 0.3}};
  const auto number = [&run](const std::string& text) { return Expression::parse(text).number(run); };
  EXPECT_EQ(number("as_trained(accuracy)"), 0.99);  // released by the end
  EXPECT_EQ(number("first(as_trained(accuracy))"), 0.2);
  EXPECT_EQ(number("at(as_trained(accuracy), 10)"), 0.3);
  EXPECT_EQ(number("step_of(as_trained(accuracy) >= 0.5)"), 20);
  EXPECT_EQ(number("step_of(accuracy >= 0.5)"), 10);
  EXPECT_EQ(number("as_trained(loss)"), number("loss"));  // without a second name
  run.series["accuracy_held"] = {{0, 10, 20, 30, 40}, {0.2, 0.3, 0.3, 0.3, 0.4}};
  EXPECT_EQ(number("as_trained(accuracy)"), 0.4);
  EXPECT_EQ(number("as_trained(accuracy) - accuracy"), 0.4 - 0.99);
  const Expression expression = Expression::parse("median(as_trained(accuracy) | seed < 3)");
  EXPECT_EQ(expression.names(), (std::set<std::string>{"accuracy", "seed"}));
  EXPECT_EQ(expression.columns(), (std::set<std::string>{"accuracy", "accuracy_held", "seed"}));
  EXPECT_EQ(expression.quantities(), (std::set<std::string>{"as_trained(accuracy)", "seed"}));
  EXPECT_THROW(Expression::parse("as_trained(max_over(accuracy))"), Error);
  EXPECT_THROW(Expression::parse("as_trained(2)"), Error);
}

}  // namespace
}  // namespace fovea
