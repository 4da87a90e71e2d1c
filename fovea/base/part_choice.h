// PartChoice: a setting that names a registered part, and that part (room base). The part's own settings are in the
// same table as the name. TrainSettings (lab/spec) uses it for optimiser and schedule:
//
//   train = { optimizer = "adam", beta1 = 0.8 }
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "fovea/base/registry.h"
#include "fovea/base/settings.h"

namespace fovea {

template <class Part>
class PartChoice {
 public:
  // The name that holds where a spec has none.
  explicit PartChoice(std::string name) : name_(std::move(name)) {
    for (const auto& [known, entry] : Registry<Part>::instance().all()) parts_[known] = entry.make();
  }

  // `key` is "optimizer", "schedule", …
  void settings(Fields& fields, const std::string& key, std::string help) {
    std::map<std::string, Fields> own;
    for (const auto& [name, part] : parts_) part->settings(own[name]);
    fields.parts(key, name_, own, std::move(help));
  }

  const Part& part() const { return *parts_.at(name_); }

 private:
  std::string name_;
  std::map<std::string, std::unique_ptr<Part>> parts_;
};

}  // namespace fovea
