#include "fovea/model/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fovea/base/error/names.h"
#include "fovea/math/vector_math.h"
#include "fovea/model/right_positions.h"
#include "fovea/nn/loss.h"

namespace fovea {

namespace {

constexpr Index most_shown = Index{1} << 27;  // numbers of all maps of a pass together

}  // namespace

template <class T>
void Transformer<T>::settings(Fields& fields) {
  fields.integer("layers", layers_, 1, 16, "number of layers");
  fields.integer("heads", heads_, 1, 64, "number of heads of each layer, which share the width");
  fields.integer("width", width_, 1, 1 << 14, "width of the vector at each position");
  fields.integer("mlp", mlp_, 0, 16, "hidden width of each layer's mlp, as a multiple of the width; 0: no mlp");
  fields.choice("activation", activation_, {{"gelu", MlpActivation::gelu}, {"relu", MlpActivation::relu}},
                "activation function of the mlp");
  fields.only_of("mlp of 1 or more", [this] { return mlp_ > 0; });
  fields.choice("norm", norm_, {{"pre", Norm::pre}, {"none", Norm::none}},
                "layer normalisation before each part and after the last, or none");
  fields.choice("tied", tied_, {{"false", false}, {"true", true}},
                "whether the unembedding is the embedding, for as many answers as tokens");
  fields.choice("position", position_,
                {{"learned", Position::learned},
                 {"relative", Position::relative},
                 {"rotary", Position::rotary},
                 {"none", Position::none}},
                "how a position is encoded: added, by distance in the scores, by turning queries and keys, or not");
  fields.choice("attention", weighting_,
                {{"softmax", Weighting::softmax},
                 {"softmax-one", Weighting::one},
                 {"softmax-sink", Weighting::sink},
                 {"linear", Weighting::linear},
                 {"relu", Weighting::relu}},
                "weights from scores: softmax; softmax with 1 or a learned score in its denominator; the scores "
                "themselves; or their positive part over the row's length");
  fields.choice("gate", gate_, {{"false", false}, {"true", true}},
                "whether the output of heads is multiplied by a gate, the sigmoid of a linear map of their input");
  fields.choice("queries", queries_,
                {{"separate", Queries::separate}, {"merged", Queries::merged}, {"identity", Queries::identity}},
                "separate matrices for queries and keys; one matrix, applied to the queries; or the identity");
  fields.flag("biases", biases_, "biases of the linear maps and norms; the unembedding has none");
  fields.choice("start_law", start_distribution_,
                {{"normal", Distribution::normal}, {"uniform", Distribution::uniform}}, "how parameters are drawn");
  fields.number("start", start_, 0, 1e6, "standard deviation of the parameters at the start");
  const auto own = [&](const char* name, std::optional<double>& member, const char* otherwise, const char* help) {
    fields.number(name, member, 0, 1e6, otherwise, help);
  };
  own("start_embedding", start_embedding_, "start", "spread of the embeddings");
  own("start_position", start_position_, "start", "spread of learned or relative positions");
  own("start_qk", start_qk_, "start", "spread of queries and keys");
  own("start_value", start_value_, "start", "spread of values, and of the first half of the mlp");
  own("start_output", start_output_, "start / √(2 layers)",
      "spread of the maps back to the width: of heads, and the second half of the mlp");
  own("start_unembedding", start_unembedding_, "start", "spread of the unembedding");
  fields.texts("frozen", frozen_,
               "circuits that stay as they were drawn: embed, unembed, positions, qk.1, v.1, o.1, "
               "mlp.1 and so on");
}

template <class T>
void Transformer<T>::check(const TaskShape& shape) const {
  if (width_ % heads_ != 0)
    throw wrong_input(fmt::format("{} heads do not divide a width of {}", heads_, width_),
                      "set model.width to a multiple of model.heads");
  const Index keys = block_settings(1, shape.longest).attention.key_width();
  if (position_ == Position::rotary && keys % 2 != 0)
    throw wrong_input(fmt::format("rotary positions need pairs of numbers, and a head has {} numbers", keys),
                      "set model.width so that each head has an even number, or choose another model.position");
  if (shape.longest < 1)
    throw wrong_input("model 'transformer' needs a task with a largest number of positions",
                      "use a task of token streams");
  if (tied_.value_or(false) && shape.vocab != shape.target_vocab)
    throw wrong_input(fmt::format("a tied unembedding has an answer for each of {} tokens, and the task has {} answers",
                                  shape.vocab, shape.target_vocab),
                      "set model.tied to false");
  std::vector<std::string> known{"embed", "positions"};
  if (!tied_.value_or(false)) known.push_back("unembed");
  for (int layer = 1; layer <= layers_; ++layer)
    for (const char* part : {"qk", "v", "o", "mlp"}) known.push_back(fmt::format("{}.{}", part, layer));
  for (const std::string& name : frozen_)
    if (std::ranges::find(known, name) == known.end())
      throw wrong_input(fmt::format("model.frozen names '{}', which this model does not have", name),
                        suggest_name(name, known));
}

template <class T>
Init Transformer<T>::init(const std::optional<double>& deviation, double otherwise) const {
  const double d = deviation.value_or(otherwise);
  return start_distribution_ == Distribution::normal ? Init::normal(d) : Init::uniform(d * std::sqrt(3.0));
}

// What is frozen is among the statistics, which nothing updates.
template <class T>
Group Transformer<T>::group(const std::string& circuit, Group otherwise) const {
  return std::ranges::find(frozen_, circuit) == frozen_.end() ? otherwise : Group::statistics;
}

template <class T>
BlockSettings Transformer<T>::block_settings(int layer, Index longest) const {
  using Turned = MultiHeadSettings::Position;
  const auto circuit = [&](const char* part, Group otherwise = Group::body) {
    return group(fmt::format("{}.{}", part, layer), otherwise);
  };
  const Init outputs = init(start_output_, start_ / std::sqrt(2.0 * layers_));
  BlockSettings block;
  MultiHeadSettings& attention = block.attention;
  attention.width = width_;
  attention.heads = heads_;
  attention.weighting = weighting_;
  attention.gate = gate_.value_or(false);
  attention.gates = {init(start_value_, start_), Group::body};
  if (position_ == Position::relative) attention.position = Turned::relative;
  if (position_ == Position::rotary) attention.position = Turned::rotary;
  attention.queries = queries_;
  attention.longest = longest;
  attention.bias = biases_ ? Bias::yes : Bias::no;
  attention.queries_keys = {init(start_qk_, start_), circuit("qk", Group::attention)};
  attention.positions = {init(start_position_, start_), group("positions", Group::attention)};
  attention.values = {init(start_value_, start_), circuit("v")};
  attention.outputs = {outputs, circuit("o")};
  block.norms = norm_ == Norm::pre;
  block.mlp_width = Index{mlp_} * width_;
  block.activation = activation_;
  block.up = {init(start_value_, start_), circuit("mlp")};
  block.down = {outputs, circuit("mlp")};
  return block;
}

template <class T>
void Transformer<T>::build(const TaskShape& shape, ParameterSet<T>& parameters) {
  check(shape);
  embedding_ = Embedding<T>::declare(parameters, "embedding", shape.vocab, width_, init(start_embedding_, start_),
                                     group("embed"));
  if (position_ == Position::learned)
    positions_ =
        &parameters.add("position.weight", {shape.longest, width_}, init(start_position_, start_), group("positions"));
  for (int layer = 1; layer <= layers_; ++layer) {
    blocks_.push_back(
        TransformerBlock<T>::declare(parameters, fmt::format("layer.{}", layer), block_settings(layer, shape.longest)));
    for (int head = 1; head <= heads_; ++head) map_names_.push_back(fmt::format("layer.{}.head.{}", layer, head));
  }
  if (norm_ == Norm::pre)
    last_norm_ = LayerNorm<T>::declare(parameters, "norm", width_, biases_ ? Bias::yes : Bias::no);
  if (tied_.value_or(false)) unembedding_ = {width_, shape.target_vocab, embedding_.weight, nullptr};
  else
    unembedding_ = Linear<T>::declare(parameters, "unembedding", width_, shape.target_vocab,
                                      {init(start_unembedding_, start_), {}}, group("unembed"), Bias::no);
}

template <class T>
typename Model<T>::Attends Transformer<T>::attends(const Batch& batch) const {
  const Index maps = Index{layers_} * heads_ + 1, positions = batch.source.columns;
  return maps * batch.size * positions * positions > most_shown ? Model<T>::Attends::no : Model<T>::Attends::by_score;
}

template <class T>
std::span<const AttentionRule> Transformer<T>::rules(Compute& compute, const Pass& pass, int layer) const {
  const auto rules = compute.arena.take<AttentionRule>(static_cast<std::size_t>(heads_));
  for (int head = 1; head <= heads_; ++head) rules[static_cast<std::size_t>(head - 1)] = pass.rules.of(layer, head);
  return rules;
}

template <class T>
Matrix<T> Transformer<T>::embed(Compute& compute, const DistinctRows& rows) const {
  const Matrix<T> h = embedding_.forward(compute, rows.tokens);
  if (!positions_) return h;
  compute.team.split(h.size(0), Linear<T>::row_share, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n)
      add_scaled(T{1}, std::span<const T>(positions_->matrix()[rows.positions[static_cast<std::size_t>(n)]].flat()),
                 h[n].flat());
  });
  return h;
}

