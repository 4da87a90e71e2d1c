// Questions of the page's engine on trainings that the page plays, pauses, steps and rewinds (folder apps/wasm).
// engine.cpp calls them by name. A rewound training starts again: the same spec gives the same bits. The memory of
// the page has the training; nothing is stored.
#include "fovea/lab/train/training.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/wasm/question.h"
#include "fovea/base/error/error.h"
#include "fovea/base/functions/functions.h"
#include "fovea/base/team.h"
#include "fovea/base/version.h"
#include "fovea/lab/record/record_json.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/spec/axes_json.h"
#include "fovea/lab/train/weights_file.h"

namespace fovea::page {

namespace {

// Each training under way has a name that the page gave it.
std::map<std::string, std::unique_ptr<Training>>& trainings() {
  static std::map<std::string, std::unique_ptr<Training>> all;
  return all;
}

Training& named(const Json& ask) {
  const auto found = trainings().find(text_of(ask, "name"));
  if (found == trainings().end()) throw wrong_input("there is no such training", "begin it first");
  return *found->second;
}

Json series_since(const RunRecord& record, std::int64_t since) {
  Json all = Json::object();
  for (const auto& [name, series] : record.series) {
    Json steps = Json::array(), values = Json::array();
    for (std::size_t i = 0; i < series.steps.size(); ++i) {
      if (series.steps[i] <= since) continue;
      steps.push_back(series.steps[i]);
      values.push_back(number_json(series.values[i]));
    }
    if (!steps.empty()) all[name] = {{"steps", std::move(steps)}, {"values", std::move(values)}};
  }
  return all;
}

Json arrays_since(const RunRecord& record, std::int64_t since) {
  Json all = Json::array();
  for (const ArrayRecord& array : record.arrays)
    if (array.step > since)
      all.push_back({{"name", array.name},
                     {"step", array.step},
                     {"shape", array.shape},
                     {"values", attach(std::as_bytes(std::span(array.values)))}});
  return all;
}

// What the training has come to since a step that the page has seen.
Json course(const RunRecord& record, std::int64_t since) {
  Json json{{"state", state_name(record.state)},
            {"step", record.steps},
            {"series", series_since(record, since)},
            {"arrays", arrays_since(record, since)}};
  if (!record.error.empty()) json["error"] = record.error;
  return json;
}

// How a person reads tokens and classes, by number.
void name_words(const RunSpec& spec, Json& json) {
  const std::unique_ptr<Task> task = make_task(spec);
  const TaskShape shape = task->shape();
  Json words = Json::array(), classes = Json::array();
  for (int token = 0; token < std::max(shape.vocab, shape.width); ++token) words.push_back(task->word(token));
  for (int label = 0; label < shape.classes; ++label) classes.push_back(task->class_name(label));
  json["words"] = std::move(words);
  json["classes"] = std::move(classes);
}

Json begin(const Json& ask) {
  const std::string name = text_of(ask, "name");
  const RunSpec spec = spec_of(ask);
  trainings().erase(name);
  auto training = std::make_unique<Training>(spec);
  training->advance(0);
  Json json = course(training->record(), -1);
  json["spec"] = spec.text();
  json["hash"] = spec.hash();
  json["settings"] = value_json({spec.table(), {}});
  name_words(spec, json);
  add_axes(spec, json);
  trainings()[name] = std::move(training);  // what could not be begun is not kept
  return json;
}

Json advance(const Json& ask) {
  Training& training = named(ask);
  const std::int64_t since = training.record().steps;
  training.advance(ask.at("step").get<std::int64_t>());
  return course(training.record(), since);
}

Json forget(const Json& ask) {
  trainings().erase(text_of(ask, "name"));
  return Json::object();
}

// The parameters as they are now: one by one, and all as a safetensors file.
Json weights(const Json& ask) {
  const Training& training = named(ask);
  RunRecord record = training.record();
  record.weights = training.weights();
  Json all = Json::array();
  for (const WeightRecord& weight : record.weights)
    all.push_back(
        {{"name", weight.name}, {"shape", weight.shape}, {"type", weight.type}, {"values", attach(weight.bytes)}});
  const std::string file = weights_file(record, record.hash);
  return {{"step", record.steps},
          {"weights", all},
          {"file", attach(std::as_bytes(std::span<const char>(file)))},
          {"version", version()}};
}

Json ints(const std::vector<int>& all) { return attach(std::as_bytes(std::span(all))); }

// The batches that the first `steps` updates are made on.
Json batches(const Json& ask) {
  const RunSpec& spec = named(ask).record().spec;
  const TrainSettings train = read_train(spec.train);
  const std::unique_ptr<Task> task = make_task(spec);
  const TaskShape shape = task->shape();
  Json all = Json::array();
  Batch batch;
  for (std::int64_t step = 0; step < ask.at("steps").get<std::int64_t>(); ++step) {
    task->batch(Split::train, static_cast<std::uint64_t>(step), train.batch, batch);
    all.push_back({{"size", batch.size},
                   {"source", ints(batch.source.ids)},
                   {"target", ints(batch.target.ids)},
                   {"labels", ints(batch.labels)},
                   {"alignment", ints(batch.alignment)}});
  }
  return {{"batches", all},
          {"vocab", shape.vocab},
          {"target_vocab", shape.target_vocab},
          {"start_token", shape.start_token}};
}

// The probability of each class and the attention on each word, for texts given as tokens.
template <class T>
Json read_texts(const Training& training, const Json& texts) {
  const RunSpec& spec = training.record().spec;
  const TaskShape shape = make_task(spec)->shape();
  ParameterSet<T> parameters;
  const std::unique_ptr<Model<T>> model = make_model<T>(spec, shape, parameters);
  const std::vector<WeightRecord> weights = training.weights();
  for (const Param<T>& parameter : parameters.all())
    for (const WeightRecord& weight : weights)
      if (weight.name == parameter.name) std::memcpy(parameter.value, weight.bytes.data(), weight.bytes.size());
  Json chances = Json::array(), attention = Json::array();
  Team team(1);
  for (const Json& text : texts) {
    const auto tokens = text.get<std::vector<int>>();
    Batch batch;
    batch.size = 1;
    batch.source.resize(1, static_cast<int>(tokens.size()));
    batch.source.ids = tokens;
    batch.labels = {0};
    Arena arena;
    Compute compute{arena, team};
    const Trace<T> trace = model->forward(compute, batch, {});
    std::vector<double> scores(trace.scores.flat().begin(), trace.scores.flat().end());
    if (scores.size() == 1) scores.insert(scores.begin(), 0.0);
    const double most = *std::max_element(scores.begin(), scores.end());
    double all = 0;
    for (double& score : scores) all += score = math::exp(score - most);
    for (double& score : scores) score /= all;
    chances.push_back(scores);
    attention.push_back(std::vector<double>(trace.attention.flat().begin(), trace.attention.flat().end()));
  }
  return {{"step", training.record().steps}, {"chances", std::move(chances)}, {"attention", std::move(attention)}};
}

Json read(const Json& ask) {
  const Training& training = named(ask);
  return read_train(training.record().spec.train).in_double() ? read_texts<double>(training, ask.at("texts"))
                                                              : read_texts<float>(training, ask.at("texts"));
}

const Question questions_of_training[]{{"begin", begin},     {"advance", advance}, {"forget", forget},
                                       {"weights", weights}, {"batches", batches}, {"read", read}};

}  // namespace

}  // namespace fovea::page
