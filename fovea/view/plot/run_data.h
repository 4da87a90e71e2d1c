// Quantities over steps and per run, and runs in groups: the numbers of figures (room view/plot). Figure kinds and
// tables of view/terminal call it. Reads records only.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fovea/lab/query/expression.h"
#include "fovea/lab/record/record.h"

namespace fovea {

using Runs = std::vector<const RunRecord*>;

// A metric by its name, or an expression over a run's metrics and settings.
class Quantity {
 public:
  Quantity(std::string text, const Location& location);

  const std::string& text() const { return text_; }
  bool is_name() const { return expression_.is_name(); }
  std::string label() const;  // for axes and legends: "attention accuracy"

  // At each step at which every metric it reads has a value. A quantity that reads no metric is constant over the run's
  // steps, and so is a function of a whole series.
  Series over_steps(const RunRecord& run) const;
  double of_run(const RunRecord& run) const;  // by last metrics; NaN where it has none
  // An aggregate over the runs; of others the median of each run's.
  double of_runs(const Runs& runs) const;
  bool aggregate() const { return expression_.has_aggregate(); }

  // A name it reads that is neither metric nor setting of any of the runs; "" when all are known.
  std::string unknown_name(const Runs& runs) const;
  // The same as a sentence for a panel, with the nearest known name; "" when nothing is missing.
  std::string missing_in(const Runs& runs) const;

 private:
  std::string text_;
  Expression expression_;
};

std::vector<Quantity> quantities(const std::vector<std::string>& texts, const Location& location);

struct RunGroup {
  std::string label;  // "vocab = 60"; "" when there is nothing to tell apart
  Runs runs;
};

// Runs that agree in all of `keys` ("experiment", "group", "seed", a dotted setting) are one group; groups come in
// order of numbers, of others as they first appear. No keys: one group.
std::vector<RunGroup> group_runs(const Runs& runs, const std::vector<std::string>& keys);

// The median (or another quantile) over runs at each step at which at least half of them have a value, as far as nine
// in ten of them go: of those that are left where the first have reached their goal it would be another thing, and
// jump.
Series quantile_course(const std::vector<Series>& all, double share);

// "task.vocab" -> "60", for every setting of a run but its seed.
std::map<std::string, std::string> flat_settings(const RunSpec& spec);

std::set<std::string> metric_names(const Runs& runs);
std::string without_underscores(std::string name);
std::string run_name(const RunRecord& run);  // "run 12, seed 3"; "seed 3" where it is in no store

}  // namespace fovea
