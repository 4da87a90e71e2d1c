#include "fovea/lab/experiment/describe.h"

#include "fovea/base/registry.h"
#include "fovea/data/task.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/spec/train_settings.h"
#include "fovea/model/model.h"
#include "fovea/probe/probe.h"

namespace fovea {

namespace {

template <class Part>
std::vector<SettingDescription> settings_of(Part& part) {
  Fields fields;
  part.settings(fields);
  std::vector<SettingDescription> settings;
  for (const Field& field : fields.all())
    settings.push_back({field.name, field.kind.text(), field.help, field.get(), field.otherwise});
  return settings;
}

template <class Part>
std::vector<Description> describe_all() {
  std::vector<Description> all;
  for (const auto& [name, entry] : Registry<Part>::instance().all())
    all.push_back({name, entry.summary, settings_of(*entry.make())});
  return all;
}

}  // namespace

std::vector<Description> describe_tasks() { return describe_all<Task>(); }
std::vector<Description> describe_models() { return describe_all<Model<float>>(); }
std::vector<Description> describe_probes() { return describe_all<Probe>(); }
std::vector<Description> describe_interventions() { return describe_all<Intervention>(); }

std::vector<Description> describe_experiments() {
  std::vector<Description> all;
  for (const std::string& name : experiment_names()) all.push_back({name, find_experiment(name).title, {}});
  return all;
}

std::vector<Description> describe_settings() {
  TrainSettings train;
  ProbeSettings probe;
  return {{"train", "how a run is trained", settings_of(train)},
          {"probe", "when a run is evaluated, and on what", settings_of(probe)}};
}

}  // namespace fovea
