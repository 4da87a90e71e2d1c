#include "fovea/lab/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "fovea/base/file.h"
#include "fovea/base/names.h"

namespace fovea {

namespace {

using Json = nlohmann::ordered_json;

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

std::string number_text(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  return fmt::format("{}", x);
}

Json json_number(double x) { return std::isfinite(x) ? Json(x) : Json(number_text(x)); }

struct JsonMaker {
  Json operator()(bool x) const { return x; }
  Json operator()(std::int64_t x) const { return x; }
  Json operator()(double x) const { return json_number(x); }
  Json operator()(const std::string& x) const { return x; }
  Json operator()(const ValueList& list) const {
    Json json = Json::array();
    for (const Value& value : list) json.push_back(std::visit(*this, value.data));
    return json;
  }
  Json operator()(const ValueTable& table) const {
    Json json = Json::object();
    for (const auto& [key, value] : table) json[key] = std::visit(*this, value.data);
    return json;
  }
};

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
      fmt::format_to(std::back_inserter(out), "{},{},{}\n", start, series.steps[i], number_text(series.values[i]));
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
  json["seconds"] = json_number(run.seconds);
  json["steps"] = run.steps;
  json["spec"] = JsonMaker()(run.spec.table());
  json["metrics"] = Json::object();
  for (const auto& [name, value] : run.metrics()) json["metrics"][name] = json_number(value);
  json["series"] = Json::object();
  for (const auto& [name, series] : run.series) {
    Json& points = json["series"][name] = Json::array();
    for (std::size_t i = 0; i < series.steps.size(); ++i)
      points.push_back({series.steps[i], json_number(series.values[i])});
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
