#include "fovea/serve/group_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

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
  ComparedRuns runs;
};

Json value_of(const ComparedRuns::Run& run, const ComparedRuns::Kind& kind, const std::string& name) {
  if (name == "experiment") return kind.experiment;
  if (name == "seed") return static_cast<std::int64_t>(run.seed);
  const ValueTable table = kind.spec.table();
  for (const auto& [key, value] : flatten(table))
    if (key == name) return value_json(*value);
  return nullptr;
}

// Numbers by size, all else by its text; runs without the setting come last.
bool comes_before(const Json& a, const Json& b) {
  if (a.is_null() || b.is_null()) return b.is_null() && !a.is_null();
  if (a.is_number() && b.is_number()) return a.get<double>() < b.get<double>();
  if (a.is_number() != b.is_number()) return a.is_number();
  return json_text(a) < json_text(b);
}

struct Groups {
  std::vector<ValueGroup> groups;
  std::int64_t left_out = 0;  // unfinished, or of an older arithmetic
};

Groups split(const ComparedRuns& all, const std::string& by) {
  Groups made;
  int newest = 0;
  for (const ComparedRuns::Run& run : all.runs)
    if (run.state == RunState::done) newest = std::max(newest, run.arithmetic);
  std::map<std::size_t, Json> of_kind;
  for (std::size_t i = 0; i < all.runs.size(); ++i) {
    const ComparedRuns::Run& run = all.runs[i];
    if (run.state != RunState::done || run.arithmetic < newest) {
      ++made.left_out;
      continue;
    }
    const auto [known, fresh] = of_kind.try_emplace(run.kind);
    Json& value = known->second;
    if (fresh || by == "seed") value = value_of(run, *all.kinds[run.kind], by);
    auto group = std::ranges::find(made.groups, value, &ValueGroup::value);
    if (group == made.groups.end()) {
      if (made.groups.size() == most_groups)
        throw wrong_input(fmt::format("'{}' has more than {} values", by, most_groups),
                          "choose another setting, or fewer runs");
      group = made.groups.insert(made.groups.end(), ValueGroup{value, {{}, all.kinds, {{}}}});
    }
    group->runs.runs.push_back(run);
    group->runs.values.front().push_back(all.values.front()[i]);
  }
  std::ranges::sort(made.groups, comes_before, &ValueGroup::value);
  return made;
}

Json summary(const ValueGroup& group) {
  std::vector<double> values = group.runs.values.front();
  std::erase_if(values, [](double value) { return std::isnan(value); });
  Json json{{"value", group.value}, {"runs", group.runs.runs.size()}, {"measured", values.size()}};
  if (values.empty()) return json;
  json["median"] = number_json(median_of(values));
  json["low_quarter"] = number_json(quantile_of(values, 0.25));
  json["high_quarter"] = number_json(quantile_of(values, 0.75));
  if (std::ranges::any_of(values, [](double value) { return std::isinf(value); })) return json;
  const Estimate mean = mean_interval(values, 0);
  json["mean"] = number_json(mean.mean);
  const auto [least, most] = std::ranges::minmax(values);
  json["range"] = {number_json(least), number_json(most)};
  if (!std::isnan(mean.low)) json["interval"] = {number_json(mean.low), number_json(mean.high)};
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
            {"range",
             {number_json(std::ranges::min(difference.differences)),
              number_json(std::ranges::max(difference.differences))}},
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
  if (!query.experiment.empty()) store.require_experiment(query.experiment);
  const auto [groups, left_out] = split(compared_runs(store, query, std::span(&metric, 1)), by);
  if (groups.size() == 1 && groups.front().value.is_null())
    throw wrong_input(fmt::format("'{}' is not a setting of these runs", by),
                      "group them by a setting, or by experiment", {"by"});

  const auto text = [](const Json& value) { return value.is_string() ? value.get<std::string>() : json_text(value); };
  const Json wanted = parse_json(base);
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
    Json one = summary(*group);
    if (group != chosen) one["test"] = against(*chosen, *group, metric);
    list.push_back(std::move(one));
  }
  return {{"metric", metric.text()},
          {"by", by},
          {"against", groups.empty() ? Json() : chosen->value},
          {"left_out", left_out},
          {"groups", list}};
}

}  // namespace fovea
