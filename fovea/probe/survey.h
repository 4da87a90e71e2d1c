// SurveyProbe: base class of probes that survey a split (room probe). The Evaluator (lab/train) shows them the first
// examples of the split in batches, the same at every evaluation. bleu.cpp, evidence.cpp and probe/systems derive
// from it. Texts of like length are shown together, so their order is not the split's: `indices` has the index of
// each.
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
  std::span<const int> indices;  // which example of the survey each row is
  Split split = Split::validation;
  std::function<Cube<const float>()> influence = {};
  std::function<std::vector<std::vector<int>>(const Search&)> generate = {};
  std::function<HeadGradients()> heads = {};
};

class SurveyProbe : public Probe {
 public:
  SurveyProbe* as_survey() final { return this; }
  // How many examples it wants to see, the first of the split. Rows of later places may be among them: it skips those.
  virtual int count() const = 0;
  // Of how many of them, the first, it may ask for influence, sayings or heads.
  virtual int count_closely() const { return count(); }
  virtual void survey(const SurveyBatch& at, Readings& readings) = 0;
  virtual void conclude(Readings& readings) = 0;  // the evaluation is over

  void measure(const Evaluation&, Readings&) final {}  // of other batches it says nothing
};

}  // namespace fovea
