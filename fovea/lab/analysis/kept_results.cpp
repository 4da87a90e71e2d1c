#include "fovea/lab/analysis/kept_results.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "fovea/io/shipped.h"
#include "fovea/io/toml_reader.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/experiment/read_values.h"
#include "fovea/lab/record/json.h"

namespace fovea {

namespace {

std::string_view shipped_result(std::string_view name) {
  for (const ShippedExperiment& file : shipped_results())
    if (file.name == name) return file.toml;
  return {};
}

// JSON has no infinity: a claim that is supported without a value is past every bound.
double value_of(const Json& claim) {
  if (!claim.at("value").is_null()) return claim["value"];
  return claim.at("held") ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
}

std::vector<ClaimResult> claims_of(const Json& kept, const Experiment& experiment) {
  std::vector<ClaimResult> results;
  for (const Json& claim : kept.at("claims")) {
    ClaimResult& result = results.emplace_back();
    result.experiment = experiment.name;
    result.claim = claim.at("claim");
    result.value = value_of(claim);
    result.wanted = claim.at("wanted");
    result.held = claim.at("held");
    result.preset = word_of(Preset::full);
    for (const Claim& shipped : experiment.claims)
      if (shipped.is_of(Preset::full) && shipped.wanted() == result.wanted &&
          (claim.contains("name") ? shipped.text.name == claim["name"].get<std::string>()
                                  : shipped.says == result.claim)) {
        result.text = shipped.text;
        result.metric = shipped.metric;
      }
  }
  return results;
}

}  // namespace

std::vector<KeptFailure> kept_failures() {
  const ValueTable paragraphs = parse_table(std::string(shipped_result("failures")), "docs/results/failures.toml");
  std::vector<KeptFailure> failures;
  for (const std::string& name : experiment_names()) {
    for (const ShippedExperiment& file : shipped_results()) {
      if (!file.name.starts_with(name) || !file.toml.starts_with('{')) continue;
      const Json kept = parse_json(file.toml);
      if (kept.at("experiment") != name) continue;
      KeptFailure failure{name, kept.value("corpus", ""), {}, claims_of(kept, find_experiment(name))};
      std::erase_if(failure.claims, [](const ClaimResult& claim) { return claim.held; });
      if (failure.claims.empty()) continue;
      if (const auto found = paragraphs.find(std::string(file.name)); found != paragraphs.end())
        failure.says = take_text(take<ValueTable>(found->second, found->first, ValueKind::table).at("says"), "says");
      failures.push_back(std::move(failure));
    }
  }
  return failures;
}

std::vector<ClaimResult> kept_claims(const std::string& experiment) {
  const std::string_view text = shipped_result(experiment);
  if (!text.starts_with('{')) return {};
  return claims_of(parse_json(text), find_experiment(experiment));
}

}  // namespace fovea
