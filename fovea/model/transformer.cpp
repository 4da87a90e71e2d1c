#include "fovea/model/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/error/names.h"
#include "fovea/math/vector_math.h"
#include "fovea/nn/activation.h"
#include "fovea/nn/gelu.h"
#include "fovea/nn/loss.h"

namespace fovea {

namespace {

constexpr Index most_shown = Index{1} << 27;  // numbers of all maps of a pass together

template <class T>
Matrix<T> copy_of(const Compute& compute, Matrix<const T> x) {
  const Matrix<T> copy = compute.array<T>(x.size(0), x.size(1));
  compute.team.split(x.count(), 1 << 15,
                     [&](Index begin, Index end) { std::copy(x.data() + begin, x.data() + end, copy.data() + begin); });
  return copy;
}

template <class T>
void add(const Compute& compute, Matrix<const T> x, Matrix<T> sum) {
  compute.team.split(x.count(), 1 << 15, [&](Index begin, Index end) {
    const auto count = static_cast<std::size_t>(end - begin);
    add_scaled(T{1}, std::span<const T>(x.data() + begin, count), std::span<T>(sum.data() + begin, count));
  });
}

// The places that answers of a batch need: its patterns, or else its alignment.
RightPlaces right_places(const Batch& batch) {
  if (batch.pattern_width > 0) return {batch.pattern, batch.pattern_width};
  return {batch.alignment, 1};
}

}  // namespace

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
typename Model<T>::Attends Transformer<T>::attends(const Batch& batch) const {
  const Index maps = Index{layers_} * heads_ + 1, places = batch.source.columns;
  return maps * batch.size * places * places > most_shown ? Model<T>::Attends::no : Model<T>::Attends::by_score;
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

// What is done to the heads of a layer: to all of them by `attend`, then what names it.
template <class T>
std::span<const HeadRule> Transformer<T>::rules(Compute& compute, const Pass& pass, int layer) const {
  const auto rules = compute.arena.take<HeadRule>(static_cast<std::size_t>(heads_));
  for (int head = 1; head <= heads_; ++head) {
    HeadRule& rule = rules[static_cast<std::size_t>(head - 1)] = {};
    if (pass.attend == Attend::uniform) rule.pattern = HeadRule::Pattern::uniform;
    if (pass.attend == Attend::truth) rule.pattern = HeadRule::Pattern::truth;
    for (const HeadChange& change : pass.heads) {
      if ((change.layer != 0 && change.layer != layer) || (change.head != 0 && change.head != head)) continue;
      if (change.rule.pattern != HeadRule::Pattern::learned) rule.pattern = change.rule.pattern;
      rule.scale *= change.rule.scale;
      rule.ablated = rule.ablated || change.rule.ablated;
    }
  }
  return rules;
}

template <class T>
Matrix<T> Transformer<T>::embed(Compute& compute, const Tokens& source) const {
  const Matrix<T> h = table_.forward(compute, source.ids);
  if (!positions_) return h;
  compute.team.split(h.size(0), 64, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n)
      add_scaled(T{1}, std::span<const T>(positions_->matrix()[n % source.columns].flat()), h[n].flat());
  });
  return h;
}

// Queries or keys (N, H K); without a weight the places themselves, for each head.
template <class T>
Matrix<T> Transformer<T>::side(Compute& compute, const Linear<T>& map, Matrix<const T> read) const {
  if (map.weight) return map.forward(compute, read);
  const Matrix<T> all = compute.array<T>(read.size(0), heads_ * Index{width_});
  for (Index n = 0; n < read.size(0); ++n)
    for (Index h = 0; h < heads_; ++h) std::copy_n(read[n].data(), width_, all[n].data() + h * width_);
  return all;
}

template <class T>
Matrix<T> Transformer<T>::attend(Compute& compute, const Layer& layer, std::span<const HeadRule> rules,
                                 const Batch& batch, Matrix<T> h, LayerTrace& trace) const {
  trace.read = h;
  if (norm_ == Norm::pre) {
    trace.norm1 = layer.norm1.forward(compute, h);
    trace.read = trace.norm1.output;
  }
  const Index places = batch.source.columns;
  const Matrix<T> q = side(compute, layer.query, trace.read), k = side(compute, layer.key, trace.read);
  if (position_ == Position::rotary) {
    rotary_.turn(compute.team, Rotary<T>::Turn::forward, q, places);
    rotary_.turn(compute.team, Rotary<T>::Turn::forward, k, places);
  }
  const Matrix<T> r = layer.relative ? layer.relative->matrix().slice(0, places) : Matrix<T>();
  trace.attention = {places, batch.source.lengths, q, k, layer.value.forward(compute, trace.read), r,
                     rules,  right_places(batch)};
  trace.mixed = compute.array<T>(h.size(0), width_);
  attention_.forward(compute, trace.attention, trace.mixed);
  const Matrix<T> next = copy_of(compute, Matrix<const T>(h));
  layer.output.add_forward(compute, trace.mixed, next);
  return next;
}

