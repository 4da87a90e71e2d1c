// Whatever an experiment file says, reading and resolving it ends in a spec that reads back as itself, or in an error
// that a person can act on.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>

#include "fovea/base/settings.h"
#include "fovea/data/task.h"
#include "fovea/io/toml_reader.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/model/model.h"

namespace {

using namespace fovea;

// Resolving makes the task and the model. A large one is no mistake, but takes longer than a fuzzer has, so sizes are
// made small before.
void shrink(Value& value) {
  if (auto* const x = std::get_if<std::int64_t>(&value.data)) *x = std::min<std::int64_t>(*x, 16);
  if (auto* const list = std::get_if<ValueList>(&value.data)) std::for_each(list->begin(), list->end(), shrink);
  if (auto* const table = std::get_if<ValueTable>(&value.data))
    for (auto& entry : *table) shrink(entry.second);
}

template <class Part>
void shrink_part(ValueTable& written) {
  const auto& known = Registry<Part>::instance().all();
  if (const auto found = known.find(*written.at("name").as<std::string>()); found != known.end()) {
    Fields fields;
    const auto part = found->second.make();
    part->settings(fields);
    written.merge(fields.write());  // defaults may be large, too
  }
  for (auto& entry : written) shrink(entry.second);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Experiment experiment;
  try {
    experiment = parse_experiment(std::string(reinterpret_cast<const char*>(data), size), "fuzz.toml");
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::wrong_input || error.location().file != "fuzz.toml") std::abort();
    return 0;
  }
  shrink_part<Task>(experiment.task);
  shrink_part<Model<float>>(experiment.model);
  for (auto& entry : experiment.quick) shrink(entry.second);
  for (const Preset preset : {Preset::quick, Preset::full}) {
    try {
      const RunSpec spec = resolve(experiment, preset, {}, 0);
      const std::string text = spec.text();
      if (run_spec_from_table(parse_table(text, "text")).text() != text) std::abort();
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::wrong_input) std::abort();
    }
  }
  return 0;
}
