// Finds the roles of runs in a measurement, as measurement.h declares (room lab/analysis). `fovea measure` and
// reproductions call it. Reads the store; changes nothing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "fovea/base/registry.h"
#include "fovea/lab/analysis/evidence.h"
#include "fovea/lab/analysis/measurement.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/model/model.h"

namespace fovea {

namespace {

// What a run is to the others.
enum class Role { learned, uniform, words, logistic, none };

std::string text_setting(const RunSpec& spec, const std::string& name) {
  const std::optional<Value> value = spec.setting(name);
  const std::string* const text = value ? value->as<std::string>() : nullptr;
  return text ? *text : "";
}

Role role_of(const RunSpec& spec) {
  const std::string model = text_setting(spec, "model.name"), attention = text_setting(spec, "model.attention");
  if (model == "word-mean" || model == "word-mean-translator") {
    const std::optional<Value> width = spec.setting("model.embedding");
    return width && *width == Value{std::int64_t{0}, {}} ? Role::logistic : Role::words;
  }
  return attention == "learned" ? Role::learned : attention == "uniform" ? Role::uniform : Role::none;
}

// The spec with the reference's seed, and its attention: what must be the same of runs beside each other.
std::string kin(RunSpec spec, const RunSpec& reference) {
  spec.seed = reference.seed;
  if (const auto attention = reference.model.find("attention"); attention != reference.model.end())
    spec.model["attention"] = attention->second;
  return spec.hash();
}

bool evaluated_alike(const RunSpec& a, const RunSpec& b) {
  return a.setting("probe.split") == b.setting("probe.split") &&
         a.setting("probe.evidence.examples") == b.setting("probe.evidence.examples");
}

bool has_evidence(const RunSpec& spec) {
  const std::optional<Value> value = spec.setting("probe.names");
  const ValueList* const names = value ? value->as<ValueList>() : nullptr;
  return names && std::ranges::find(*names, Value{std::string("evidence"), {}}) != names->end();
}

std::vector<std::string> models_with_learned_attention() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : Registry<Model<float>>::instance().all()) {
    const auto model = entry.make();
    Fields fields;
    model->settings(fields);
    const auto learns = [](const Field& field) {
      return field.name == "attention" && field.kind.text().find("learned") != std::string::npos;
    };
    if (std::ranges::any_of(fields.all(), learns)) names.push_back(name);
  }
  return names;
}

// Throws wrong_input for a run of a model whose attention is never learned.
void require_measured(const RunRecord& run) {
  if (role_of(run.spec) != Role::none) return;
  throw wrong_input(
      fmt::format("run {} is of model '{}', whose attention is not measured here", run.id,
                  text_setting(run.spec, "model.name")),
      fmt::format("name a run of one of these models: {}", fmt::join(models_with_learned_attention(), ", ")));
}

// Other seeds of a task that draws its examples are evaluated on other examples.
bool draws_examples(const RunSpec& spec) {
  return !spec.setting("task.corpus") && make_task(spec)->examples(Split::train) == 0;
}

bool fits(const RunRecord& run, const RunRecord& reference) {
  switch (role_of(run.spec)) {
    case Role::learned:
    case Role::uniform:
      return kin(run.spec, reference.spec) == reference.spec.hash();
    case Role::words:
    case Role::logistic:
      return run.spec.task == reference.spec.task && evaluated_alike(run.spec, reference.spec);
    case Role::none:
      return false;
  }
  return false;
}

}  // namespace