template <class T>
Matrix<T> Transformer<T>::think(Compute& compute, const Layer& layer, Matrix<T> h, LayerTrace& trace) const {
  trace.read_by_mlp = h;
  if (norm_ == Norm::pre) {
    trace.norm2 = layer.norm2.forward(compute, h);
    trace.read_by_mlp = trace.norm2.output;
  }
  trace.before = layer.up.forward(compute, trace.read_by_mlp);
  trace.after = compute.array<T>(h.size(0), layer.up.out);
  const std::span<const T> before(trace.before.flat());
  if (squash_ == Squash::gelu) {
    trace.inner = compute.array<T>(h.size(0), layer.up.out);
    gelu(compute.team, before, trace.inner.flat(), trace.after.flat());
  } else {
    activate(compute.team, Activation::relu(), before, trace.after.flat());
  }
  const Matrix<T> next = copy_of(compute, Matrix<const T>(h));
  layer.down.add_forward(compute, trace.after, next);
  return next;
}

template <class T>
Trace<T> Transformer<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  Own own;
  own.layers = compute.arena.take<LayerTrace>(stack_.size());
  Matrix<T> h = embed(compute, batch.source);
  for (std::size_t i = 0; i < stack_.size(); ++i) {
    LayerTrace& layer = own.layers[i] = {};
    h = attend(compute, stack_[i], rules(compute, pass, static_cast<int>(i) + 1), batch, h, layer);
    if (mlp_ > 0) h = think(compute, stack_[i], h, layer);
  }
  own.last = h;
  if (norm_ == Norm::pre) {
    own.norm = last_norm_.forward(compute, h);
    own.last = own.norm.output;
  }
  say(compute, own, trace);
  if (!pass.training) show(compute, own, trace);
  trace.keep(compute, own);
  return trace;
}

// Logits and loss of the asked places.
template <class T>
void Transformer<T>::say(Compute& compute, Own& own, Trace<T>& trace) const {
  const std::span<const int> answers = trace.batch->target.ids;
  const auto asked = compute.arena.take<int>(answers.size()), wanted = compute.arena.take<int>(answers.size());
  std::size_t count = 0;
  for (std::size_t row = 0; row < answers.size(); ++row) {
    if (answers[row] < 0) continue;
    asked[count] = static_cast<int>(row);
    wanted[count++] = answers[row];
  }
  own.asked = asked.first(count);
  own.gathered = own.last;
  if (count < answers.size()) {
    const Matrix<T> gathered = compute.array<T>(static_cast<Index>(count), Index{width_});
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(own.last[asked[i]].data(), width_, gathered[static_cast<Index>(i)].data());
    own.gathered = gathered;
  }
  const Matrix<T> logits = unembedding_.forward(compute, own.gathered);
  if (trace.pass.training) own.d_logits = compute.array<T>(logits.size(0), logits.size(1));
  trace.loss = cross_entropy(compute, Matrix<const T>(logits), wanted.first(count), own.d_logits);
  trace.scores = logits;
  trace.answers = trace.pass.training ? wanted.first(count) : answers;
  if (trace.pass.training || count == answers.size()) return;
  trace.scores = compute.zeros<T>(static_cast<Index>(answers.size()), logits.size(1));
  for (std::size_t i = 0; i < count; ++i)
    std::copy_n(logits[static_cast<Index>(i)].data(), logits.size(1), trace.scores[asked[i]].data());
}

// The maps of all heads, and as the main one the mean of the last layer's.
template <class T>
void Transformer<T>::show(Compute& compute, const Own& own, Trace<T>& trace) const {
  if (attends(*trace.batch) == Model<T>::Attends::no) return;
  const Index B = trace.batch->size, places = trace.batch->source.columns;
  const auto maps = compute.arena.take<AttentionMap<T>>(names_.size());
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto heads = static_cast<std::size_t>(heads_);
    maps[i] = {names_[i], compute.array<T>(B, places, places)};
    attention_.map(compute, own.layers[i / heads].attention, static_cast<Index>(i % heads), maps[i].weights);
  }
  trace.attention = maps.back().weights;
  if (maps.size() == 1) return;
  trace.further = maps;
  if (heads_ == 1) return;
  trace.attention = compute.zeros<T>(B, places, places);
  for (const AttentionMap<T>& map : maps.last(static_cast<std::size_t>(heads_)))
    add_scaled(T{1} / static_cast<T>(heads_), std::span<const T>(map.weights.flat()), trace.attention.flat());
}

