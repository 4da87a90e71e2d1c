#include "fovea/view/report/reproduced.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/view/plot/run_data.h"

namespace fovea {

std::vector<const Reproduction*> in_order_of_the_tour(std::span<const Reproduction> reproductions) {
  std::vector<const Reproduction*> all;
  for (const Reproduction& r : reproductions) all.push_back(&r);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto* a, const auto* b) { return a->experiment.order < b->experiment.order; });
  std::vector<std::string> systems;
  for (const Reproduction* r : all)
    if (std::find(systems.begin(), systems.end(), r->experiment.system) == systems.end())
      systems.push_back(r->experiment.system);
  std::stable_sort(all.begin(), all.end(), [&](const auto* a, const auto* b) {
    return std::find(systems.begin(), systems.end(), a->experiment.system) <
           std::find(systems.begin(), systems.end(), b->experiment.system);
  });
  return all;
}

std::string seeds_text(const std::vector<RunRecord>& runs) {
  std::vector<std::uint64_t> seeds;
  for (const RunRecord& run : runs) seeds.push_back(run.spec.seed);
  std::sort(seeds.begin(), seeds.end());
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  std::string text;
  for (std::size_t i = 0; i < seeds.size();) {
    std::size_t end = i;
    while (end + 1 < seeds.size() && seeds[end + 1] == seeds[end] + 1) ++end;
    text += (text.empty() ? "" : ", ") +
            (end > i ? fmt::format("{}–{}", seeds[i], seeds[end]) : fmt::format("{}", seeds[i]));
    i = end + 1;
  }
  return text;
}

std::map<std::string, std::vector<std::string>> settings_of(const std::vector<RunRecord>& runs) {
  constexpr std::size_t most = 24;
  std::map<std::string, std::vector<std::string>> all;
  for (const RunRecord& run : runs) {
    for (const auto& [key, text] : flat_settings(run.spec)) {
      auto& values = all[key];
      if (values.size() > most || std::find(values.begin(), values.end(), text) != values.end()) continue;
      values.push_back(values.size() < most ? text : "…");
    }
  }
  return all;
}

std::size_t as_stated(const Reproduction& reproduction) {
  return static_cast<std::size_t>(std::count_if(reproduction.claims.begin(), reproduction.claims.end(),
                                                [](const ClaimResult& c) { return c.held; }));
}

}  // namespace fovea
