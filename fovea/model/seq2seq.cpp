#include "fovea/model/seq2seq.h"

#include <algorithm>

#include "fovea/math/matmul.h"
#include "fovea/math/vector_math.h"
#include "fovea/model/right_positions.h"
#include "fovea/nn/loss.h"
#include "fovea/nn/team_matmul.h"

namespace fovea {

namespace {

// Swaps the two leading axes: in (P,Q,H) -> out (Q,P,H).
template <class T>
void swap_axes(Team& team, Cube<const T> in, Cube<T> out) {
  const Index P = in.size(0), Q = in.size(1), H = in.size(2);
  team.split(Q, 8, [&](Index begin, Index end) {
    for (Index q = begin; q < end; ++q)
      for (Index p = 0; p < P; ++p) std::copy_n(in.data() + (p * Q + q) * H, H, out.data() + (q * P + p) * H);
  });
}

}  // namespace

template <class T>
void Seq2Seq<T>::settings(Fields& fields) {
  fields.integer("hidden", hidden_, 1, 1 << 14, "width of the recurrent states, each direction");
  fields.integer("embedding", embedding_width_, 1, 1 << 14, "width of the embeddings");
  fields.integer("layers", layers_, 1, 4, "recurrent layers, in encoder and decoder");
  fields.choice("cell", cell_, {{"lstm", Cell::lstm}, {"gru", Cell::gru}}, "the recurrent cell");
  fields.flag("bidirectional", bidirectional_,
              "the encoder reads in both directions; the decoder is then twice as wide");
  fields.only_of("encoder \"recurrent\"", [this] { return recurrent(); });
  fields.choice("encoder", encoding_, {{"recurrent", Encoding::recurrent}, {"embedding", Encoding::embedding}},
                "representation of a source word: a state that has read the words around it, or its embedding alone");
  fields.choice("attention", attention_,
                {{"learned", Attending::learned}, {"uniform", Attending::uniform}, {"none", Attending::none}},
                "learned, the same on every position, or no context at all");
  fields.choice("score", scoring_, {{"general", Scoring::general}, {"additive", Scoring::additive}},
                "of a source position: (A d + a) · e, or v · tanh(W [e; d])");
  fields.only_of("attention \"learned\"", [this] { return attention_ == Attending::learned; });
  fields.choice("combiner", combiner_activation_,
                {{"tanh", CombinerActivation::tanh}, {"relu", CombinerActivation::relu}}, "f in o = f(U [d; c])");
  fields.choice("biases", biases_, {{"false", Bias::no}, {"true", Bias::yes}},
                "biases of U and V, the last two layers; default: false");
  fields.number("dropout", dropout_, 0, 0.99, "dropout between recurrent layers and before the output");
}

template <class T>
typename Model<T>::Attends Seq2Seq<T>::attends(const Batch&) const {
  using Attends = typename Model<T>::Attends;
  if (attention_ == Attending::none) return Attends::no;
  return attention_ == Attending::uniform ? Attends::evenly : Attends::by_score;
}

template <class T>
void Seq2Seq<T>::build(const TaskShape& shape, ParameterSet<T>& parameters) {
  const int directions = bidirectional_ && recurrent() ? 2 : 1;
  const Index decoder_width = directions * Index{hidden_};
  const bool shared = shape.vocab == shape.target_vocab;
  if (attention_ == Attending::none && !recurrent())
    throw wrong_input("nothing reads the source: encoder \"embedding\" has no last state, and there is no attention",
                      "set model.encoder to \"recurrent\", or model.attention to another");
  start_token_ = shape.start_token;
  end_token_ = shape.end_token;
  source_table_ = Embedding<T>::declare(parameters, "embedding", shape.vocab, embedding_width_);
  target_table_ = shared ? source_table_
                         : Embedding<T>::declare(parameters, "target_embedding", shape.target_vocab, embedding_width_);
  if (recurrent())
    encoder_ = Recurrent<T>::declare(parameters, "encoder",
                                     {cell_, embedding_width_, hidden_, layers_, directions, dropout_, 0});
  decoder_ =
      Recurrent<T>::declare(parameters, "decoder", {cell_, embedding_width_, decoder_width, layers_, 1, dropout_, 8});
  if (attention_ == Attending::none) heads_.clear();
  if (attention_ != Attending::none)
    for (const std::string& head : heads_)
      attends_.push_back(CrossAttention<T>::declare(parameters, head, decoder_width, source_width(),
                                                    scoring_ == Scoring::additive ? hidden_ : 0));
  const Bias biases = biases_.value_or(Bias::no);
  combiner_ = Combiner<T>::declare(
      parameters, heads_, decoder_width, source_width(),
      combiner_activation_ == CombinerActivation::tanh ? Activation::tanh() : Activation::relu(), biases);
  output_ = Linear<T>::declare(parameters, "output", decoder_width, shape.target_vocab, Group::body, biases);
  output_dropout_.rate = dropout_;
  output_dropout_.layer = 16;  // the recurrent stacks have 0 … 15
}

template <class T>
typename Seq2Seq<T>::Side Seq2Seq<T>::side(Compute& compute, std::span<const int> tokens, Index steps,
                                           const Batch& batch, std::span<const int> lengths,
                                           const Embedding<T>& table) const {
  const DistinctTokens distinct = distinct_tokens(compute.arena, tokens, table.vocabulary);
  const Matrix<T> rows = table.forward(compute, distinct.ids);
  return {distinct.ids, rows, SequenceInput<T>::of_tokens(steps, batch.size, rows, distinct.index, lengths)};
}

// The start token, then every target word but the last, time-major; -1 behind a row's length.
template <class T>
std::span<const int> Seq2Seq<T>::decoder_tokens(Arena& arena, const Tokens& target) const {
  const std::span<int> tokens =
      arena.take<int>(static_cast<std::size_t>(target.rows) * static_cast<std::size_t>(target.columns));
  std::size_t i = 0;
  for (int t = 0; t < target.columns; ++t)
    for (int b = 0; b < target.rows; ++b) {
      const bool present = t < target.lengths[static_cast<std::size_t>(b)];
      tokens[i++] = !present ? -1 : t == 0 ? start_token_ : target.at(b, t - 1);
    }
  return tokens;
}

template <class T>
typename Seq2Seq<T>::Encoded Seq2Seq<T>::encode(Compute& compute, const SequenceInput<T>& input,
                                                const DropoutDraw& draw) const {
  if (recurrent()) {
    const RecurrentStackTrace<T> states = encoder_.forward(compute, input, {}, draw);
    return {Cube<const T>(states.output()), states};
  }
  if (!input.tokens()) return {input.dense, {}};
  const Cube<T> words = compute.array<T>(input.steps, input.batch, embedding_width_);
  for (Index s = 0; s < input.steps; ++s)
    for (Index b = 0; b < input.batch; ++b) {
      const std::span<T> word = words[s][b].flat();
      if (s < input.length(b))
        std::ranges::copy(input.rows[input.index[static_cast<std::size_t>(s * input.batch + b)]].flat(), word.begin());
      else std::ranges::fill(word, T{0});
    }
  return {Cube<const T>(words), {}};
}

// The encoder's last states as the decoder's first ones: layer by layer, both directions side by side. Without any, 0.
template <class T>
std::span<const RecurrentState<T>> Seq2Seq<T>::bridge(Compute& compute, const Encoded& encoded) const {
  const auto states = compute.arena.take<RecurrentState<T>>(static_cast<std::size_t>(layers_));
  if (!recurrent()) {
    const Index B = encoded.output.size(1), H = decoder_.out();
    for (RecurrentState<T>& state : states)
      state = {compute.zeros<T>(B, H), cell_ == Cell::lstm ? compute.zeros<T>(B, H) : Matrix<T>()};
    return states;
  }
  const RecurrentStackTrace<T>& encoder = encoded.recurrent;
  const std::size_t directions = bidirectional_ ? 2 : 1;
  for (std::size_t layer = 0; layer < states.size(); ++layer) {
    states[layer] = encoder.last(layer * directions);
    if (directions == 1) continue;
    const auto side_by_side = [&](Matrix<T> left, Matrix<T> right) {
      if (left.empty()) return Matrix<T>();
      const Index B = left.size(0), H = left.size(1);
      const Matrix<T> both = compute.array<T>(B, 2 * H);
      for (Index b = 0; b < B; ++b) {
        std::copy_n(left[b].data(), H, both[b].data());
        std::copy_n(right[b].data(), H, both[b].data() + H);
      }
      return both;
    };
    const RecurrentState<T>& reverse = encoder.last(layer * 2 + 1);
    states[layer] = {side_by_side(states[layer].hidden, reverse.hidden),
                     side_by_side(states[layer].cell, reverse.cell)};
  }
  return states;
}

template <class T>
std::span<const RecurrentState<T>> Seq2Seq<T>::bridge_back(Compute& compute,
                                                           std::span<const RecurrentState<T>> d_initial) const {
  if (!bidirectional_) return d_initial;
  const auto states = compute.arena.take<RecurrentState<T>>(2 * d_initial.size());
  for (std::size_t layer = 0; layer < d_initial.size(); ++layer) {
    const auto half = [&](Matrix<T> both, Index which) {
      if (both.empty()) return Matrix<T>();
      const Index B = both.size(0), H = both.size(1) / 2;
      const Matrix<T> one = compute.array<T>(B, H);
      for (Index b = 0; b < B; ++b) std::copy_n(both[b].data() + which * H, H, one[b].data());
      return one;
    };
    for (const Index which : {0, 1})
      states[layer * 2 + static_cast<std::size_t>(which)] = {half(d_initial[layer].hidden, which),
                                                             half(d_initial[layer].cell, which)};
  }
  return states;
}

template <class T>
Trace<T> Seq2Seq<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  TraceArrays own;
  const Index B = batch.size, S = batch.source.columns;
  const std::span<const int> words = time_major(compute.arena, batch.source.ids, B, S);
  read(compute, side(compute, words, S, batch, batch.source.lengths, source_table_), batch.target.ids, pass.training,
       own, trace);
  trace.keep(compute, own);
  return trace;
}

