// The one small language of Fovea: claims, `--where`, `stop_when` and step_of() are written in it.
//
//   accuracy >= 0.95 and task.vocab = 60          over one run: its last metrics and its settings
//   step_of(accuracy >= 0.9)                       the first probe step at which it holds; infinity if never
//   first(x) last(x) min_over(x) max_over(x) at(x, step) mean_over(x)     of one series
//   share(c) median(x) mean(x) least(x) most(x) deviation(x) count(c)     over runs
//   median(x | task.vocab = 40)                    over the runs for which the condition holds
//   rank_correlation(x, y)                         Spearman over runs
//
// with + - * / ( ) < <= > >= = != and or not abs log exp sqrt min max, numbers, "texts" and true/false. Missing metrics make a
// condition false and a number NaN (and are named in the note of a claim).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "fovea/base/value.h"
#include "fovea/lab/record.h"

namespace fovea {

class Expression {
 public:
  // Throws wrong_input with the column of the mistake; `place` is where the text stands (a spec line, "--where").
  static Expression parse(const std::string& text, const Place& place = {});

  // Over one run. Aggregates are refused at parse time by `require_single_run`.
  double number(const RunRecord& run) const;
  bool holds(const RunRecord& run) const;

  // Over several runs (those for which `where` holds, if given).
  double number(std::span<const RunRecord* const> runs) const;

  bool has_aggregate() const;
  std::set<std::string> names() const;  // metrics and settings it reads
  const std::string& text() const { return text_; }

  struct Node;

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;
};

}  // namespace fovea
