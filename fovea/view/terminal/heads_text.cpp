#include "fovea/view/terminal/heads_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/base/number_text.h"

namespace fovea {

namespace {

constexpr std::string_view leading[] = {"induction", "weight_on_previous", "weight_on_first", "attention_on_answer",
                                        "agreement"};

using Head = std::pair<int, int>;  // layer and head, from 1

std::optional<Head> head_in(std::string_view name, std::string_view metric) {
  if (!name.starts_with(metric)) return std::nullopt;
  name.remove_prefix(metric.size());
  const std::optional<int> layer = number_after("_l", name);
  if (!layer) return std::nullopt;
  const std::optional<int> head = number_after("_h", name);
  if (!head || !name.empty()) return std::nullopt;
  return Head(*layer, *head);
}

std::map<Head, const Series*> heads_of(const std::map<std::string, Series>& series, std::string_view metric) {
  std::map<Head, const Series*> heads;
  for (const auto& [name, points] : series)
    if (const std::optional<Head> head = head_in(name, metric); head && !points.values.empty()) heads[*head] = &points;
  return heads;
}

std::string table_of(std::string_view metric, const std::map<Head, const Series*>& heads, const Terminal& terminal) {
  int most = 0;
  for (const auto& [head, points] : heads) most = std::max(most, head.second);
  std::vector<TextTable::Column> columns{{"layer", TextTable::Align::right}};
  for (int head = 1; head <= most; ++head) columns.push_back({fmt::format("h{}", head), TextTable::Align::right});
  TextTable table(columns);
  for (auto first = heads.begin(); first != heads.end();) {
    const int layer = first->first.first;
    std::vector<TextTable::Cell> cells{fmt::format("{}", layer)};
    for (int head = 1; head <= most; ++head) {
      const auto found = heads.find({layer, head});
      cells.emplace_back(found == heads.end() ? "" : fmt::format("{:.2f}", found->second->values.back()));
    }
    table.row(std::move(cells));
    first = heads.upper_bound({layer, most});
  }
  return fmt::format("{} of each head at step {}\n{}", metric, heads.begin()->second->steps.back(),
                     table.text(terminal));
}

std::string leader_of(std::string_view metric, const std::map<Head, const Series*>& heads) {
  std::optional<std::pair<double, Head>> leader;
  for (const auto& [head, points] : heads) {
    const double value = points->values.back();
    if (!std::isnan(value) && (!leader || value > leader->first)) leader = {value, head};
  }
  if (!leader) return "";
  return fmt::format("{}: layer {}, head {} has the most, {:.2f}\n", metric, leader->second.first,
                     leader->second.second, leader->first);
}

}  // namespace

std::string heads_text(const std::map<std::string, Series>& series, const Terminal& terminal) {
  std::string table, leaders;
  for (const std::string_view metric : leading) {
    const std::map<Head, const Series*> heads = heads_of(series, metric);
    if (heads.size() < 2) continue;
    if (table.empty()) table = table_of(metric, heads, terminal);
    leaders += leader_of(metric, heads);
  }
  return table + leaders;
}

}  // namespace fovea
