#include "fovea/lab/analysis/analysis_json.h"

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

Json comparison_json(const Comparison& comparison) {
  Json json{{"paired_by", comparison.paired_by},
            {"pairs", comparison.pairs},
            {"alone", {{"a", comparison.alone_a}, {"b", comparison.alone_b}}},
            {"unfinished", {{"a", comparison.unfinished_a}, {"b", comparison.unfinished_b}}}};
  Json& settings = json["settings"] = Json::array();
  for (const SettingDifference& setting : comparison.settings)
    settings.push_back({{"name", setting.name}, {"a", setting.a}, {"b", setting.b}});
  Json& metrics = json["metrics"] = Json::array();
  for (const MetricDifference& metric : comparison.metrics) {
    Json differences = Json::array();
    for (const double x : metric.differences) differences.push_back(number_json(x));
    metrics.push_back({{"metric", metric.metric},
                       {"mean_a", number_json(metric.mean_a)},
                       {"mean_b", number_json(metric.mean_b)},
                       {"difference", number_json(metric.interval.mean)},
                       {"low", number_json(metric.interval.low)},
                       {"high", number_json(metric.interval.high)},
                       {"p", number_json(metric.test.p)},
                       {"exact", metric.test.exact},
                       {"differences", std::move(differences)},
                       {"lacking", metric.lacking}});
  }
  return json;
}

}  // namespace fovea