// The first block reads distinct rows, the last one gives asked rows in training.
template <class T>
StreamPass Transformer<T>::stream_pass(Compute& compute, const Trace<T>& trace, const Activations& own,
                                       std::size_t block) const {
  const bool first = block == 0, last = block + 1 == blocks_.size(), training = trace.pass.training;
  const Tokens& source = trace.batch->source;
  StreamRows rows{source.columns, source.lengths};
  if (first) rows.read = own.embedded.of_positions;
  if (last && training && !own.asked.answers.empty()) rows.given = own.asked.rows;
  rows.given_read = chain(compute.arena, rows.given, rows.read);
  const bool maps = last || attends(*trace.batch) != Model<T>::Attends::no;
  return {rows, rules(compute, trace.pass, static_cast<int>(block) + 1), right_positions(*trace.batch),
          training ? Keep::all
          : maps   ? Keep::maps
                   : Keep::nothing};
}

template <class T>
Trace<T> Transformer<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  Activations own;
  own.asked = asked_rows(compute.arena, batch.target.ids);
  own.blocks = compute.arena.take<typename TransformerBlock<T>::Trace>(blocks_.size());
  own.embedded = distinct_rows(compute.arena, batch.source.ids, batch.source.columns, embedding_.vocabulary,
                               positions_ != nullptr);
  Matrix<T> h = embed(compute, own.embedded);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    own.blocks[i] = {};
    h = blocks_[i].forward(compute, stream_pass(compute, trace, own, i), h, own.blocks[i]);
  }
  own.states = h;
  if (last_norm_.weight) {
    own.norm = last_norm_.forward(compute, h);
    own.states = own.norm.output;
  }
  logits_and_loss(compute, own, trace);
  if (!pass.training) collect_maps(compute, own, trace);
  trace.keep(compute, own);
  return trace;
}

