// Probe `scalars`: the parameters that are a single number, such as the learned width of a kernel, under their names
// ('.' becomes '_') (room probe). The Evaluator (lab/train) calls it at each evaluation; it changes nothing.
#include <algorithm>

#include "fovea/probe/probe.h"

namespace fovea {

namespace {

class Scalars : public Probe {
 public:
  bool differs_under_hold() const override { return false; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    for (const ParameterView& parameter : evaluation.parameters) {
      if (parameter.values.size() != 1) continue;
      std::string name = parameter.name;
      std::replace(name.begin(), name.end(), '.', '_');
      readings.number(name, static_cast<double>(parameter.values[0]));
    }
  }
};

const Register<Probe> scalars("scalars", "parameters that are a single number",
                              [] { return std::make_unique<Scalars>(); });

}  // namespace

}  // namespace fovea