template <class T>
void Seq2Seq<T>::read(Compute& compute, const Side& source, std::span<const int> answers, bool with_gradients,
                      TraceArrays& own, Trace<T>& trace) const {
  const Batch& batch = *trace.batch;
  const Pass& pass = trace.pass;
  const Index B = batch.size, steps = batch.target.columns, width = decoder_.out();
  const DropoutDraw draw{pass.training, pass.seed, pass.step};
  own.source = source;
  own.target =
      side(compute, decoder_tokens(compute.arena, batch.target), steps, batch, batch.target.lengths, target_table_);
  own.encoded = encode(compute, own.source.input, draw);
  own.decoded = decoder_.forward(compute, own.target.input, bridge(compute, own.encoded), draw);
  const Cube<const T> sources = own.encoded.output, states = own.decoded.output();

  own.heads = compute.arena.take<typename CrossAttention<T>::Trace>(attends_.size());
  const auto contexts = compute.arena.take<Matrix<const T>>(attends_.size());
  for (std::size_t h = 0; h < attends_.size(); ++h) {
    const AttentionRule rule = rule_of(pass.rules, h);
    contexts[h] = attends_[h]
                      .forward(compute, states, sources, batch.source.lengths, rule,
                               right_positions(compute.arena, batch, rule), own.heads[h])
                      .as(steps * B, source_width());
  }
  const Matrix<T> output = combiner_.forward(compute, states.as(steps * B, width), contexts, own.combined);
  const Cube<T> said = compute.array<T>(B, steps, width);
  swap_axes(compute.team, Cube<const T>(output.as(steps, B, width)), said);
  own.said = said.as(B * steps, width);
  own.said_kept = output_dropout_.forward(compute, pass.training, pass.seed, pass.step,
                                          std::span<const T>(own.said.flat()), own.said.flat());

  own.read = own.said;
  trace.answers = answers;
  if (with_gradients) {
    const AskedRows asked = asked_rows(compute.arena, answers);
    own.asked = asked.rows;
    own.read = gather(compute, own.read, own.asked);
    trace.answers = asked.answers;
  }
  trace.scores = output_.forward(compute, own.read);
  own.d_logits = with_gradients ? compute.array<T>(trace.scores.size(0), output_.out) : Matrix<T>();
  trace.loss = cross_entropy(compute, Matrix<const T>(trace.scores), trace.answers, own.d_logits);
  trace.attention = mean_attention(compute, own);
  if (heads_.size() < 2) return;
  const auto maps = compute.arena.template take<AttentionMap<T>>(heads_.size());
  for (std::size_t h = 0; h < maps.size(); ++h) maps[h] = {heads_[h], own.heads[h].attention.weights};
  trace.further = maps;
}

