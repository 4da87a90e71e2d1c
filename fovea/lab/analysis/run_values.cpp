#include "fovea/lab/analysis/run_values.h"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fovea/base/flatten.h"
#include "fovea/lab/query/expression.h"

namespace fovea {

namespace {

Json number_or_infinity(double x) {
  if (std::isinf(x)) return x > 0 ? "infinity" : "-infinity";
  return number_json(x);
}

Json quantity_of(const Expression& quantity, const RunRecord& run) {
  const std::string& name = quantity.text();
  if (!run.series.contains(name)) {
    if (const auto setting = run.spec.setting(name)) return value_json(*setting);
    if (const auto role = run.role.find(name); role != run.role.end()) return value_json(role->second);
  }
  return number_or_infinity(quantity.number(run));
}

std::set<std::string> settings_that_differ(const std::vector<RunRecord>& runs) {
  std::map<std::string, Json> seen;
  std::set<std::string> differing;
  for (const RunRecord& run : runs) {
    const ValueTable table = run.spec.table();
    std::map<std::string, Json> settings;
    for (const auto& [name, value] : flatten(table))
      if (RunSpec::changes_numbers(name)) settings[name] = value_json(*value);
    if (&run == &runs.front()) seen = settings;
    for (const auto& [name, value] : settings)
      if (!seen.contains(name) || seen[name] != value) differing.insert(name);
    for (const auto& [name, value] : seen)
      if (!settings.contains(name)) differing.insert(name);
  }
  return differing;
}

std::set<std::string> quantities_of(const Reproduction& reproduction) {
  std::set<std::string> quantities;
  for (const Claim& claim : reproduction.experiment.claims) {
    if (!claim.is_of(reproduction.preset)) continue;
    quantities.merge(Expression::parse(claim.metric, claim.location).quantities());
    if (!claim.where.empty()) quantities.merge(Expression::parse(claim.where, claim.location).quantities());
  }
  return quantities;
}

}  // namespace

Json run_values_json(const Reproduction& reproduction) {
  const std::vector<RunRecord>& runs = reproduction.runs;
  Json settings{{"seed", Json::array()}}, numbers = Json::object();
  for (const RunRecord& run : runs) settings["seed"].push_back(run.spec.seed);
  for (const std::string& name : settings_that_differ(runs)) {
    if (name == "seed") continue;
    for (const RunRecord& run : runs) {
      const auto setting = run.spec.setting(name);
      settings[name].push_back(setting ? value_json(*setting) : Json());
    }
  }
  for (const std::string& name : quantities_of(reproduction)) {
    if (settings.contains(name)) continue;
    const Expression quantity = Expression::parse(name);
    for (const RunRecord& run : runs) numbers[name].push_back(quantity_of(quantity, run));
  }
  return {{"settings", settings}, {"numbers", numbers}};
}

}  // namespace fovea
