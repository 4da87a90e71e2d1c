#include "fovea/model/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fovea/base/error/names.h"
#include "fovea/math/vector_math.h"
#include "fovea/model/asked_rows.h"
#include "fovea/model/right_positions.h"
#include "fovea/nn/gelu.h"
#include "fovea/nn/loss.h"
#include "fovea/nn/simd/elementwise_kernels.h"
#include "fovea/nn/team_matmul.h"

namespace fovea {

namespace {

constexpr Index most_shown = Index{1} << 27;  // numbers of all maps of a pass together

constexpr Index most_kept = Index{1} << 22;  // weights of a layer that are kept between forward and backward
constexpr Index rows_grain = 64;

// Rows of y become those of onto, the bias, and the product of x with the map's weights, which are given packed.
template <class T>
void plus_product(const Linear<T>& map, const PackedMatrix<T>& weights, Matrix<const T> x, Matrix<const T> onto,
                  Matrix<T> y) {
  const std::span<const T> bias = map.bias ? std::span<const T>(map.bias->values()) : std::span<const T>();
  for (Index n = 0; n < y.size(0); ++n) {
    const T* const from = onto.empty() ? bias.data() : onto[n].data();
    if (from) std::copy_n(from, map.out, y[n].data());
    if (from && from != bias.data() && map.bias) add_scaled(T{1}, bias, y[n].flat());
  }
  const bool fresh = onto.empty() && !map.bias;
  matmul_packed(plain(x), weights, y, fresh ? Into::overwrite : Into::add);
}

// The same of all rows; into y, or where there is none, an array of its own.
template <class T>
Matrix<T> plus_product(Compute& compute, const Linear<T>& map, Matrix<const T> x, Matrix<const T> onto,
                       Matrix<T> y = {}) {
  if (y.empty()) y = compute.array<T>(x.size(0), map.out);
  const PackedMatrix<T> weights = team_pack(compute, transposed(map.weight->matrix()));
  compute.team.split(y.size(0), rows_grain, [&](Index begin, Index end) {
    plus_product(map, weights, x.slice(begin, end), onto.empty() ? onto : onto.slice(begin, end), y.slice(begin, end));
  });
  return y;
}

// Of gradients of places those of the rows that they share, `count` of them.
template <class T>
Matrix<T> summed(Compute& compute, Matrix<T> d, std::span<const int> row_of, Index count) {
  if (row_of.empty()) return d;
  const Matrix<T> sums = compute.zeros<T>(count, d.size(1));
  scatter_add(compute.team, row_of, Matrix<const T>(d), sums);
  return sums;
}

template <class T>
bool learns(const Linear<T>& map) {
  return map.weight && map.weight->learns();
}

}  // namespace

template <class T>
typename Model<T>::Attends Transformer<T>::attends(const Batch& batch) const {
  const Index maps = Index{layers_} * heads_ + 1, places = batch.source.columns;
  return maps * batch.size * places * places > most_shown ? Model<T>::Attends::no : Model<T>::Attends::by_score;
}

template <class T>
std::span<const AttentionRule> Transformer<T>::rules(Compute& compute, const Pass& pass, int layer) const {
  const auto rules = compute.arena.take<AttentionRule>(static_cast<std::size_t>(heads_));
  for (int head = 1; head <= heads_; ++head) rules[static_cast<std::size_t>(head - 1)] = pass.rules.of(layer, head);
  return rules;
}

template <class T>
Matrix<T> Transformer<T>::embed(Compute& compute, const StreamPlaces& places) const {
  const Matrix<T> h = table_.forward(compute, places.tokens);
  if (!positions_) return h;
  compute.team.split(h.size(0), rows_grain, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n)
      add_scaled(T{1}, std::span<const T>(positions_->matrix()[places.at[static_cast<std::size_t>(n)]].flat()),
                 h[n].flat());
  });
  return h;
}

