#include "fovea/lab/record/record_json.h"

#include <cmath>

namespace fovea {

Json run_json(const RunRecord& run, bool with_series) {
  Json json;
  json["experiment"] = run.experiment;
  json["run"] = run.id;
  json["seed"] = run.spec.seed;
  json["state"] = state_name(run.state);
  if (!run.error.empty()) json["error"] = run.error;
  if (!run.tags.empty()) json["tags"] = run.tags;
  if (!run.note.empty()) json["note"] = run.note;
  if (!run.removed.empty()) json["removed"] = run.removed;
  json["steps"] = run.steps;
  json["seconds"] = run.seconds;
  json["started"] = run.started;
  json["version"] = run.version;
  json["machine"] = run.machine;
  json["hash"] = run.hash;
  json["settings"] = value_json({run.spec.table(), {}});
  Json& metrics = json["metrics"] = Json::object();
  for (const auto& [name, value] : run.metrics()) metrics[name] = number_json(value);
  if (!with_series) return json;
  Json& all = json["series"] = Json::object();
  for (const auto& [name, series] : run.series) {
    Json& points = all[name] = Json::array();
    for (std::size_t i = 0; i < series.steps.size(); ++i)
      points.push_back({series.steps[i], number_json(series.values[i])});
  }
  return json;
}

Json claim_json(const ClaimResult& claim) {
  Json json{{"experiment", claim.experiment},
            {"claim", claim.claim},
            {"metric", claim.metric},
            {"value", number_json(claim.value)},
            {"wanted", claim.wanted},
            {"held", claim.held},
            {"form", claim.preset}};
  if (std::isinf(claim.value)) json["note"] = claim.value > 0 ? "infinite: never reached" : "minus infinity";
  if (!claim.note.empty()) json["note"] = claim.note;
  return json;
}

}  // namespace fovea
