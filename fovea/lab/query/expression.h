// Expression: the one small language of Fovea, in which claims, `--where`, `stop_when` and step_of() are written
// (room lab/query). Experiments, training, the store, comparisons and figures parse and evaluate it. It reads
// records; it changes nothing.
//
//   accuracy >= 0.95 and task.vocab = 60          over one run: its last metrics and its settings
//   step_of(accuracy >= 0.9)                       the first probe step at which it is true; infinity if never
//   step_of_rise(x, 0.5)                           that at which x has made half of its rise, from its first value to
//                                                  its largest; infinity if it does not rise
//   first(x) last(x) min_over(x) max_over(x) at(x, step) mean_over(x)     of one series
//   share(c) median(x) mean(x) least(x) most(x) deviation(x) count(c)     over runs
//   share_low(c) share_high(c)                     the ends of the interval of a share (Wilson's, 0.95)
//   median(x | task.vocab = 40)                    over the runs for which the condition is true
//   rank_correlation(x, y)                         Spearman over runs
//   log_slope(x, y)                                the exponent e of y ~ x^e over runs, by least squares of logarithms
//   median_rank_correlation(x, y)                  the same over settings: of each, the medians over its seeds
//   steps_to_90                                    step_of(accuracy >= 0.9); so for 1 to 100
//   as_trained(accuracy)                           of the model as it trains: accuracy_held at a step with a hold,
//                                                  accuracy at every other step
//   tagged("good")                                 whether the user gave the run this tag
//
// with + - * / ( ) < <= > >= = != and or not abs log exp sqrt min max, numbers, infinity, "texts" and true/false.
//
// A name is a setting ("task.vocab", "seed", "hold"), a metric, or a fact about the run (run_facts()); in an
// experiment of several stages also one of stage, group, kind. Inside a function of a series a metric is its value at
// each probe step in turn, `step` that step, and at(x, s) the value at the last probe step not after s. at(x, s) is
// missing if the run ends before a finite s; at(x, infinity) is the last value. What is missing makes a number NaN; a
// comparison with NaN is unknown, and unknown is never true, negated or not. An aggregate of numbers of which one is
// NaN is NaN.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/base/error/value.h"
#include "fovea/lab/record/record.h"

namespace fovea {

class Expression {
 public:
  // Throws wrong_input with the column of the mistake; `location` is where the text stands (a spec line, "--where").
  static Expression parse(const std::string& text, const Location& location = {});

  // Throw wrong_input where the expression is not fit for its use: a condition over one run has no aggregate.
  const Expression& require_single_run() const;
  const Expression& require_condition() const;
  // The same if names are metrics alone, so that a name without a comparison is a number.
  const Expression& require_condition_on_metrics() const;

  // Over one run.
  double number(const RunRecord& run) const;  // a condition counts as 1 or 0
  // The same at one step: metrics are read there, functions of a series go over all of it.
  double number(const RunRecord& run, std::int64_t step) const;
  bool is_true(const RunRecord& run) const;

  // Over several runs. Names outside of an aggregate are read where there is exactly one run, else NaN.
  double number(std::span<const RunRecord* const> runs) const;

  bool is_name() const;  // and nothing is computed from it
  bool has_aggregate() const;
  bool reads_series() const;                      // more of a metric than its last value
  bool reads_single_steps() const;                // something outside of functions of a series
  std::set<std::string> bare_conditions() const;  // names that stand for a condition by themselves: of true or false
  bool reads_outside_aggregates() const;          // a metric or setting that is of one run only
  std::set<std::string> names() const;            // metrics and settings it reads
  // The same with the metrics under a hold that as_trained() reads, which a run may lack.
  std::set<std::string> columns() const;
  // What it reads of each run, as written there: names, and outermost functions of a series. Their values for all runs
  // are enough to compute the expression again.
  std::set<std::string> quantities() const;
  // Those that some runs have not, each of the runs that its aggregate's condition leaves; and conditions that leave
  // none.
  struct Missing {
    std::string name;
    std::size_t lacking = 0, of = 0;  // of a condition: 0
    bool operator==(const Missing&) const = default;
  };
  std::vector<Missing> missing(std::span<const RunRecord* const> runs) const;
  // Where numbers that are there come to none, as "∞ / ∞" or a correlation of one run; empty where they do not.
  std::string undefined(std::span<const RunRecord* const> runs) const;
  const std::string& text() const { return text_; }
  const Location& location() const { return location_; }

  struct Node;  // expression_node.h
  const Node& tree() const { return *root_; }

 private:
  std::string text_;
  Location location_;
  std::shared_ptr<const Node> root_;
};

// What every run has besides metrics and settings: id, experiment, state, steps, seconds, started, tags, note.
std::span<const std::string> run_facts();

// Whether a run has something by this name: a setting, a metric, or a fact about the run.
bool run_has(const RunRecord& run, const std::string& name);

}  // namespace fovea
