// Capabilities: the parts of a run that an intervention or a probe can act on (room lab/intervention). lab/spec fills
// it, and interventions check themselves against it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/model/model.h"

namespace fovea {

struct Capabilities {
  std::string model, task;  // their names
  std::int64_t steps = 0;   // of the training
  bool attends = false;     // the model has attention rows
  bool by_score = false;    // and they follow scores
  bool has_beta = false;
  bool attention_parameters = false;
  bool truth = false;  // the task knows where attention belongs
  Model<float>::Heads heads;
  std::vector<std::string> parameters;
};

}  // namespace fovea
