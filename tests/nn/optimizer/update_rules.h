// The registered rules of optimisers and schedules, for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/nn/optimizer/schedule.h"
#include "fovea/nn/optimizer/update_rule.h"

namespace fovea::testing {

// By its name, with these settings; it lives as long as the tests.
template <class Part>
const Part& part_named(const std::string& name, const ValueTable& settings = {}) {
  static std::vector<std::unique_ptr<Part>> all;
  const std::unique_ptr<Part>& part = all.emplace_back(Registry<Part>::instance().make(name, "part"));
  Fields fields;
  part->settings(fields);
  fields.read(settings, name);
  return *part;
}

inline const UpdateRule& update_rule(const std::string& name, const ValueTable& settings = {}) {
  return part_named<UpdateRule>(name, settings);
}

// All that there are, and gradient descent with momentum.
inline std::vector<const UpdateRule*> every_update_rule() {
  std::vector<const UpdateRule*> rules{&update_rule("sgd", {{"momentum", {0.9, {}}}})};
  for (const std::string& name : Registry<UpdateRule>::instance().names()) rules.push_back(&update_rule(name));
  return rules;
}

}  // namespace fovea::testing
