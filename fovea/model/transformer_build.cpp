// What a transformer is set to, and the parameters that follow from it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/error/names.h"
#include "fovea/model/transformer.h"

namespace fovea {

template <class T>
void Transformer<T>::settings(Fields& fields) {
  fields.integer("layers", layers_, 1, 16, "layers, one upon the other");
  fields.integer("heads", heads_, 1, 64, "heads of each layer; they share the width");
  fields.integer("width", width_, 1, 1 << 14, "numbers at each place");
  fields.integer("mlp", mlp_, 0, 16, "hidden width of each layer's mlp, times the width; 0: none");
  fields.choice("activation", squash_, {{"gelu", Squash::gelu}, {"relu", Squash::relu}}, "of the mlp");
  fields.only_of("mlp of 1 or more", [this] { return mlp_ > 0; });
  fields.choice("norm", norm_, {{"pre", Norm::pre}, {"none", Norm::none}},
                "layer normalisation before each part and after the last, or none");
  fields.choice("position", position_,
                {{"learned", Position::learned},
                 {"relative", Position::relative},
                 {"rotary", Position::rotary},
                 {"none", Position::none}},
                "how a place is known: added, by distance in the scores, by turning queries and keys, or not");
  fields.choice("attention", weighting_,
                {{"softmax", Weighting::softmax}, {"linear", Weighting::linear}, {"relu", Weighting::relu}},
                "weights from scores: softmax; the scores themselves; their positive part over the row's length");
  fields.choice("queries", queries_,
                {{"separate", Queries::separate}, {"merged", Queries::merged}, {"identity", Queries::identity}},
                "a matrix each for queries and keys; one for both, on the queries; or on the keys");
  fields.flag("biases", biases_, "of the linear maps and norms; the unembedding has none");
  fields.choice("start_law", law_, {{"normal", Law::normal}, {"uniform", Law::uniform}}, "how parameters are drawn");
  fields.number("start", start_, 0, 1e6, "their standard deviation at the start");
  const auto own = [&](const char* name, std::optional<double>& member, const char* otherwise, const char* help) {
    fields.number(name, member, 0, 1e6, otherwise, help);
  };
  own("start_embedding", start_embedding_, "start", "that of the embeddings");
  own("start_position", start_position_, "start", "that of learned or relative positions");
  own("start_qk", start_qk_, "start", "that of queries and keys");
  own("start_value", start_value_, "start", "that of values, and of the first half of the mlp");
  own("start_output", start_output_, "start over the root of twice the layers",
      "that of the maps back to the width: of heads, and the second half of the mlp");
  own("start_unembedding", start_unembedding_, "start", "that of the unembedding");
  fields.texts("frozen", frozen_,
               "circuits that stay as they were drawn: embed, unembed, positions, qk.1, v.1, o.1, "
               "mlp.1 and so on");
}

template <class T>
void Transformer<T>::check(const TaskShape& shape) const {
  if (width_ % heads_ != 0)
    throw wrong_input(fmt::format("{} heads do not divide a width of {}", heads_, width_),
                      "set model.width to a multiple of model.heads");
  if (position_ == Position::rotary && query_width() % 2 != 0)
    throw wrong_input(fmt::format("rotary positions turn pairs, and a head has {} numbers", query_width()),
                      "set model.width so that each head has an even number, or take other positions");
  if (shape.longest < 1)
    throw wrong_input("model 'transformer' needs a task that says how many places it has at most",
                      "take a task of token streams");
  std::vector<std::string> known{"embed", "unembed", "positions"};
  for (int layer = 1; layer <= layers_; ++layer)
    for (const char* part : {"qk", "v", "o", "mlp"}) known.push_back(fmt::format("{}.{}", part, layer));
  for (const std::string& name : frozen_)
    if (std::ranges::find(known, name) == known.end())
      throw wrong_input(fmt::format("model.frozen names '{}', which this model does not have", name),
                        suggest_name(name, known));
}

template <class T>
Group Transformer<T>::group(const std::string& circuit, Group otherwise) const {
  return std::ranges::find(frozen_, circuit) == frozen_.end() ? otherwise : Group::statistics;
}

template <class T>
Init Transformer<T>::start(const std::optional<double>& own, double otherwise) const {
  const double deviation = own.value_or(otherwise);
  return law_ == Law::normal ? Init::normal(deviation) : Init::uniform(deviation * std::sqrt(3.0));
}

template <class T>
Linear<T> Transformer<T>::declare(ParameterSet<T>& parameters, const std::string& name, Index in, Index out,
                                  const Init& init, Group group) const {
  return Linear<T>::declare(parameters, name, in, out, {init, Init::constant(0)}, group,
                            biases_ ? Bias::yes : Bias::no);
}

template <class T>
typename Transformer<T>::Layer Transformer<T>::declare_layer(ParameterSet<T>& parameters, int number,
                                                             const TaskShape& shape) const {
  const std::string prefix = fmt::format("layer.{}", number);
  const auto circuit = [&](const char* part, Group otherwise) {
    return group(fmt::format("{}.{}", part, number), otherwise);
  };
  const Index d = width_, keys = heads_ * query_width();
  const Group of_scores = circuit("qk", Group::attention);
  const Init back = start(start_output_, start_ / std::sqrt(2.0 * layers_));
  Layer layer;
  if (norm_ == Norm::pre)
    layer.norm1 = LayerNorm<T>::declare(parameters, prefix + ".norm1", d, biases_ ? Bias::yes : Bias::no);
  if (queries_ != Queries::identity)
    layer.query = declare(parameters, prefix + ".query", d, keys, start(start_qk_, start_), of_scores);
  if (queries_ != Queries::merged)
    layer.key = declare(parameters, prefix + ".key", d, keys, start(start_qk_, start_), of_scores);
  if (position_ == Position::relative)
    layer.relative = &parameters.add(prefix + ".position.weight", {shape.longest, keys}, start(start_position_, start_),
                                     group("positions", Group::attention));
  layer.value = declare(parameters, prefix + ".value", d, d, start(start_value_, start_), circuit("v", Group::body));
  layer.output = declare(parameters, prefix + ".output", d, d, back, circuit("o", Group::body));
  if (mlp_ == 0) return layer;
  if (norm_ == Norm::pre)
    layer.norm2 = LayerNorm<T>::declare(parameters, prefix + ".norm2", d, biases_ ? Bias::yes : Bias::no);
  const Group of_mlp = circuit("mlp", Group::body);
  layer.up = declare(parameters, prefix + ".mlp.0", d, mlp_ * d, start(start_value_, start_), of_mlp);
  layer.down = declare(parameters, prefix + ".mlp.2", mlp_ * d, d, back, of_mlp);
  return layer;
}

template <class T>
void Transformer<T>::build(const TaskShape& shape, ParameterSet<T>& parameters) {
  check(shape);
  table_ = Embedding<T>::declare(parameters, "embedding", shape.vocab, width_, start(start_embedding_, start_),
                                 group("embed", Group::body));
  if (position_ == Position::learned)
    positions_ = &parameters.add("position.weight", {shape.longest, width_}, start(start_position_, start_),
                                 group("positions", Group::body));
  for (int layer = 1; layer <= layers_; ++layer) stack_.push_back(declare_layer(parameters, layer, shape));
  if (norm_ == Norm::pre)
    last_norm_ = LayerNorm<T>::declare(parameters, "norm", width_, biases_ ? Bias::yes : Bias::no);
  unembedding_ = Linear<T>::declare(parameters, "unembedding", width_, shape.target_vocab,
                                    {start(start_unembedding_, start_), {}}, group("unembed", Group::body), Bias::no);
  attention_ = {weighting_, heads_, query_width(), width_ / heads_};
  if (position_ == Position::rotary) rotary_ = Rotary<T>(shape.longest, query_width());
  for (int layer = 1; layer <= layers_; ++layer)
    for (int head = 1; head <= heads_; ++head) names_.push_back(fmt::format("layer.{}.head.{}", layer, head));
}

template void Transformer<float>::settings(Fields&);
template void Transformer<double>::settings(Fields&);
template void Transformer<float>::build(const TaskShape&, ParameterSet<float>&);
template void Transformer<double>::build(const TaskShape&, ParameterSet<double>&);

}  // namespace fovea