template <class T>
Cube<T> Seq2Seq<T>::mean_attention(Compute& compute, const TraceArrays& own) const {
  if (own.heads.empty()) return {};
  if (own.heads.size() == 1) return own.heads.front().attention.weights;
  const Cube<T>& first = own.heads.front().attention.weights;
  const Cube<T> mean = compute.zeros<T>(first.size(0), first.size(1), first.size(2));
  const T share = T{1} / static_cast<T>(own.heads.size());
  for (const auto& head : own.heads) add_scaled(share, std::span<const T>(head.attention.weights.flat()), mean.flat());
  return mean;
}

template <class T>
SequenceGradient<T> Seq2Seq<T>::rows_gradient(Compute& compute, const Side& side) const {
  return {{}, compute.zeros<T>(side.rows.size(0), side.rows.size(1))};
}

template <class T>
void Seq2Seq<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  const SequenceGradient<T> d_source = rows_gradient(compute, own.source);
  backward_into(compute, *trace.batch, own, d_source);
  source_table_.backward(compute, own.source.ids, Matrix<const T>(d_source.rows));
}

template <class T>
void Seq2Seq<T>::backward_into(Compute& compute, const Batch& batch, const TraceArrays& own,
                               const SequenceGradient<T>& d_source) const {
  const Index B = batch.size, S = batch.source.columns, steps = batch.target.columns, width = decoder_.out();
  Matrix<T> d_said = output_.backward(compute, own.read, Matrix<const T>(own.d_logits));
  d_said = scatter(compute, d_said, own.asked, B * steps);
  output_dropout_.backward(compute, own.said_kept, std::span<const T>(d_said.flat()), d_said.flat());
  const Cube<T> d_output = compute.array<T>(steps, B, width);
  swap_axes(compute.team, Cube<const T>(d_said.as(B, steps, width)), d_output);

  const Cube<T> d_states = compute.zeros<T>(steps, B, width);
  const Cube<T> d_sources = compute.zeros<T>(S, B, source_width());
  const auto d_contexts = compute.arena.take<Matrix<T>>(attends_.size());
  for (Matrix<T>& d : d_contexts) d = compute.array<T>(steps * B, source_width());
  combiner_.backward(compute, own.combined, Matrix<const T>(d_output.as(steps * B, width)),
                     d_states.as(steps * B, width), d_contexts);
  for (std::size_t h = 0; h < attends_.size(); ++h)
    attends_[h].backward(compute, own.heads[h], Cube<const T>(d_contexts[h].as(steps, B, source_width())), d_states,
                         d_sources);

  const SequenceGradient<T> d_target = rows_gradient(compute, own.target);
  const auto d_initial = decoder_.backward(compute, own.decoded, Cube<const T>(d_states), {}, d_target);
  encode_backward(compute, own, d_sources, d_initial, d_source);
  target_table_.backward(compute, own.target.ids, Matrix<const T>(d_target.rows));
}

