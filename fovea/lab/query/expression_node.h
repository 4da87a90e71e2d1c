// The parsed form of an Expression: nodes, operations, functions (room lab/query). The parser, the evaluation and
// definitions.cpp of this room share it. No other room includes it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/lab/query/expression.h"

namespace fovea {

enum class Op {
  number,
  text,
  truth,
  name,
  add,
  subtract,
  multiply,
  divide,
  negate,
  less,
  less_equal,
  more,
  more_equal,
  equal,
  unequal,
  and_,
  or_,
  not_,
  abs,
  log,
  exp,
  sqrt,
  min,
  max,
  step_of,
  step_of_rise,
  first,
  last,
  min_over,
  max_over,
  mean_over,
  at,  // of a series
  share,
  share_low,
  share_high,
  count,
  median,
  mean,
  least,
  most,
  deviation,
  rank_correlation,
  median_rank_correlation,
  log_slope,  // over runs
  tagged,
  as_trained,
};

constexpr bool counts_runs(Op op) {
  return op == Op::share || op == Op::share_low || op == Op::share_high || op == Op::count;
}

enum class Sort { number, condition, text, any };  // any: a name, known only when read
enum class Reach { plain, series, runs };          // what a function ranges over

struct Function {
  const char* name;
  Op op;
  Reach reach;
  int least_arguments, most_arguments;
  Sort takes, gives;
};

const Function* find_function(const std::string& name);
const char* function_name(Op op);  // of one that is a function
std::vector<std::string> function_names();

struct Expression::Node {
  Op op = Op::number;
  Sort sort = Sort::number;
  Reach reach = Reach::plain;
  int column = 0;
  double number = 0;  // of a number or truth
  std::string
      text;  // a text or name; an aggregate's condition; a function of one run's series or as_trained(), as written
  std::vector<Node> parts;
  std::vector<Node> where;  // of an aggregate: none or one condition
};

// Throws wrong_input.
Expression::Node parse_expression(const std::string& text, const Location& location);

// Over one run (nullptr: outside of aggregates), or over several. A condition is 1 or 0, and NaN where it is unknown;
// so is a text.
double evaluate(const Expression::Node& root, const RunRecord* run, std::span<const RunRecord* const> runs);
// Over one run, metrics read at a step of it.
double evaluate_at(const Expression::Node& root, const RunRecord& run, std::int64_t step);

}  // namespace fovea
