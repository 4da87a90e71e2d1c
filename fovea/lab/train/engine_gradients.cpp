// The messages of a run to an engine:
//
//   do = "open"     engine, device, threads, model and sizes (JSON): how the model is set, and what task it is for
//                   tensors: the parameters by name
//   do = "update"   rules (JSON): the rule of each head that has one
//                   tensors: the parameters by name; "batch NAME", the parts of the batch; "right", the positions that
//                   right answers need; "shift LAYER HEAD", what is added to scores after the factor in the rule;
//                   "draws", what the model draws
//
// An answer to "update" has loss in its metadata, and "gradient NAME" of parameters (0 if there is none) and "statistic
// NAME", their new values. An answer that refuses has error and remedy.
#include "fovea/lab/train/engine_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <type_traits>
#include <vector>

#include "fovea/lab/record/json.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/model/random_draws.h"
#include "fovea/model/right_positions.h"

namespace fovea {

namespace {

template <class T>
constexpr const char* number_format() {
  if constexpr (std::is_same_v<T, double>) return "F64";
  else if constexpr (std::is_same_v<T, float>) return "F32";
  else if constexpr (std::is_same_v<T, int>) return "I32";
  else return "U8";
}

// Tensors of a message, and the memory of those that are made for it.
class Question {
 public:
  template <class T>
  void add(std::string name, std::vector<Index> shape, std::span<const T> values) {
    tensors_.push_back({std::move(name), number_format<T>(), std::move(shape), std::as_bytes(values)});
  }
  template <class T>
  void add(std::string name, std::vector<Index> shape, const std::vector<T>& values) {
    add(std::move(name), std::move(shape), std::span<const T>(values));
  }
  void add(const std::string& name, const Tokens& tokens) {
    if (tokens.rows == 0) return;
    add(name, {tokens.rows, tokens.columns}, tokens.ids);
    add(name + " lengths", {tokens.rows}, tokens.lengths);
  }
  void add(const std::string& name, const Items& items) {
    if (items.rows == 0 || items.columns == 0) return;
    const auto& values = made_.emplace_back(items.first(items.rows));
    add(name, {items.rows, items.columns, items.width}, values);
    add(name + " lengths", {items.rows}, items.lengths);
  }
  template <class T>
  void add(const ParameterSet<T>& parameters) {
    for (const Param<T>& p : parameters.all()) add<T>(p.name, p.shape, std::span<const T>(p.values()));
  }
  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  std::vector<Tensor> tensors_;
  std::deque<std::vector<float>> made_;
};

void add_batch(Question& message, const Batch& batch) {
  message.add("batch source", batch.source);
  message.add("batch target", batch.target);
  message.add("batch items", batch.items);
  message.add("batch values", batch.values);
  message.add("batch queries", batch.queries);
  message.add("batch answers", batch.answers);
  if (!batch.labels.empty()) message.add<int>("batch labels", {std::ssize(batch.labels)}, batch.labels);
  if (!batch.marked.empty()) {
    const Index rows = batch.size, width = std::ssize(batch.marked) / rows;
    message.add<std::uint8_t>("batch marked", {rows, width}, batch.marked);
  }
  if (!batch.features.empty())
    message.add<int>("batch features", {batch.size, batch.source.columns, batch.feature_width}, batch.features);
  if (!batch.truth.empty()) {
    const Index rows = batch.size, columns = batch.target.columns;
    message.add<float>("batch truth", {rows, columns, std::ssize(batch.truth) / (rows * columns)}, batch.truth);
  }
}

std::string word_of(AttentionRule::Pattern pattern) {
  for (const auto& [word, one] : attention_patterns)
    if (one == pattern) return std::string(word);
  return "learned";
}

// Of each stream, (B,T,T), at positions that a row attends to.
std::vector<double> shifts(const AttentionRule& rule, const Tokens& source) {
  const Index T = source.columns;
  std::vector<double> all(static_cast<std::size_t>(source.rows * T * T));
  for (Index b = 0; b < source.rows; ++b)
    for (Index i = 0; i < T; ++i)
      for (Index j = 0; j <= i; ++j) all[static_cast<std::size_t>((b * T + i) * T + j)] = rule.shift_at(b, i, j);
  return all;
}

Json sizes_json(const TaskShape& shape) {
  return {{"vocab", shape.vocab},
          {"target_vocab", shape.target_vocab},
          {"start_token", shape.start_token},
          {"classes", shape.classes},
          {"width", shape.width},
          {"value_width", shape.value_width},
          {"most_items", shape.most_items},
          {"longest", shape.longest}};
}

const std::string& text_of(const TensorFile& answer, const std::string& key) {
  static const std::string none;
  const auto found = answer.metadata().find(key);
  return found == answer.metadata().end() ? none : found->second;
}

void refuse_if_refused(const TensorFile& answer, const Location& location = {}) {
  const std::string& error = text_of(answer, "error");
  if (error.empty()) return;
  if (text_of(answer, "kind") == "wrong_input") throw wrong_input(error, text_of(answer, "remedy"), location);
  throw failure(error, text_of(answer, "remedy"));
}

}  // namespace

template <class T>
EngineGradients<T>::EngineGradients(UpdateEngine* engine, const RunSpec& spec, const TrainSettings& train,
                                    Workspace<T>& workspace)
    : workspace_(workspace) {
  const std::string name = *spec.train.at("engine").as<std::string>();
  if (!engine)
    throw wrong_input(fmt::format("this program has no engine '{}'", name),
                      "train the run by a program with the Python package, or drop train.engine",
                      location_in(spec.train, "engine"));
  link_ = engine->link(name);
  Question message;
  message.add(workspace.parameters());
  refuse_if_refused(
      link_->ask(message.tensors(), {{"do", "open"},
                                     {"device", train.device == TrainSettings::Device::cuda ? "cuda" : "cpu"},
                                     {"threads", std::to_string(train.threads)},
                                     {"model", value_json(Value{spec.model, {}}).dump()},
                                     {"sizes", sizes_json(workspace.shape()).dump()}}),
      location_in(spec.train, "engine"));
}

template <class T>
double EngineGradients<T>::compute(const Pass& pass) {
  Compute compute = workspace_.fresh_memory();
  const Model<T>& model = workspace_.model();
  const Batch& batch = workspace_.batch();
  Question message;
  message.add(workspace_.parameters());
  add_batch(message, batch);

  Json rules = Json::array();
  std::deque<std::vector<double>> shifted;
  RightPositions right;
  const std::vector<int> heads = model.heads().each;
  const int layers = static_cast<int>(heads.size());
  for (int layer = 1; layer <= std::max(1, layers); ++layer)
    for (int head = 1; head <= (layers == 0 ? 1 : heads[static_cast<std::size_t>(layer - 1)]); ++head) {
      const AttentionRule rule = pass.rules.of(layer, head);
      if (pass.rules.empty()) continue;
      Json& told = rules.emplace_back(Json{{"layer", layer}, {"head", head}, {"pattern", word_of(rule.pattern)}});
      each_number(rule, [&told](const char* name, auto value) { told[name] = value; });
      if (rule.reads_right()) right = right_positions(compute.arena, batch, rule);
      if (!rule.shift) continue;
      const Index columns = batch.source.columns;
      message.add<double>(fmt::format("shift {} {}", layer, head), {batch.size, columns, columns},
                          shifted.emplace_back(shifts(rule, batch.source)));
    }
  if (!right.empty())
    message.add<int>("right", {std::ssize(right.positions) / right.width, right.width}, right.positions);
  if (const auto* const at_random = dynamic_cast<const HasDraws*>(&model)) {
    const Cube<double> draws = at_random->draws(compute, batch, pass);
    message.add<double>("draws", {draws.size(0), draws.size(1), draws.size(2)}, std::span<const double>(draws.flat()));
  }

  const TensorFile answer = link_->ask(message.tensors(), {{"do", "update"}, {"rules", rules.dump()}});
  refuse_if_refused(answer);
  workspace_.parameters().clear_gradients(compute.team);
  for (const Param<T>& p : workspace_.parameters().all()) {
    const Tensor* const found = answer.find((p.learns() ? "gradient " : "statistic ") + p.name);
    if (!found) continue;
    const std::span<T> to = p.learns() ? p.gradients() : p.values();
    if (found->type != number_format<T>() || found->bytes.size() != to.size_bytes())
      throw failure(fmt::format("the engine's answer has a '{}' of another size", p.name), "report this");
    std::memcpy(to.data(), found->bytes.data(), to.size_bytes());
  }
  return std::strtod(text_of(answer, "loss").c_str(), nullptr);
}

template class EngineGradients<float>;
template class EngineGradients<double>;

}  // namespace fovea
