#include "fovea/serve/run_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <system_error>

#include "fovea/base/error/error.h"
#include "fovea/lab/record/record_json.h"
#include "fovea/lab/spec/axes_json.h"
#include "fovea/lab/store/vocabulary_cache.h"
#include "fovea/serve/answers.h"

namespace fovea {

namespace {

// Which arrays there are, each with its shape and its steps.
Json arrays_summary(const std::vector<ArrayShape>& arrays) {
  Json list = Json::array();
  std::map<std::string, std::size_t> indices;
  for (const ArrayShape& array : arrays) {
    const auto [at, fresh] = indices.try_emplace(array.name, list.size());
    if (fresh) list.push_back({{"name", array.name}, {"shape", array.shape}, {"steps", Json::array()}});
    list[at->second]["steps"].push_back(array.step);
  }
  return list;
}

// How a person reads the tokens that occur in the examples, by number; {} where nothing tells.
Json words_of(const RunRecord& run, const Store& store) {
  Json source = Json::object(), target = Json::object();
  Json json{{"source", source}, {"target", target}, {"classes", Json::array()}};
  try {
    const KnownWords known = vocabulary_cache(store).of(run.spec);
    for (const bool of_source : {true, false}) {
      const std::size_t count = of_source || known.target.empty() ? known.source.size() : known.target.size();
      for (const ArrayRecord& array : store.arrays(run.id, of_source ? "attention_source" : "attention_target"))
        for (const float value : array.values)
          if (const auto token = static_cast<std::size_t>(value); value >= 0 && token < count)
            json[of_source ? "source" : "target"][std::to_string(token)] =
                of_source ? known.source[token] : known.target_word(token);
    }
    json["classes"] = known.classes;
  } catch (const Error&) {  // another program's run, or a corpus that is gone: tokens are their numbers
  }
  return json;
}

HttpAnswer whole_run(const RunRecord& run, const Store& store) {
  Json json = run_json(run, true);
  json["spec"] = run.spec.text();
  json["arrays"] = arrays_summary(store.array_shapes(run.id));
  json["words"] = words_of(run, store);
  add_axes(run.spec, json);
  std::error_code none;
  const auto bytes = std::filesystem::file_size(store.weight_files().file_of(run.hash), none);
  if (!none && run.state == RunState::done) json["weights"] = bytes;
  return json_answer(json);
}

// Of arrays over examples one of them is enough, where the query names it.
HttpAnswer run_arrays(const HttpRequest& request, const Store& store, std::int64_t id) {
  refuse_unknown(request, {"name", "example"});
  const std::string asked = request.asked("example");
  const std::int64_t example = asked.empty() ? -1 : read_number(asked, "the example", 0, 1 << 20);
  Json list = Json::array();
  for (const ArrayRecord& array : store.arrays(id, request.asked("name"))) {
    std::vector<Index> shape = array.shape;
    std::span<const float> kept = array.values;
    if (example >= 0) {
      if (shape.empty() || example >= shape[0])
        throw wrong_input(fmt::format("'{}' has no example {}", array.name, example),
                          fmt::format("it has {}, counted from 0", shape.empty() ? Index{0} : shape[0]));
      const std::size_t each = kept.size() / static_cast<std::size_t>(shape[0]);
      kept = kept.subspan(static_cast<std::size_t>(example) * each, each);
      shape[0] = 1;
    }
    Json values = Json::array();
    for (const float value : kept) values.push_back(number_json(static_cast<double>(value)));
    list.push_back({{"name", array.name}, {"step", array.step}, {"shape", shape}, {"values", std::move(values)}});
  }
  return json_answer({{"run", id}, {"arrays", list}});
}

HttpAnswer run_weights(const RunRecord& run, const Store& store) {
  std::ifstream file(store.weight_files().file_of(run.hash), std::ios::binary);
  if (run.state != RunState::done || !file)
    return error_answer(404, fmt::format("run {} has no weights kept", run.id),
                        "train.keep_weights sets which runs do");
  HttpAnswer answer{.type = "application/octet-stream",
                    .body = {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}};
  answer.headers.emplace_back("Content-Disposition",
                              fmt::format("attachment; filename=\"run-{}.safetensors\"", run.id));
  return answer;
}

}  // namespace

HttpAnswer run_answer(const HttpRequest& request, const Store& store, std::string_view rest) {
  const std::size_t slash = rest.find('/');
  const std::int64_t id = read_number(std::string(rest.substr(0, slash)), "the run", 1, std::int64_t{1} << 62);
  const std::optional<RunRecord> found = store.find(id);
  if (!found) return error_answer(404, fmt::format("there is no run {}", id), "/api/runs lists them");
  const std::string_view part = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
  if (part == "arrays") return run_arrays(request, store, id);
  if (!part.empty() && part != "weights")
    return error_answer(404, fmt::format("a run has no '{}'", part), "it has arrays and weights");
  refuse_unknown(request, {});
  return part.empty() ? whole_run(*found, store) : run_weights(*found, store);
}

}  // namespace fovea
