#include "fovea/lab/record/record_json.h"

#include <cmath>

#include "fovea/base/number_text.h"
#include "fovea/lab/record/held_name.h"

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
  json["arithmetic"] = run.arithmetic;
  json["machine"] = run.machine;
  json["hash"] = run.hash;
  json["settings"] = value_json({run.spec.table(), {}});
  Json& metrics = json["metrics"] = Json::object();
  for (const auto& [name, value] : run.metrics()) metrics[name] = number_json(value);
  // Of the model as it trains: under the hold that acts at the last step, or else without one.
  for (const auto& [name, series] : run.series) {
    const auto held = run.series.find(held_name(name));
    if (held == run.series.end() || series.steps.empty() || held->second.steps.empty()) continue;
    const bool acts = held->second.steps.back() == series.steps.back();
    json["as_trained"][name] = number_json(acts ? held->second.values.back() : series.values.back());
  }
  if (!with_series) return json;
  Json& all = json["series"] = Json::object();
  for (const auto& [name, series] : run.series) {
    Json& points = all[name] = Json::array();
    for (std::size_t i = 0; i < series.steps.size(); ++i)
      points.push_back({series.steps[i], number_json(series.values[i])});
  }
  return json;
}

namespace {

std::string claim_verdict_name(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::supported:
      return "supported";
    case ClaimVerdict::not_supported:
      return "not supported";
    case ClaimVerdict::refuted:
      return "refuted";
    case ClaimVerdict::not_refuted:
      return "not refuted";
    case ClaimVerdict::no_value:
      break;
  }
  return "no value";
}

// JSON has no infinity: a value that is infinite is null there, and a text next to it.
void note_infinity(Json& json, double value) {
  if (std::isinf(value)) json["infinite"] = number_text(value);
}

}  // namespace

Json claim_json(const ClaimResult& claim) {
  Json json{{"experiment", claim.experiment},
            {"claim", claim.claim},
            {"metric", claim.metric},
            {"value", number_json(claim.value)},
            {"wanted", claim.wanted},
            {"held", claim.held},
            {"form", claim.preset}};
  json["threshold"] = claim.wanted;
  json["verdict"] = claim_verdict_name(claim.verdict());
  note_infinity(json, claim.value);
  if (std::isinf(claim.value)) json["note"] = claim.value > 0 ? "infinite: never reached" : "minus infinity";
  if (!claim.note.empty()) json["note"] = claim.note;
  const ClaimText& text = claim.text;
  if (text.title.empty()) return json;
  json["name"] = text.name;
  json["title"] = text.title;
  json["formula"] = text.formula;
  if (!text.where.empty()) json["where"] = text.where;
  Json& define = json["define"] = Json::object();
  for (const auto& [name, expression] : text.define) define[name] = expression;
  json["null"] = {{"value", number_json(text.null)}, {"means", text.null_means}};
  note_infinity(json["null"], text.null);
  Json& rivals = json["rivals"] = Json::array();
  for (const ClaimText::Rival& rival : text.rivals) {
    rivals.push_back({{"name", rival.name}, {"value", number_json(rival.value)}});
    note_infinity(rivals.back(), rival.value);
  }
  json["expect"] = text.refutes ? "refuted" : "supported";
  if (!text.control.empty()) json["control"] = text.control;
  if (!text.source.empty()) json["source"] = text.source;
  return json;
}

}  // namespace fovea