// Queries or keys (N, H K), of all places or of those that ask; without a weight the places themselves, for each head.
template <class T>
Matrix<const T> Transformer<T>::side(Compute& compute, const Linear<T>& map, Of which, const LayerTrace& trace) const {
  const bool asking = which == Of::asking;
  const Matrix<const T> read = asking ? trace.read_by_queries : trace.read;
  const std::span<const int> row_of = asking ? trace.row_of_asking : trace.row_of;
  if (!map.weight && heads_ == 1 && position_ != Position::rotary)
    return row_of.empty() ? read : gather(compute, read, row_of);
  Matrix<T> all;
  if (map.weight) {
    all = plus_product(compute, map, read, {});
  } else {
    all = compute.array<T>(read.size(0), heads_ * Index{width_});
    for (Index n = 0; n < read.size(0); ++n)
      for (Index h = 0; h < heads_; ++h) std::copy_n(read[n].data(), width_, all[n].data() + h * width_);
  }
  if (!row_of.empty()) all = gather(compute, Matrix<const T>(all), row_of);
  if (position_ == Position::rotary)
    rotary_.turn(compute.team, Rotary<T>::Turn::forward, all, trace.attention.places,
                 asking ? trace.attention.asking : std::span<const int>());
  return all;
}

// h + O y + b of the rows that the layer gives.
template <class T>
Matrix<T> Transformer<T>::attend(Compute& compute, const Layer& layer, const Trace<T>& pass, Matrix<const T> h,
                                 LayerTrace& trace) const {
  const std::span<const int> rows = trace.attention.asking;
  const bool shared = !trace.row_of.empty();
  const Index given = !rows.empty() ? std::ssize(rows) : shared ? std::ssize(trace.row_of) : h.size(0);
  const Matrix<T> y = compute.array<T>(given, width_);
  Arena::Mark passing = compute.arena.mark();
  trace.read = h;
  if (norm_ == Norm::pre) {
    trace.norm1 = layer.norm1.forward(compute, h);
    trace.read = trace.norm1.output;
  }
  const Tokens& source = pass.batch->source;
  const Index places = source.columns, kept = attention_.kept_size(source.rows, places);
  typename SelfAttention<T>::Pass& attention = trace.attention;
  attention.places = places;
  attention.lengths = source.lengths;
  trace.read_by_queries = rows.empty() || shared ? trace.read : gather(compute, trace.read, rows);
  attention.q = side(compute, layer.query, Of::asking, trace);
  attention.k = side(compute, layer.key, Of::all, trace);
  if (trace.mapped) passing = compute.arena.mark();
  attention.v = plus_product(compute, layer.value, trace.read, {});
  if (shared) attention.v = gather(compute, attention.v, trace.row_of);
  if (layer.relative) attention.r = layer.relative->matrix().slice(0, places);
  attention.right = right_positions(*pass.batch);
  if (pass.pass.training && kept <= most_kept) attention.kept = compute.arena.take<T>(static_cast<std::size_t>(kept));
  const Matrix<T> mixed = compute.array<T>(given, width_);
  attention_.forward(compute, attention, mixed);
  trace.mixed = mixed;
  if (shared) h = gather(compute, h, trace.row_of_asking);
  else if (!rows.empty()) h = norm_ == Norm::pre ? gather(compute, h, rows) : trace.read_by_queries;
  plus_product(compute, layer.output, trace.mixed, h, y);
  if (!pass.pass.training) compute.arena.release(passing);
  return y;
}