// Down to the source's input, whose gradient goes to d_source.
template <class T>
void Seq2Seq<T>::encode_backward(Compute& compute, const TraceArrays& own, Cube<T> d_sources,
                                 std::span<const RecurrentState<T>> d_initial,
                                 const SequenceGradient<T>& d_source) const {
  if (recurrent()) {
    encoder_.backward(compute, own.encoded.recurrent, Cube<const T>(d_sources), bridge_back(compute, d_initial),
                      d_source);
    return;
  }
  const Matrix<const T> d_words(d_sources.as(d_sources.size(0) * d_sources.size(1), d_sources.size(2)));
  if (!d_source.rows.empty()) scatter_add(compute.team, own.source.input.index, d_words, d_source.rows);
  if (!d_source.dense.empty()) add_scaled(T{1}, std::span<const T>(d_words.flat()), d_source.dense.flat());
}

template <class T>
Cube<T> Seq2Seq<T>::states(Compute& compute, const Trace<T>& trace) const {
  return batch_first(compute, trace.template own<TraceArrays>().encoded.output);
}

template <class T>
Cube<T> Seq2Seq<T>::beta(Compute& compute, const Trace<T>& trace) const {
  if (attends_.empty()) return {};
  const Batch& batch = *trace.batch;
  const TraceArrays& own = trace.template own<TraceArrays>();
  const Index B = batch.size, S = batch.source.columns, steps = batch.target.columns, width = decoder_.out();
  const Index vocab = output_.out;
  const auto parts = combiner_.parts(compute, own.combined, own.encoded.output.as(S * B, source_width()));
  const Cube<T> beta = compute.zeros<T>(B, steps, S);
  // All sources of all words, so many rows at a time that the output's weights are not waited for.
  struct BetaEntry {
    int b, t, s;
  };
  constexpr std::size_t most = 256;
  const std::span<BetaEntry> entries = compute.arena.template take<BetaEntry>(static_cast<std::size_t>(B * steps * S));
  std::size_t count = 0;
  for (int b = 0; b < batch.size; ++b)
    for (int t = 0; t < batch.target.lengths[static_cast<std::size_t>(b)]; ++t)
      for (int s = 0; s < batch.source.lengths[static_cast<std::size_t>(b)]; ++s) entries[count++] = {b, t, s};
  const PackedMatrix<T> weights = team_pack(compute, transposed(output_.weight->matrix()));
  const auto rows = static_cast<Index>(std::min(most, count));
  const Matrix<T> said = compute.array<T>(rows, width), logits = compute.array<T>(rows, vocab);
  for (std::size_t first = 0; first < count; first += most) {
    const std::span<const BetaEntry> some = entries.subspan(first, std::min(most, count - first));
    const auto here = static_cast<Index>(some.size());
    compute.team.split(here, 16, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const auto [b, t, s] = some[static_cast<std::size_t>(i)];
        const std::span<const T> state = parts.state[t * B + b].flat(), source = parts.source[s * B + b].flat();
        const std::span<T> o = said[i].flat();
        for (std::size_t k = 0; k < o.size(); ++k) o[k] = state[k] + source[k];
        if (combiner_activation_ == CombinerActivation::tanh) tanh(std::span<const T>(o), o);
        else
          for (T& x : o) x = std::max(x, T{0});
      }
    });
    output_.forward_into(compute, weights, said.slice(0, here), logits.slice(0, here));
    compute.team.split(here, 16, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const auto [b, t, s] = some[static_cast<std::size_t>(i)];
        beta(Index{b}, Index{t}, Index{s}) = beta_of(std::span<const T>(logits[i].flat()), batch.target.at(b, t));
      }
    });
  }
  return beta;
}

