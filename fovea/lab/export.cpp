#include "fovea/lab/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "fovea/base/file.h"
#include "fovea/base/names.h"
#include "fovea/lab/json.h"

namespace fovea {

namespace {

void append_field(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

// Of a series: what JSON has no number for is a text, so that it can be told apart and read back.
Json point_json(double x) { return std::isfinite(x) ? Json(x) : Json(exact_text(x)); }

struct Format {
  std::string name;
  std::function<std::string()> header;
  std::function<void(std::string&, const RunRecord&)> append;
};

const std::vector<Format>& formats() {
  static const std::vector<Format> all{{"csv", csv_header, append_csv},
                                       {"jsonl", [] { return std::string(); }, append_jsonl}};
  return all;
}

}  // namespace

std::string csv_header() { return "run,experiment,seed,metric,step,value\n"; }

void append_csv(std::string& out, const RunRecord& run) {
  std::string front = fmt::format("{},", run.id);
  append_field(front, run.experiment);
  front += fmt::format(",{},", run.spec.seed);
  for (const auto& [name, series] : run.series) {
    std::string start = front;
    append_field(start, name);
    for (std::size_t i = 0; i < series.steps.size(); ++i)
      fmt::format_to(std::back_inserter(out), "{},{},{}\n", start, series.steps[i], exact_text(series.values[i]));
  }
}

void append_jsonl(std::string& out, const RunRecord& run) {
  Json json;
  json["run"] = run.id;
  json["experiment"] = run.experiment;
  json["seed"] = run.spec.seed;
  json["state"] = state_name(run.state);
  if (!run.error.empty()) json["error"] = run.error;
  json["hash"] = run.hash;
  json["version"] = run.version;
  json["machine"] = run.machine;
  json["started"] = run.started;
  json["seconds"] = point_json(run.seconds);
  json["steps"] = run.steps;
  json["spec"] = value_json({run.spec.table(), {}});
  json["metrics"] = Json::object();
  for (const auto& [name, value] : run.metrics()) json["metrics"][name] = point_json(value);
  json["series"] = Json::object();
  for (const auto& [name, series] : run.series) {
    Json& points = json["series"][name] = Json::array();
    for (std::size_t i = 0; i < series.steps.size(); ++i)
      points.push_back({series.steps[i], point_json(series.values[i])});
  }
  out += json.dump(-1, ' ', false, Json::error_handler_t::replace);  // a byte that is no UTF-8 becomes U+FFFD
  out += '\n';
}

std::vector<std::string> export_formats() {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.push_back(format.name);
  return names;
}

void export_runs(const Store& store, std::span<const std::int64_t> ids, const std::string& format,
                 const std::filesystem::path& file) {
  const auto found = std::ranges::find(formats(), format, &Format::name);
  if (found == formats().end())
    throw wrong_input("there is no export format '" + format + "'", suggest_name(format, export_formats()));
  std::string text = found->header();
  for (const std::int64_t id : ids) {
    const auto run = store.find(id);
    if (!run) throw wrong_input(fmt::format("there is no run {}", id), "'fovea runs' lists them");
    found->append(text, *run);
  }
  write_whole(file, text);
}

}  // namespace fovea