template <class T>
Matrix<T> Transformer<T>::think(Compute& compute, const Layer& layer, Matrix<const T> h, bool training,
                                LayerTrace& trace) const {
  const Matrix<T> y = compute.array<T>(h.size(0), width_);
  const Arena::Mark passing = compute.arena.mark();
  trace.read_by_mlp = h;
  if (norm_ == Norm::pre) {
    trace.norm2 = layer.norm2.forward(compute, h);
    trace.read_by_mlp = trace.norm2.output;
  }
  trace.before = compute.array<T>(h.size(0), layer.up.out);
  trace.after = compute.array<T>(h.size(0), layer.up.out);
  if (squash_ == Squash::gelu) trace.inner = compute.array<T>(h.size(0), layer.up.out);
  const PackedMatrix<T> up = team_pack(compute, transposed(layer.up.weight->matrix()));
  const PackedMatrix<T> down = team_pack(compute, transposed(layer.down.weight->matrix()));
  compute.team.split(h.size(0), rows_grain, [&](Index begin, Index end) {
    const Matrix<T> before = trace.before.slice(begin, end), after = trace.after.slice(begin, end);
    const std::span<const T> from(before.flat());
    plus_product(layer.up, up, trace.read_by_mlp.slice(begin, end), {}, before);
    if (squash_ == Squash::gelu) gelu(from, trace.inner.slice(begin, end).flat(), after.flat());
    else elementwise_kernels::leaky_relu(from.data(), T{0}, after.data(), from.size());
    plus_product(layer.down, down, Matrix<const T>(after), h.slice(begin, end), y.slice(begin, end));
  });
  if (!training) compute.arena.release(passing);
  return y;
}

template <class T>
Trace<T> Transformer<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  Own own;
  const AskedRows asked = asked_rows(compute.arena, batch.target.ids);
  own.asked = asked.rows;
  own.wanted = asked.answers;
  own.layers = compute.arena.take<LayerTrace>(stack_.size());
  own.places = stream_places(compute.arena, batch.source, table_.vocabulary, positions_ != nullptr);
  Matrix<T> h = embed(compute, own.places);
  const bool shows = !pass.training && attends(batch) != Model<T>::Attends::no;
  for (std::size_t i = 0; i < stack_.size(); ++i) {
    LayerTrace& layer = own.layers[i] = {};
    layer.attention.rules = rules(compute, pass, static_cast<int>(i) + 1);
    const bool last = i + 1 == stack_.size();
    layer.mapped = last || shows;
    const bool some = pass.training && last && own.asked.size() < batch.target.ids.size();
    if (some) layer.attention.asking = own.asked;
    if (i == 0) {
      layer.row_of = own.places.row_of;
      layer.row_of_asking = rows_of(compute.arena, own.places, layer.attention.asking);
    }
    h = attend(compute, stack_[i], trace, h, layer);
    if (mlp_ > 0) h = think(compute, stack_[i], h, pass.training, layer);
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
  const auto count = static_cast<Index>(own.asked.size());
  const std::span<const int> answers = trace.batch->target.ids;
  own.gathered = own.last.size(0) == count ? own.last : gather(compute, own.last, own.asked);
  const Matrix<T> logits = unembedding_.forward(compute, own.gathered);
  copy(compute, *trace.batch, own, logits);
  if (trace.pass.training) own.d_logits = compute.array<T>(logits.size(0), logits.size(1));
  trace.loss = cross_entropy(compute, Matrix<const T>(logits), own.wanted, own.d_logits);
  trace.scores = logits;
  trace.answers = trace.pass.training ? own.wanted : answers;
  if (trace.pass.training || own.asked.size() == answers.size()) return;
  trace.scores = scatter(compute, Matrix<const T>(logits), own.asked, static_cast<Index>(answers.size()));
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
  const Matrix<T> d = compute.array<T>(dh.size(0), layer.up.out);
  const bool normal = norm_ == Norm::pre;
  const Matrix<T> d_read = normal ? compute.array<T>(dh.size(0), Index{width_}) : dh;
  const PackedMatrix<T> down = team_pack(compute, plain(layer.down.weight->matrix()));
  const PackedMatrix<T> up = team_pack(compute, plain(layer.up.weight->matrix()));
  layer.down.backward_parameters(compute, trace.after, dh);
  compute.team.split(dh.size(0), rows_grain, [&](Index begin, Index end) {
    const Matrix<T> some = d.slice(begin, end);
    matmul_packed(plain(dh.slice(begin, end)), down, some);
    const std::span<const T> from(some.flat());
    if (squash_ == Squash::gelu)
      gelu_backward(std::span<const T>(trace.before.slice(begin, end).flat()),
                    std::span<const T>(trace.inner.slice(begin, end).flat()), from, some.flat());
    else
      elementwise_kernels::leaky_relu_backward(trace.after[begin].data(), from.data(), T{0}, some.data(), from.size());
    matmul_packed(plain(some), up, d_read.slice(begin, end), normal ? Into::overwrite : Into::add);
  });
  layer.up.backward_parameters(compute, trace.read_by_mlp, d);
  if (normal) layer.norm2.backward(compute, trace.norm2, d_read, dh);
}