template class Seq2Seq<float>;
template class Seq2Seq<double>;

namespace {

const RegisterModel<Seq2Seq> seq2seq_model("seq2seq", "encoder and decoder with attention between them");

// Several heads, each with its own A and P; contexts are averaged. A head's start depends on its number and the seed.
template <class T>
class Seq2SeqHeads : public Seq2Seq<T> {
 public:
  Seq2SeqHeads() { this->cell_ = Cell::gru; }
  void settings(Fields& fields) override {
    Seq2Seq<T>::settings(fields);
    fields.integers("heads", numbers_, 0, Fields::no_limit, "the heads by their numbers");
  }
  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    if (numbers_.empty())
      throw wrong_input("seq2seq-heads needs at least one head", "set model.attention to \"none\" for none");
    this->heads_.clear();
    for (const int number : numbers_) {
      const std::string name = "head." + std::to_string(number);
      if (std::find(this->heads_.begin(), this->heads_.end(), name) != this->heads_.end())
        throw wrong_input("model.heads names head " + std::to_string(number) + " twice",
                          "name each head once: two heads with one number start alike");
      this->heads_.push_back(name);
    }
    Seq2Seq<T>::build(shape, parameters);
  }

 private:
  std::vector<int> numbers_{0, 1, 2, 3, 4, 5, 6, 7};
};

const RegisterModel<Seq2SeqHeads> registered_heads("seq2seq-heads",
                                                   "seq2seq with several heads, their contexts averaged");

}  // namespace

}  // namespace fovea
