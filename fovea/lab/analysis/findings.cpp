#include "fovea/lab/analysis/findings.h"

#include <algorithm>

#include "fovea/io/shipped.h"
#include "fovea/io/toml_reader.h"
#include "fovea/lab/analysis/kept_results.h"
#include "fovea/lab/experiment/read_values.h"

namespace fovea {

namespace {

std::vector<Finding> read_findings() {
  std::vector<Finding> all;
  for (const ShippedExperiment& file : shipped_results()) {
    if (file.name != "findings") continue;
    const ValueTable table = parse_table(std::string(file.toml), "docs/results/findings.toml");
    for (const Value& one : take<ValueList>(table.at("finding"), "finding", ValueKind::tables)) {
      Finding& finding = all.emplace_back();
      read_keys(take<ValueTable>(one, "finding", ValueKind::table), "a finding",
                {{"experiment", [&](const Value& v) { finding.experiment = take_text(v, "experiment"); }},
                 {"claim", [&](const Value& v) { finding.claim = take_text(v, "claim"); }},
                 {"heading", [&](const Value& v) { finding.heading = take_text(v, "heading"); }},
                 {"measures", [&](const Value& v) { finding.measures = take_text(v, "measures"); }},
                 {"why", [&](const Value& v) { finding.why = take_text(v, "why"); }}});
    }
  }
  return all;
}

bool means(const std::string& key, const std::string& name, const std::string& text) {
  return name.empty() ? text.starts_with(key) : name == key;
}

}  // namespace

bool Finding::is_of(const ClaimResult& result) const {
  return result.experiment == experiment && result.source.empty() && means(claim, result.text.name, result.claim);
}

bool Finding::is_of(const Claim& stated) const { return means(claim, stated.text.name, stated.says); }

const std::vector<Finding>& findings() {
  static const std::vector<Finding> all = read_findings();
  return all;
}

std::vector<std::string> experiments_of_findings(Preset preset) {
  std::vector<std::string> names;
  for (const Finding& finding : findings()) {
    const std::vector<Claim> stated = find_experiment(finding.experiment).claims;
    const auto tests = [&](const Claim& claim) { return claim.is_of(preset) && finding.is_of(claim); };
    if (std::ranges::any_of(stated, tests) && std::ranges::find(names, finding.experiment) == names.end())
      names.push_back(finding.experiment);
  }
  return names;
}

std::vector<FindingResult> results_of_findings(std::span<const ClaimResult> claims) {
  std::vector<FindingResult> results;
  for (const Finding& finding : findings()) {
    FindingResult& found = results.emplace_back(FindingResult{finding, {}, false});
    const auto look_in = [&](std::span<const ClaimResult> among) {
      const auto one = std::ranges::find_if(among, [&](const ClaimResult& claim) { return finding.is_of(claim); });
      if (one != among.end()) found.result = *one;
    };
    look_in(claims);
    const std::vector<Claim> stated = find_experiment(finding.experiment).claims;
    const bool full_alone = std::ranges::none_of(
        stated, [&](const Claim& claim) { return claim.is_of(Preset::quick) && finding.is_of(claim); });
    if (found.result || !full_alone) continue;
    look_in(kept_claims(finding.experiment));
    found.kept = found.result.has_value();
  }
  return results;
}

std::vector<FindingResult> results_of_findings(std::span<const Reproduction> reproductions) {
  std::vector<ClaimResult> claims;
  for (const Reproduction& reproduction : reproductions)
    claims.insert(claims.end(), reproduction.claims.begin(), reproduction.claims.end());
  return results_of_findings(claims);
}

}  // namespace fovea