// From d of queries or keys, of all places or of those that ask, those of their matrix and, where there is room for it,
// of what they are made from, added.
template <class T>
void Transformer<T>::side_backward(Compute& compute, const Linear<T>& map, Of which, const LayerTrace& trace,
                                   const PackedMatrix<T>& read, Matrix<T> d, Matrix<T> d_read) const {
  if (d.empty()) return;
  const std::span<const int> asking = which == Of::asking ? trace.attention.asking : std::span<const int>();
  if (position_ == Position::rotary)
    rotary_.turn(compute.team, Rotary<T>::Turn::backward, d, trace.attention.places, asking);
  const std::span<const int> row_of = which == Of::asking ? trace.row_of_asking : trace.row_of;
  d = summed(compute, d, row_of, trace.read.size(0));
  const std::span<const int> rows = row_of.empty() ? asking : std::span<const int>();
  if (map.weight) map.backward_parameters(compute, read, d);
  if (d_read.empty()) return;
  if (map.weight && rows.empty()) return map.backward_input(compute, d, d_read);
  Matrix<T> of_rows = d;
  if (map.weight) {
    of_rows = compute.array<T>(d.size(0), Index{width_});
    map.backward_input(compute, d, of_rows, false);
  }
  compute.team.split(d.size(0), rows_grain, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n)
      for (Index at = 0; at < of_rows.size(1); at += width_)
        add_scaled(T{1}, std::span<const T>(of_rows[n].data() + at, static_cast<std::size_t>(width_)),
                   d_read[rows.empty() ? n : rows[static_cast<std::size_t>(n)]].flat());
  });
}

// From d of what the layer's heads gave on, that of h; of it only what is needed where nothing learns deeper down.
template <class T>
Matrix<T> Transformer<T>::attend_backward(Compute& compute, const Layer& layer, const LayerTrace& trace, Matrix<T> dh,
                                          bool deeper, const Own* copying, Index asked,
                                          std::span<HeadBeta<T>> looks) const {
  const std::span<const int> rows = trace.attention.asking;
  const bool shared = !trace.row_of.empty();
  const Index read_rows = trace.read.size(0), N = shared ? std::ssize(trace.row_of) : read_rows;
  const Index keys = trace.attention.q.size(1);
  const bool normal = norm_ == Norm::pre, reads = normal || deeper, trains = compute.trains();
  const Matrix<T> dy = layer.output.backward(compute, trace.mixed, dh);
  if (shared && deeper) dh = summed(compute, dh, trace.row_of_asking, read_rows);
  else if (!rows.empty() && deeper) dh = scatter(compute, Matrix<const T>(dh), rows, N);
  if (!looks.empty()) {
    const Matrix<const T> seen = dy;
    look(trace, rows.empty() ? seen : scatter(compute, seen, rows, N), asked, looks);
  }
  typename SelfAttention<T>::Gradients d;
  if (reads || (trains && learns(layer.query))) d.q = compute.array<T>(dy.size(0), keys);
  if (reads || (trains && learns(layer.key))) d.k = compute.array<T>(N, keys);
  if (reads || (trains && learns(layer.value))) d.v = compute.array<T>(N, Index{width_});
  if (layer.relative && layer.relative->learns() && trains)
    d.r = layer.relative->matrix_gradient().slice(0, trace.attention.places);
  attention_.backward(compute, trace.attention, dy, d);
  if (copying) copy_backward(compute, *copying, d);
  // Without a norm, h itself was read.
  const Matrix<T> d_read = normal ? compute.array<T>(read_rows, Index{width_}) : deeper ? dh : Matrix<T>();
  const Arena::Mark passing = compute.arena.mark();
  const PackedMatrix<T> read = trains ? team_pack(compute, plain(trace.read)) : PackedMatrix<T>();
  if (!d.v.empty()) d.v = summed(compute, d.v, trace.row_of, read_rows);
  if (!d.v.empty()) layer.value.backward_parameters(compute, read, d.v);
  if (reads) layer.value.backward_input(compute, d.v, d_read, !normal);
  const bool some = trains && !rows.empty() && !shared;
  const PackedMatrix<T> asking = some ? team_pack(compute, plain(trace.read_by_queries)) : read;
  side_backward(compute, layer.query, Of::asking, trace, asking, d.q, d_read);
  side_backward(compute, layer.key, Of::all, trace, read, d.k, d_read);
  compute.arena.release(passing);
  if (normal) {
    if (!deeper) dh = compute.zeros<T>(read_rows, Index{width_});
    layer.norm1.backward(compute, trace.norm1, d_read, dh);
  }
  return dh;
}

