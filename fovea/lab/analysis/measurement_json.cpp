#include "fovea/lab/analysis/measurement_json.h"

namespace fovea {

namespace {

Json interval_json(const Estimate& x) { return {number_json(x.mean), number_json(x.low), number_json(x.high)}; }

}  // namespace

Json measures_json(const Measures& measures) {
  Json runs = Json::array(), rows = Json::array();
  for (const auto& [what, id] : measures.runs) runs.push_back({{"is", what}, {"run", id}});
  for (const Measures::Row& row : measures.rows) {
    Json json{{"a", row.a},
              {"b", row.b},
              {"agreement", interval_json(row.agreement)},
              {"chance", interval_json(row.chance)},
              {"clear", row.clear()},
              {"tau", interval_json(row.tau)},
              {"rho", interval_json(row.rho)}};
    if (row.untrained) json["untrained"] = interval_json(*row.untrained);
    if (row.most) json["most"] = {{"agreement", number_json(row.most->first)}, {"step", row.most->second}};
    if (row.xi) json["xi"] = {{"performance", number_json(row.xi->performance)}, {"step", row.xi->step}};
    rows.push_back(std::move(json));
  }
  Json json{{"performance", measures.performance},
            {"best", number_json(measures.best)},
            {"best_step", measures.best_step},
            {"examples", measures.examples},
            {"rows", measures.words},
            {"runs", runs},
            {"agreement", rows}};
  if (!measures.unpredicted.empty()) json["unpredicted"] = measures.unpredicted;
  return json;
}

}  // namespace fovea