template <class T>
void Transformer<T>::think_backward(Compute& compute, const Layer& layer, const LayerTrace& trace, Matrix<T> dh) const {
  const Matrix<T> d = layer.down.backward(compute, trace.after, dh);
  if (squash_ == Squash::gelu)
    gelu_backward(compute.team, std::span<const T>(trace.before.flat()), std::span<const T>(trace.inner.flat()),
                  std::span<const T>(d.flat()), d.flat());
  else
    activate_backward(compute.team, Activation::relu(), std::span<const T>(trace.after.flat()),
                      std::span<const T>(d.flat()), d.flat());
  const Matrix<T> d_read = layer.up.backward(compute, trace.read_by_mlp, d);
  if (norm_ == Norm::pre) layer.norm2.backward(compute, trace.norm2, d_read, dh);
  else add(compute, Matrix<const T>(d_read), dh);
}

// d of what queries or keys are made from, added.
template <class T>
void Transformer<T>::side_backward(Compute& compute, const Linear<T>& map, Matrix<const T> read, Matrix<const T> d,
                                   Matrix<T> d_read) const {
  if (map.weight) {
    map.backward_parameters(compute, read, d);
    map.backward_input(compute, d, d_read);
    return;
  }
  for (Index n = 0; n < d_read.size(0); ++n)
    for (Index h = 0; h < heads_; ++h)
      add_scaled(T{1}, d[n].flat().subspan(static_cast<std::size_t>(h * width_), static_cast<std::size_t>(width_)),
                 d_read[n].flat());
}

template <class T>
void Transformer<T>::attend_backward(Compute& compute, const Layer& layer, const LayerTrace& trace,
                                     Matrix<T> dh) const {
  const Index N = dh.size(0), keys = trace.attention.q.size(1);
  const Matrix<T> dy = layer.output.backward(compute, trace.mixed, dh);
  typename SelfAttention<T>::Gradients d{
      compute.array<T>(N, keys), compute.array<T>(N, keys), compute.array<T>(N, Index{width_}), {}};
  if (layer.relative && layer.relative->learns() && compute.trains())
    d.r = layer.relative->matrix_gradient().slice(0, trace.attention.places);
  attention_.backward(compute, trace.attention, dy, d);
  if (position_ == Position::rotary) {
    rotary_.turn(compute.team, Rotary<T>::Turn::backward, d.q, trace.attention.places);
    rotary_.turn(compute.team, Rotary<T>::Turn::backward, d.k, trace.attention.places);
  }
  const Matrix<T> d_read = layer.value.backward(compute, trace.read, d.v);
  side_backward(compute, layer.query, trace.read, d.q, d_read);
  side_backward(compute, layer.key, trace.read, d.k, d_read);
  if (norm_ == Norm::pre) layer.norm1.backward(compute, trace.norm1, d_read, dh);
  else add(compute, Matrix<const T>(d_read), dh);
}

template <class T>
void Transformer<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const Own& own = trace.template own<Own>();
  const Tokens& source = trace.batch->source;
  Matrix<T> d_last = unembedding_.backward(compute, own.gathered, Matrix<const T>(own.d_logits));
  if (own.gathered.data() != own.last.data()) {
    const Matrix<T> all = compute.zeros<T>(own.last.size(0), Index{width_});
    for (std::size_t i = 0; i < own.asked.size(); ++i)
      std::copy_n(d_last[static_cast<Index>(i)].data(), width_, all[own.asked[i]].data());
    d_last = all;
  }
  Matrix<T> dh = d_last;
  if (norm_ == Norm::pre) {
    dh = compute.zeros<T>(d_last.size(0), Index{width_});
    last_norm_.backward(compute, own.norm, d_last, dh);
  }
  for (std::size_t i = stack_.size(); i-- > 0;) {
    if (mlp_ > 0) think_backward(compute, stack_[i], own.layers[i], dh);
    attend_backward(compute, stack_[i], own.layers[i], dh);
  }
  table_.backward(compute, source.ids, Matrix<const T>(dh));
  if (!positions_ || !positions_->learns() || !compute.trains()) return;
  compute.team.split(source.columns, 4, [&](Index begin, Index end) {
    for (Index b = 0; b < source.rows; ++b)
      for (Index t = begin; t < end; ++t)
        add_scaled(T{1}, std::span<const T>(dh[b * source.columns + t].flat()),
                   positions_->matrix_gradient()[t].flat());
  });
}

template <class T>
Cube<T> Transformer<T>::states(Compute& compute, const Trace<T>& trace) const {
  const Own& own = trace.template own<Own>();
  return copy_of(compute, own.last).as(trace.batch->size, trace.batch->source.columns, Index{width_});
}

template class Transformer<float>;
template class Transformer<double>;

namespace {

const RegisterModel<Transformer> transformer_model("transformer", "causal self-attention in layers of heads");

}  // namespace

}  // namespace fovea