template <class T>
void Transformer<T>::backward(Compute& compute, const Trace<T>& trace) const {
  descend(compute, trace, {});
}

// Backward, which looks at the heads on its way where it is given looks.
template <class T>
void Transformer<T>::descend(Compute& compute, const Trace<T>& trace, std::span<HeadBeta<T>> looks) const {
  const auto heads = static_cast<std::size_t>(heads_);
  const Own& own = trace.template own<Own>();
  Matrix<T> dh = unembedding_.backward(compute, own.gathered, Matrix<const T>(own.d_logits));
  if (own.gathered.size(0) < own.last.size(0)) dh = scatter(compute, Matrix<const T>(dh), own.asked, own.last.size(0));
  if (norm_ == Norm::pre) {
    const Matrix<T> d_last = dh;
    dh = compute.zeros<T>(d_last.size(0), Index{width_});
    last_norm_.backward(compute, own.norm, d_last, dh);
  }
  const bool embedded = table_.weight->learns() || (positions_ && positions_->learns());
  for (std::size_t i = stack_.size(); i-- > 0;) {
    if (mlp_ > 0) think_backward(compute, stack_[i], own.layers[i], dh);
    const bool copies = i + 1 == stack_.size() && !own.copied.v.empty();
    dh = attend_backward(compute, stack_[i], own.layers[i], dh, i > 0 || embedded, copies ? &own : nullptr,
                         std::ssize(own.asked), looks.empty() ? looks : looks.subspan(i * heads, heads));
  }
  table_.backward(compute, own.places.tokens, Matrix<const T>(dh));
  if (positions_ && positions_->learns() && compute.trains())
    scatter_add(compute.team, own.places.at, Matrix<const T>(dh), positions_->matrix_gradient());
}

template <class T>
Cube<T> Transformer<T>::states(Compute& compute, const Trace<T>& trace) const {
  const Own& own = trace.template own<Own>();
  assert(own.last.size(0) == static_cast<Index>(trace.batch->target.ids.size()));
  const Matrix<T> states = compute.array<T>(own.last.size(0), own.last.size(1));
  std::copy_n(own.last.data(), own.last.count(), states.data());
  return states.as(trace.batch->size, trace.batch->source.columns, Index{width_});
}

template class Transformer<float>;
template class Transformer<double>;

namespace {

const RegisterModel<Transformer> transformer_model("transformer", "causal self-attention in layers of heads");

}  // namespace

}  // namespace fovea
