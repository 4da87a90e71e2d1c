#include "fovea/serve/group_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/error/error.h"
#include "fovea/base/flatten.h"
#include "fovea/base/statistics.h"
#include "fovea/lab/analysis/compare.h"
#include "fovea/serve/answers.h"

namespace fovea {

namespace {

constexpr std::size_t most_groups = 40;

struct ValueGroup {
  Json value;  // of the setting; null for runs that lack it
  std::vector<RunRecord> runs;
};

Json value_of(const RunRecord& run, const std::string& name) {
  if (name == "experiment") return run.experiment;
  const ValueTable table = run.spec.table();
  for (const auto& [key, value] : flatten(table))
    if (key == name) return value_json(*value);
  return nullptr;
}

// Numbers by size, all else by its text; runs without the setting come last.
bool comes_before(const Json& a, const Json& b) {
  if (a.is_null() || b.is_null()) return b.is_null() && !a.is_null();
  if (a.is_number() && b.is_number()) return a.get<double>() < b.get<double>();
  if (a.is_number() != b.is_number()) return a.is_number();
  return a.dump() < b.dump();
}

std::vector<ValueGroup> split(std::vector<RunRecord> runs, const std::string& by) {
  std::vector<ValueGroup> groups;
  for (RunRecord& run : runs) {
    const Json value = value_of(run, by);
    auto group = std::ranges::find(groups, value, &ValueGroup::value);
    if (group == groups.end()) {
      if (groups.size() == most_groups)
        throw wrong_input(fmt::format("'{}' has more than {} values", by, most_groups),
                          "choose another setting, or fewer runs");
      group = groups.insert(groups.end(), ValueGroup{value, {}});
    }
    group->runs.push_back(std::move(run));
  }
  std::ranges::sort(groups, comes_before, &ValueGroup::value);
  return groups;
}

Json summary(const ValueGroup& group, const Expression& metric) {
  std::vector<double> values;
  for (const RunRecord& run : group.runs)
    if (const double value = metric.number(run); !std::isnan(value)) values.push_back(value);
  Json json{{"value", group.value}, {"runs", group.runs.size()}, {"measured", values.size()}};
  if (values.empty()) return json;
  json["median"] = number_json(median_of(values));
  json["low_quarter"] = number_json(quantile_of(values, 0.25));
  json["high_quarter"] = number_json(quantile_of(values, 0.75));
  if (std::ranges::any_of(values, [](double value) { return std::isinf(value); })) return json;
  const Estimate mean = bootstrap_mean(values, 0);
  json["mean"] = number_json(mean.mean);
  if (values.size() > 1) json["interval"] = {number_json(mean.low), number_json(mean.high)};
  return json;
}

// Paired over seeds, as everywhere; where the runs cannot be paired, why.
Json against(const ValueGroup& base, const ValueGroup& group, const Expression& metric) {
  try {
    const Comparison found = compare(base.runs, group.runs, std::span(&metric, 1));
    const MetricDifference& difference = found.metrics.front();
    if (difference.differences.empty())
      return {{"problem", "no pair of runs has the same seed and the other settings alike"}};
    Json settings = Json::array();
    for (const SettingDifference& setting : found.settings) settings.push_back(setting.name);
    return {{"pairs", difference.differences.size()},
            {"alone", found.alone_a + found.alone_b},
            {"paired_by", found.paired_by},
            {"settings", settings},
            {"difference", number_json(difference.interval.mean)},
            {"low", number_json(difference.interval.low)},
            {"high", number_json(difference.interval.high)},
            {"p", number_json(difference.test.p)},
            {"exact", difference.test.exact}};
  } catch (const Error& error) {
    return {{"problem", error.what()}};
  }
}

}  // namespace

Json groups_json(const HttpRequest& request, const Store& store) {
  refuse_unknown(request, {"experiment", "where", "metric", "by", "against"});
  const std::string by = request.asked("by"), base = request.asked("against");
  if (request.asked("metric").empty() || by.empty())
    throw wrong_input("the request has no metric or no setting", "add metric=accuracy&by=task.vocab, or others");
  const Expression metric = Expression::parse(request.asked("metric"), {"metric"});
  store.require_known(metric.require_single_run().names(), {"metric"});
  store.require_known({by}, {"by"});
  RunQuery query;
  query.experiment = request.asked("experiment");
  if (const std::string where = request.asked("where"); !where.empty())
    query.where = Expression::parse(where, {"where"});
  query.sort = "id";
  query.with_series = metric.reads_series();
  if (!query.experiment.empty()) store.require_experiment(query.experiment);
  std::vector<RunRecord> runs = store.query(query);
  const std::size_t left_out = std::erase_if(runs, [](const RunRecord& run) { return run.state != RunState::done; });
  const std::size_t outdated = keep_newest_arithmetic(runs);
  const std::vector<ValueGroup> groups = split(std::move(runs), by);
  if (groups.size() == 1 && groups.front().value.is_null())
    throw wrong_input(fmt::format("'{}' is not a setting of these runs", by),
                      "group them by a setting, or by experiment", {"by"});

  const auto text = [](const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); };
  const Json wanted = Json::parse(base, nullptr, false);
  auto chosen = std::ranges::find_if(groups, [&](const ValueGroup& group) {
    const bool numbers = group.value.is_number() && wanted.is_number();
    return numbers ? group.value.get<double>() == wanted.get<double>() : text(group.value) == base;
  });
  if (chosen == groups.end()) {
    if (!base.empty()) throw wrong_input(fmt::format("no run has {} = {}", by, base), "", {"against"});
    chosen = groups.begin();
  }
  Json list = Json::array();
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    Json one = summary(*group, metric);
    if (group != chosen) one["test"] = against(*chosen, *group, metric);
    list.push_back(std::move(one));
  }
  return {{"metric", metric.text()},
          {"by", by},
          {"against", groups.empty() ? Json() : chosen->value},
          {"left_out", left_out + outdated},
          {"groups", list}};
}

}  // namespace fovea