// Of asked rows; those of other positions are 0 where they are part of the outcome.
template <class T>
void Transformer<T>::logits_and_loss(Compute& compute, Activations& own, Trace<T>& trace) const {
  const bool training = trace.pass.training;
  const std::span<const int> answers = trace.batch->target.ids;
  if (own.blocks.back().attention.heads.rows.given.same()) own.with_logits = own.asked.rows;
  own.logit_input = gather(compute, own.states, own.with_logits);
  const Matrix<T> logits = unembedding_.forward(compute, own.logit_input);
  copy_tokens(compute, *trace.batch, own, logits);
  if (training) own.d_logits = compute.array<T>(logits.size(0), logits.size(1));
  trace.loss = cross_entropy(compute, Matrix<const T>(logits), own.asked.answers, own.d_logits);
  trace.scores = training ? logits : scatter(compute, logits, own.asked.rows, std::ssize(answers));
  trace.answers = training ? own.asked.answers : answers;
}

// Adds to the logits what heads of the last block copy.
template <class T>
void Transformer<T>::copy_tokens(Compute& compute, const Batch& batch, Activations& own, Matrix<T> logits) const {
  typename MultiHead<T>::Trace& attention = own.blocks.back().attention;
  const std::span<const AttentionRule> rules = attention.heads.rules;
  own.copies = std::ranges::any_of(rules, [](const AttentionRule& rule) { return rule.copy != 0; });
  if (!own.copies) return;
  const Index C = unembedding_.out;
  const Matrix<T> all = blocks_.back().attention.copy_tokens(compute, batch.source.ids, C, attention);
  const Matrix<T> copied = gather(compute, all, own.with_logits);
  for (Index i = 0; i < copied.size(0); ++i)
    for (Index h = 0; h < heads_; ++h)
      add_scaled(static_cast<T>(rules[static_cast<std::size_t>(h)].copy),
                 std::span<const T>(copied[i].data() + h * C, static_cast<std::size_t>(C)), logits[i].flat());
}

// d of what the last block's heads copied, of all rows that it gave.
template <class T>
Matrix<T> Transformer<T>::copies_gradient(Compute& compute, const Activations& own) const {
  const typename MultiHead<T>::Trace& attention = own.blocks.back().attention;
  const Index C = unembedding_.out;
  const Matrix<T> d = compute.zeros<T>(attention.heads.rows.count(), heads_ * C);
  for (Index i = 0; i < own.d_logits.size(0); ++i)
    for (Index h = 0; h < heads_; ++h)
      add_scaled(static_cast<T>(attention.heads.rules[static_cast<std::size_t>(h)].copy),
                 std::span<const T>(own.d_logits[i].flat()),
                 std::span<T>(d[own.with_logits[i]].data() + h * C, static_cast<std::size_t>(C)));
  return d;
}

