#include "fovea/lab/experiment/describe.h"

#include "fovea/base/registry.h"
#include "fovea/data/task.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/spec/intervention.h"
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

std::vector<Description> describe_experiments() {
  std::vector<Description> all;
  for (const std::string& name : experiment_names()) all.push_back({name, find_experiment(name).title, {}});
  return all;
}

std::vector<Description> describe_interventions() {
  const auto one = [](const char* name, const char* summary, auto part) {
    return Description{name, summary, settings_of(part)};
  };
  const auto of_heads = [](const char* name, const char* summary, HeadIntervention::Kind kind) {
    struct Part {
      HeadIntervention one = {};
      std::string heads = {};
      void settings(Fields& fields) { one.settings(fields, heads); }
    } part;
    part.one.kind = kind;
    part.one.change.rule.pattern = AttentionRule::Pattern::uniform;
    return Description{name, summary, settings_of(part)};
  };
  return {
      of_heads("hold", "attention is held: uniform, at the truth; of models with heads by layer also previous, first",
               HeadIntervention::Kind::hold),
      of_heads("scale", "a head's weights on the places that a right answer needs are multiplied",
               HeadIntervention::Kind::scale),
      of_heads("ablate", "a head gives nothing", HeadIntervention::Kind::ablate),
      of_heads("copy", "a head of the last layer says the tokens that it attends to", HeadIntervention::Kind::copy),
      one("freeze", "parameters do not move for a while", Freeze()),
      one("rate", "a group of parameters has a learning rate of its own", OwnRate()),
      one("clamp", "a parameter is held at one value", Clamp()),
      one("transplant", "parameters become what they were at the end of another run", Transplant()),
      one("embeddings", "words begin with vectors from a file", Embed())};
}

std::vector<Description> describe_settings() {
  TrainSettings train;
  ProbeSettings probe;
  return {{"train", "how a run is trained", settings_of(train)},
          {"probe", "when a run is evaluated, and on what", settings_of(probe)}};
}

}  // namespace fovea