MeasurementRuns sort_runs(std::vector<RunRecord> runs) {
  for (const RunRecord& run : runs) {
    require_measured(run);
    if (!has_evidence(run.spec)) throw without_evidence(run);
  }
  const auto first =
      std::find_if(runs.begin(), runs.end(), [](const RunRecord& run) { return role_of(run.spec) == Role::learned; });
  if (first == runs.end())
    throw wrong_input("none of these runs has learned attention", "name a run with model.attention = \"learned\"");
  MeasurementRuns sorted{*first, {}, {}, {}, {}, {}};
  runs.erase(first);
  for (RunRecord& run : runs) {
    if (!fits(run, sorted.reference))
      throw wrong_input(fmt::format("run {} cannot be measured against run {}. A partner has the same spec with "
                                    "another seed or with model.attention = \"uniform\", or the model word-mean or "
                                    "word-mean-translator. Task, probe.split and probe.evidence.examples must be equal",
                                    run.id, sorted.reference.id),
                        Remedy::compare_runs(sorted.reference.id, run.id));
    const Role role = role_of(run.spec);
    if (role == Role::learned) {
      sorted.others.push_back(std::move(run));
      continue;
    }
    if (role == Role::uniform && sorted.uniform) {
      sorted.other_uniform.push_back(std::move(run));
      continue;
    }
    std::optional<RunRecord>& place = role == Role::uniform ? sorted.uniform
                                      : role == Role::words ? sorted.words
                                                            : sorted.logistic;
    if (place)
      throw wrong_input(fmt::format("runs {} and {} have the same role in the measurement", place->id, run.id),
                        "name only one of the two");
    place = std::move(run);
  }
  const auto own = std::ranges::find(sorted.other_uniform, sorted.reference.spec.seed,
                                     [](const RunRecord& run) { return run.spec.seed; });
  if (own != sorted.other_uniform.end() && sorted.uniform->spec.seed != sorted.reference.spec.seed)
    std::swap(*own, *sorted.uniform);
  if (sorted.others.empty() && !sorted.uniform && !sorted.words && !sorted.logistic)
    throw wrong_input(fmt::format("run {} has no run to compare with", sorted.reference.id),
                      draws_examples(sorted.reference.spec)
                          ? Remedy(Remedy::Code::train_again_with,
                                   {{"model.attention", {}}, {"uniform", {}}, {sorted.reference.id, {}}})
                          : Remedy::train_others(sorted.reference.id));
  return sorted;
}

MeasurementRuns runs_to_measure(const Store& store, std::span<const std::int64_t> ids) {
  std::vector<RunRecord> runs;
  for (const std::int64_t id : ids) {
    if (std::ranges::any_of(runs, [id](const RunRecord& run) { return run.id == id; }))
      throw wrong_input(fmt::format("run {} is named twice", id), "name it once");
    std::optional<RunRecord> run = store.find(id);
    if (!run) throw wrong_input(fmt::format("there is no run {}", id), Remedy::see_runs());
    if (run->state != RunState::done)
      throw wrong_input(fmt::format("run {} is not done ({})", id, state_name(run->state)), Remedy::resume_run(id));
    runs.push_back(std::move(*run));
  }
  if (runs.size() > 1) return sort_runs(std::move(runs));
  const RunRecord reference = runs.front();
  require_measured(reference);
  if (role_of(reference.spec) != Role::learned)
    throw wrong_input(fmt::format("run {} has no learned attention", reference.id),
                      "name a run that was trained with model.attention = \"learned\"");
  RunQuery query;
  query.where = Expression::parse(
      fmt::format("state = \"done\" and task.name = \"{}\"", text_setting(reference.spec, "task.name")));
  query.sort = "-id";
  std::vector<RunRecord> found = store.query(query);
  std::erase_if(found, [&reference](const RunRecord& run) { return run.arithmetic != reference.arithmetic; });
  std::stable_partition(found.begin(), found.end(),
                        [&reference](const RunRecord& run) { return run.spec.seed == reference.spec.seed; });
  bool words = false, logistic = false;  // one of each: of the same seed, else the newest
  for (const RunRecord& run : found) {
    if (run.id == reference.id || !run.series.contains("evidence_loss") || !fits(run, reference)) continue;
    const Role role = role_of(run.spec);
    bool* const there = role == Role::words ? &words : role == Role::logistic ? &logistic : nullptr;
    if (there && std::exchange(*there, true)) continue;
    runs.push_back(*store.find(run.id));  // with its series
  }
  std::sort(runs.begin() + 1, runs.end(), [](const RunRecord& a, const RunRecord& b) { return a.id < b.id; });
  return sort_runs(std::move(runs));
}

}  // namespace fovea
