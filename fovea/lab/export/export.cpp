#include "fovea/lab/export/export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "fovea/base/error/names.h"
#include "fovea/base/file.h"
#include "fovea/lab/export/run_export.h"
#include "fovea/lab/record/json.h"

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

// A text, run by run.
class TextExport : public RunExport {
 public:
  using Append = void (*)(std::string&, const RunRecord&);
  TextExport(const std::filesystem::path& file, const std::string& header, Append append)
      : file_(file), append_(append) {
    file_.write(header);
  }
  void add(const RunRecord& run, const Store&) override {
    text_.clear();
    append_(text_, run);
    file_.write(text_);
  }
  void finish() override { file_.commit(); }

 private:
  WholeFile file_;
  Append append_;
  std::string text_;
};

struct Maker {
  ExportFormat format;
  std::unique_ptr<RunExport> (*make)(const std::filesystem::path&, bool several);
};

const std::vector<Maker>& makers() {
  static const std::vector<Maker> all{{{"csv", ".csv"}, export_csv},
                                      {{"jsonl", ".jsonl"}, export_jsonl},
                                      {{"npz", ".npz"}, export_npz},
                                      {{"safetensors", ".safetensors"}, export_safetensors},
                                      {{"words", ".txt"}, export_words},
                                      {{"checkpoints", ""}, export_checkpoints},
                                      {{"tensorboard", ""}, export_tensorboard}};
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
  if (!run.tags.empty()) json["tags"] = run.tags;
  if (!run.note.empty()) json["note"] = run.note;
  json["hash"] = run.hash;
  json["version"] = run.version;
  json["arithmetic"] = run.arithmetic;
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
  out += json_text(json);
  out += '\n';
}

std::unique_ptr<RunExport> export_csv(const std::filesystem::path& file, bool) {
  return std::make_unique<TextExport>(file, csv_header(), append_csv);
}

std::unique_ptr<RunExport> export_jsonl(const std::filesystem::path& file, bool) {
  return std::make_unique<TextExport>(file, "", append_jsonl);
}

std::vector<ExportFormat> export_formats() {
  std::vector<ExportFormat> formats;
  for (const Maker& maker : makers()) formats.push_back(maker.format);
  return formats;
}

std::string export_format_of(const std::filesystem::path& file) {
  std::vector<std::string> endings;
  for (const auto& [name, ending] : export_formats()) {
    if (ending.empty()) continue;
    if (file.extension() == ending) return name;
    endings.push_back(ending);
  }
  const std::string last = endings.back();
  endings.pop_back();
  throw wrong_input(fmt::format("the name '{}' has no known ending", file.string()),
                    Remedy::name_export(fmt::format("{} or {}", fmt::join(endings, ", "), last)));
}

void export_runs(const Store& store, std::span<const std::int64_t> ids, const std::string& format,
                 const std::filesystem::path& file) {
  const auto found = std::ranges::find(makers(), format, [](const Maker& maker) { return maker.format.name; });
  if (found == makers().end()) {
    std::vector<std::string> names;
    for (const Maker& maker : makers()) names.push_back(maker.format.name);
    throw wrong_input("there is no export format '" + format + "'", suggest_name(format, names));
  }
  const std::unique_ptr<RunExport> made = found->make(file, ids.size() > 1);
  store.read(ids, [&](const RunRecord& run) { made->add(run, store); });
  made->finish();
}

}  // namespace fovea
