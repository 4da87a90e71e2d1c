#include "fovea/view/report/story.h"

#include "fovea/base/error/error.h"
#include "fovea/lab/analysis/kept_results.h"
#include "fovea/lab/record/record_json.h"
#include "fovea/view/plot/figure_numbers.h"
#include "fovea/view/report/reproduced.h"
#include "fovea/view/terminal/measures_text.h"
#include "fovea/view/terminal/shades.h"

namespace fovea {

namespace {

Json figure_json(const FigureSpec& spec, const Reproduction& r, const FetchArrays& arrays, const std::string& id) {
  try {
    Figure figure = make_figure(spec, r.runs, arrays);
    const std::string title = figure.title;
    if (title.empty()) figure.title = r.experiment.title.empty() ? r.experiment.name : r.experiment.title;
    const FigureLook wide{640, false, true, id}, narrow{330, false, true, id + "n"};
    return {{"title", title},
            {"wide", figure_svg(figure, wide)},
            {"narrow", figure_svg(figure, narrow)},
            {"numbers", figure_numbers(figure)}};
  } catch (const Error& error) {
    return {{"problem", error.what()}};
  }
}

// What may stand in an id of the page.
std::string id_of(const std::string& name, std::size_t number) {
  std::string id = "f-";
  for (const char c : name) id += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '-';
  return id + "-" + std::to_string(number);
}

}  // namespace

Json told_json(const Reproduction& r, const FetchArrays& arrays) {
  const Experiment& e = r.experiment;
  Json claims = Json::array(), figures = Json::array(), settings = Json::object(), failed = Json::array();
  Json tables = Json::array();
  if (r.measures) tables.push_back(measures_html(*r.measures));
  for (const ExampleView& seen : r.examples) tables.push_back(shades_html(seen));
  for (const ClaimResult& claim : r.claims) claims.push_back(claim_json(claim));
  for (const auto& [key, values] : settings_of(r.runs)) settings[key] = values;
  std::int64_t failures = 0;
  for (const RunRecord& run : r.runs)
    if (run.state == RunState::failed && ++failures <= 5)
      failed.push_back({{"seed", run.spec.seed}, {"error", run.error}});
  // Without runs a figure would only say that there are none.
  for (std::size_t k = 0; k < e.figures.size() && !r.runs.empty(); ++k)
    figures.push_back(figure_json(e.figures[k], r, arrays, id_of(e.name, k + 1)));
  return {{"name", e.name},
          {"title", e.title},
          {"idea", e.idea},
          {"system", e.system},
          {"order", e.order},
          {"form", word_of(r.preset)},
          {"runs", r.runs.size()},
          {"seeds", seeds_text(r.runs)},
          {"seconds", number_json(r.seconds)},
          {"version", r.runs.empty() ? "" : r.runs.front().version},
          {"machine", r.runs.empty() ? "" : r.runs.front().machine},
          {"failed", failed},
          {"settings", settings},
          {"claims", claims},
          {"figures", figures},
          {"tables", tables}};
}

Json findings_json(std::span<const FindingResult> findings) {
  Json list = Json::array();
  for (const FindingResult& found : findings) {
    Json& one = list.emplace_back(Json{{"experiment", found.finding.experiment},
                                       {"heading", found.finding.heading},
                                       {"measures", found.finding.measures},
                                       {"why", found.finding.why},
                                       {"kept", found.kept}});
    if (found.result) one["claim"] = claim_json(*found.result);
  }
  return list;
}

Json not_supported_json() {
  Json list = Json::array();
  for (const KeptFailure& failure : kept_failures()) {
    Json claims = Json::array();
    for (const ClaimResult& claim : failure.claims) claims.push_back(claim_json(claim));
    list.push_back({{"experiment", failure.experiment},
                    {"corpus", failure.corpus},
                    {"says", failure.says},
                    {"claims", std::move(claims)}});
  }
  return list;
}

std::string story_text(std::span<const Reproduction> reproductions, const FetchArrays& arrays,
                       const ReportFacts& facts) {
  Json experiments = Json::array();
  for (const Reproduction* r : in_order_of_the_tour(reproductions)) experiments.push_back(told_json(*r, arrays));
  const Json story{
      {"facts", {{"title", facts.title}, {"made", facts.made}, {"version", facts.version}, {"machine", facts.machine}}},
      {"findings", findings_json(results_of_findings(reproductions))},
      {"experiments", experiments},
      {"not_supported", not_supported_json()}};
  return json_text(story);
}

}  // namespace fovea
