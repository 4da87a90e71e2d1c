#include "fovea/lab/spec/train_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/error/names.h"
#include "fovea/base/old_names.h"

namespace fovea {

namespace {

constexpr std::int64_t most_steps = std::int64_t{1} << 40;
constexpr int most_examples = 1 << 24;

}  // namespace

void TrainSettings::settings(Fields& fields) {
  fields.integer("steps", steps, 0, most_steps, "number of updates");
  fields.integer("batch", batch, 1, most_examples, "number of examples per update");
  optimizer.settings(fields, "optimizer", "update rule");
  fields.number("rate", rate, 0, HUGE_VAL, "learning rate");
  fields.number("weight_decay", of_every_optimizer.weight_decay, 0, 1e6, "strength of the decay of weights towards 0");
  fields.number("clip", of_every_optimizer.clip, 0, HUGE_VAL, "largest norm of the gradient; 0: not limited");
  fields.choice("normalize", of_every_optimizer.normalize, {{"false", false}, {"true", true}},
                "the gradient is divided by its norm; clip is then not read");
  schedule.settings(fields, "schedule", "learning rate over the steps");
  fields.integer("warmup", warmup, 0, most_steps, "steps over which the rate first rises to its full height");
  fields.choice("precision", precision,
                {{"float", Precision::float32}, {"double", Precision::float64}, {"bf16x3", Precision::bf16x3}},
                "numbers of 32 bits (float) or 64 bits (double); bf16x3: 32 bits, with matrix products in bfloat16");
  fields.integer("threads", threads, 1, 1024, "number of threads; results do not depend on it");
  fields.choice("data_parallel", data_parallel, {{"false", false}, {"true", true}},
                "ranks share a batch's shards; the number of ranks changes no result");
  fields.integer("shards", shards, 1, 4096, std::to_string(shards_by_default), "parts of a batch under data_parallel");
  fields.choice("engine", engine, {{"torch", EngineKind::torch}},
                "torch: PyTorch computes losses and gradients of updates", "the model's own code");
  fields.choice("device", device, {{"cpu", Device::cpu}, {"cuda", Device::cuda}},
                "where PyTorch computes, if the engine is torch");
  fields.integer("start", start, 0, Fields::no_limit, "the run's seed",
                 "seed of the initial weights alone: runs with one start and several seeds differ only in their data");
  fields.choice("keep_weights", keep_weights,
                {{"never", KeepWeights::never}, {"small", KeepWeights::small}, {"always", KeepWeights::always}},
                "whether the final weights are stored; small: up to 262144 numbers");
  fields.integers("checkpoints", checkpoints, 0, most_steps,
                  "steps at which the weights are kept, with the final ones");
  fields.open_if_empty("no steps");
  fields.text("stop_when", stop_when, "condition on the metrics that ends the run early, checked at each evaluation");
}

void ProbeSettings::settings(Fields& fields) {
  fields.integer("every", every, 1, most_steps,
                 "number of updates between evaluations; the first is before training, the last after it");
  fields.integers("at", at, 0, most_steps, "further steps to evaluate at");
  fields.integer("examples", examples, 1, most_examples, "number of fresh examples for each evaluation");
  fields.integer("keep", keep, 0, most_examples, "number of examples whose attention is stored at each evaluation");
  fields.choice("split", split, {{"validation", Split::validation}, {"test", Split::test}},
                "split of the evaluation's examples");
  fields.texts("names", names, "the probes");
  fields.texts("optional", optional, "further probes, left out if task or model cannot be measured by them");
}

bool ProbeSettings::evaluates_at(std::int64_t step, std::int64_t steps) const {
  return step % every == 0 || step == steps || std::find(at.begin(), at.end(), step) != at.end();
}

std::int64_t ProbeSettings::next_evaluation(std::int64_t step, std::int64_t steps) const {
  std::int64_t next = std::min(steps, (step / every + 1) * every);
  for (const int extra : at)
    if (extra > step) next = std::min<std::int64_t>(next, extra);
  return next;
}

namespace {

ProbeSettings read_settings(const ValueTable& table) {
  const std::vector<std::string> known_probes = Registry<Probe>::instance().names();
  ProbeSettings settings;
  Fields fields;
  settings.settings(fields);
  // Sub-tables carry the settings of a probe by its name. They are known by the registry, so that a slip in a key
  // shows.
  std::vector<std::string> own;
  for (const auto& [key, value] : table)
    if (value.as<ValueTable>() && std::find(known_probes.begin(), known_probes.end(), key) != known_probes.end())
      own.push_back(key);
  fields.read(table, "probe", own);
  for (std::vector<std::string>* const names : {&settings.names, &settings.optional})
    for (std::string& name : *names) name = report_old_name(NameKind::probe, name);
  for (const std::string& name : own)
    if (std::find(settings.names.begin(), settings.names.end(), name) == settings.names.end() &&
        std::find(settings.optional.begin(), settings.optional.end(), name) == settings.optional.end())
      throw wrong_input(fmt::format("probe.{0} is set, but probe.names lacks \"{0}\"", name), "add it to probe.names",
                        table.at(name).location);
  return settings;
}

std::vector<NamedProbe> make_probes(const ValueTable& table, const ProbeSettings& settings) {
  std::vector<NamedProbe> probes;
  const auto add = [&](const std::string& name, const Location& location, bool optional) {
    if (std::any_of(probes.begin(), probes.end(), [&name](const NamedProbe& p) { return p.name == name; }))
      throw wrong_input(fmt::format("the probe '{}' is named twice", name), "name the probe once", location);
    std::unique_ptr<Probe> probe = make_probe(name, location);
    Fields fields;
    probe->settings(fields);
    if (const auto own = table.find(name); own != table.end())
      fields.read(*own->second.as<ValueTable>(), fmt::format("probe '{}'", name));
    probes.push_back({name, std::move(probe), optional});
  };
  for (const std::string& name : settings.names) add(name, table.at("names").location, false);
  for (const std::string& name : settings.optional) add(name, table.at("optional").location, true);
  return probes;
}

}  // namespace

ProbeTable read_probe(const ValueTable& table) {
  ProbeTable read{read_settings(table), {}};
  read.probes = make_probes(table, read.settings);
  return read;
}

ValueTable ProbeTable::write() {
  Fields fields;
  settings.settings(fields);
  ValueTable complete = fields.write();
  for (const NamedProbe& named : probes) {
    Fields own;
    named.probe->settings(own);
    if (!own.all().empty()) complete[named.name] = {own.write(), {}};
  }
  return complete;
}

}  // namespace fovea