// The maps of all heads, and as the main one the mean of the last block's.
template <class T>
void Transformer<T>::collect_maps(Compute& compute, const Activations& own, Trace<T>& trace) const {
  if (attends(*trace.batch) == Model<T>::Attends::no) return;
  const Index B = trace.batch->size, positions = trace.batch->source.columns;
  const auto heads = static_cast<std::size_t>(heads_);
  const auto maps = compute.arena.take<AttentionMap<T>>(map_names_.size());
  for (std::size_t i = 0; i < maps.size(); ++i) {
    maps[i] = {map_names_[i], compute.array<T>(B, positions, positions)};
    blocks_[i / heads].attention.map(compute, own.blocks[i / heads].attention, static_cast<Index>(i % heads),
                                     maps[i].weights);
  }
  trace.attention = maps.back().weights;
  if (maps.size() == 1) return;
  trace.further = maps;
  if (heads_ == 1) return;
  trace.attention = compute.zeros<T>(B, positions, positions);
  for (const AttentionMap<T>& map : maps.last(heads))
    add_scaled(T{1} / static_cast<T>(heads_), std::span<const T>(map.weights.flat()), trace.attention.flat());
}

template <class T>
void Transformer<T>::backward(Compute& compute, const Trace<T>& trace) const {
  backward_layers(compute, trace, {});
}

// `d_weights`: (layers * heads) where the gradients of the heads' weights are wanted, else empty.
template <class T>
void Transformer<T>::backward_layers(Compute& compute, const Trace<T>& trace,
                                     std::span<const Cube<T>> d_weights) const {
  const auto heads = static_cast<std::size_t>(heads_);
  const Activations& own = trace.template own<Activations>();
  Matrix<T> dh = unembedding_.backward(compute, own.logit_input, Matrix<const T>(own.d_logits));
  dh = scatter(compute, dh, own.with_logits, own.states.size(0));
  if (last_norm_.weight) {
    const Matrix<T> d_states = dh;
    dh = compute.zeros<T>(d_states.size(0), Index{width_});
    last_norm_.backward(compute, own.norm, d_states, dh);
  }
  const bool embedding_learns = embedding_.weight->learns() || (positions_ && positions_->learns());
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    typename MultiHead<T>::Extras extras;
    if (own.copies && i + 1 == blocks_.size()) extras.d_copied = copies_gradient(compute, own);
    if (!d_weights.empty()) extras.d_weights = d_weights.subspan(i * heads, heads);
    dh = blocks_[i].backward(compute, own.blocks[i], dh, i > 0 || embedding_learns, extras);
  }
  if (!embedding_learns) return;
  embedding_.backward(compute, own.embedded.tokens, Matrix<const T>(dh));
  if (positions_ && positions_->learns() && compute.trains())
    scatter_add(compute.team, own.embedded.positions, Matrix<const T>(dh), positions_->matrix_gradient());
}

template <class T>
std::span<const HeadBeta<T>> Transformer<T>::head_betas(Compute& compute, const Batch& batch, Pass pass) const {
  if (attends(batch) == Model<T>::Attends::no) return {};
  pass.training = true;
  const Trace<T> trace = forward(compute, batch, pass);
  const Index positions = batch.source.columns;
  const auto asked = static_cast<T>(trace.answers.size());
  const auto d_weights = compute.arena.take<Cube<T>>(map_names_.size());
  for (Cube<T>& d : d_weights) d = compute.array<T>(Index{batch.size}, positions, positions);
  backward_layers(compute, trace, d_weights);
  const auto betas = compute.arena.take<HeadBeta<T>>(map_names_.size());
  for (std::size_t i = 0; i < betas.size(); ++i) {
    betas[i] = {map_names_[i], d_weights[i]};
    for (Index row = 0; row < batch.size * positions; ++row) {
      const std::span<T> beta = d_weights[i][row / positions][row % positions].flat();
      for (T& x : beta.first(static_cast<std::size_t>(row % positions + 1))) x *= -asked;
    }
  }
  return betas;
}

// LN(h), (B,T,d).
template <class T>
Cube<T> Transformer<T>::states(Compute& compute, const Trace<T>& trace) const {
  const Activations& own = trace.template own<Activations>();
  assert(own.states.size(0) == static_cast<Index>(trace.batch->target.ids.size()));
  const Matrix<T> states = compute.array<T>(own.states.size(0), own.states.size(1));
  std::copy_n(own.states.data(), own.states.count(), states.data());
  return states.as(trace.batch->size, trace.batch->source.columns, Index{width_});
}

template class Transformer<float>;
template class Transformer<double>;

namespace {

const RegisterModel<Transformer> transformer_model("transformer", "causal self-attention in layers of heads");

}  // namespace

}  // namespace fovea
