#include "fovea/lab/analysis/comparison_json.h"

namespace fovea {

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
