// Probe `least-squares`: the error on new tasks of the maps of least squares of the training set, of task
// `task-diversity` (theory/exact/task_diversity.h) (room probe/exact). The Evaluator (lab/train) calls it at each
// evaluation; it changes nothing. Its numbers depend on the data alone:
//
//   fit_error                of the map that model `linear-attention` has
//   fit_error_with_squares   of the published map, with one more row for the mean of y^2
#include "fovea/data/tasks/exact/laws.h"
#include "fovea/probe/probe.h"
#include "fovea/theory/exact/task_diversity.h"

namespace fovea {

namespace {

class LeastSquares final : public Probe {
 public:
  bool differs_under_hold() const override { return false; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    if (errors_.empty()) {
      const auto* const law = dynamic_cast<const DiversityLaw*>(&evaluation.task);
      if (!law)
        throw wrong_input("probe 'least-squares' needs the training set of task 'task-diversity'",
                          "use that task, or remove the probe");
      Batch all;
      evaluation.task.batch(Split::train, 0, static_cast<int>(evaluation.task.examples(Split::train)), all);
      for (const SquaresRow row : {SquaresRow::absent, SquaresRow::present})
        errors_.push_back(new_task_error(least_squares_map(all, row), law->width(), law->pairs(), law->noise()));
    }
    readings.number("fit_error", errors_[0]);
    readings.number("fit_error_with_squares", errors_[1]);
  }

 private:
  std::vector<double> errors_;  // of the run's training set, from its first evaluation
};

const Register<Probe> least_squares("least-squares", "least squares on a training set of tasks, tested on new tasks",
                                    [] { return std::make_unique<LeastSquares>(); });

}  // namespace

}  // namespace fovea
