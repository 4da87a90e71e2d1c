// Probes that survey a split: at every evaluation they are shown its first examples, the same each time, in batches.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/model/optional_queries.h"
#include "fovea/probe/probe.h"

namespace fovea {

// What a model whose heads can be looked at says of a batch: of each head, and of each parameter that learns the name
// and the norm of the loss's gradient.
struct HeadGradients {
  std::span<const HeadBeta<float>> heads;
  std::vector<std::pair<std::string_view, double>> gradients;
};

// One batch of a survey. What takes passes of its own is made when it is asked for, and unset where the model cannot.
struct SurveyBatch {
  const Evaluation& evaluation;
  Split split = Split::validation;
  std::function<Cube<const float>()> influence = {};
  std::function<std::vector<std::vector<int>>(const Search&)> say = {};
  std::function<HeadGradients()> heads = {};
};

class SurveyProbe : public Probe {
 public:
  SurveyProbe* as_survey() final { return this; }
  virtual int count() const = 0;  // how many it wants to see; it may be shown some more
  virtual void survey(const SurveyBatch& at, Readings& readings) = 0;
  virtual void conclude(Readings& readings) = 0;  // the evaluation is over

  void measure(const Evaluation&, Readings&) final {}  // of other batches it says nothing
};

}  // namespace fovea
