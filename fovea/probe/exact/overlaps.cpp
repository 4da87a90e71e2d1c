// Probe `overlaps`: how far the query of model `rank-one-attention` is along the two ways to attend of its task (room
// probe/exact). The Evaluator (lab/train) calls it at each evaluation; it changes nothing. Its numbers:
//
//   position   |1 . q| / d
//   meaning    |q* . q| / d
#include <cmath>

#include "fovea/data/tasks/exact/laws.h"
#include "fovea/probe/probe.h"
#include "fovea/probe/systems/own_matrix.h"

namespace fovea {

namespace {

class Overlaps final : public Probe {
 public:
  bool differs_under_hold() const override { return false; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const auto* const law = dynamic_cast<const MixedTeacherLaw*>(&evaluation.task);
    const ParameterView* const query = find_parameter(evaluation.parameters, "query");
    if (!law || !query || query->values.size() != law->teacher().size())
      throw wrong_input("probe 'overlaps' reads the query of model 'rank-one-attention' on task 'position-or-meaning'",
                        "use that model and task, or remove the probe");
    double position = 0, meaning = 0;
    for (std::size_t k = 0; k < query->values.size(); ++k) {
      const double q = static_cast<double>(query->values[k]) / static_cast<double>(query->values.size());
      position += q;
      meaning += q * static_cast<double>(law->teacher()[k]);
    }
    readings.number("position", std::abs(position));
    readings.number("meaning", std::abs(meaning));
  }
};

const Register<Probe> overlaps("overlaps", "a query vector, along position and along the teacher's query",
                               [] { return std::make_unique<Overlaps>(); });

}  // namespace

}  // namespace fovea
