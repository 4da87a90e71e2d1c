// Model `address-attention` (room model/addresses): the next access of a window of T, its page and its offset, as a
// hierarchical sequence model predicts them. lab/spec makes it by name for a run. It writes only traces and
// gradients. B windows; access t of window b has counter c_bt, page g_bt and offset o_bt. Forward:
//
//   u_bt = C[c_bt]                              C (counters, U)
//   p_bt = P[g_bt]                              P (pages, E)
//   v_bt = Σ_k α_btk W_{o_bt,k}                 α_bt = softmax_k(f p_bt · W_{o_bt,k}), or held: expert_attention.h
//   x_tb = [u_bt; p_bt; v_bt]                   x (T,B,U+2E)
//   h    = LSTM_page(x)_T, e = LSTM_offset(x)_T each (B,H), nn/recurrent
//   y_b  = A h_b + a,  z_b = D e_b + d          y (B,pages), z (B,offsets)
//   loss = 1/N Σ_b (cross-entropy(y_b, page_b) + cross-entropy(z_b, offset_b))
//          over the N pages and offsets that are known, 2B where all are
//
// Backward, from dy and dz, which nn/loss.h gives:
//
//   dA = Σ_b dy_b h_bᵀ     da = Σ_b dy_b        dh_b = Aᵀ dy_b, and D, d, e likewise
//   dx = what both LSTMs give back of dh and de at their last step
//   du, dp, dv = the parts of dx; dp += f Σ_k ds_k W_k as expert_attention.h has it, and dW
//   dC[c] = Σ of du_bt over c_bt = c            dP[g] = Σ of dp_bt over g_bt = g
//
// Scores are rows of the larger of pages and offsets: of window b row 2b is y_b, row 2b+1 is z_b, and classes that a
// row does not have get no probability. The map "attention" is α, (B,T,n).
#include <algorithm>
#include <array>

#include "fovea/model/addresses/expert_attention.h"
#include "fovea/model/model.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/loss.h"
#include "fovea/nn/recurrent/recurrent.h"

namespace fovea {

namespace {

constexpr double no_class = -1e30;  // exp of it is 0 beside any score

template <class T>
class AddressAttention final : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.integer("experts", experts_count_, 1, 1024, "number of vectors of each offset, which attention mixes");
    fields.integer("counter_width", counter_width_, 1, 1 << 12, "width of the embeddings of counters");
    fields.integer("page_width", page_width_, 1, 1 << 12, "width of the embeddings of pages, and of the experts");
    fields.integer("hidden", hidden_, 1, 1 << 14, "width of each LSTM");
    fields.number("factor", factor_, 0, 1e6, "factor of the attention scores");
    fields.number("embedding_spread", spread_, 0, 1e6, "standard deviation of the embeddings at the start");
    fields.choice("attention", attention_, {{"learned", Attending::learned}, {"uniform", Attending::uniform}},
                  "learned, or the same on every expert");
  }

  Kind takes() const override { return Kind::accesses; }
  typename Model<T>::Attends attends(const Batch&) const override {
    return attention_ == Attending::uniform || experts_count_ == 1 ? Model<T>::Attends::evenly
                                                                   : Model<T>::Attends::by_score;
  }
  typename Model<T>::Heads heads() const override { return {.each = {1}}; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    const Init start = Init::normal(spread_);
    counters_ = Embedding<T>::declare(parameters, "counter", shape.counters, counter_width_, start);
    pages_ = Embedding<T>::declare(parameters, "page", shape.pages, page_width_, start);
    experts_ =
        ExpertAttention<T>::declare(parameters, "offset", shape.offsets, experts_count_, page_width_, factor_, start);
    const RecurrentShape reader{Cell::lstm, counter_width_ + 2 * page_width_, hidden_, 1, 1, 0, 0};
    readers_ = {Recurrent<T>::declare(parameters, "page_lstm", reader),
                Recurrent<T>::declare(parameters, "offset_lstm", reader)};
    heads_ = {Linear<T>::declare(parameters, "page_head", hidden_, shape.pages),
              Linear<T>::declare(parameters, "offset_head", hidden_, shape.offsets)};
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override;
  void backward(Compute& compute, const Trace<T>& trace) const override;

 private:
  enum class Attending { learned, uniform };

  // Of a forward. Accesses stand window by window.
  struct TraceArrays {
    std::array<std::span<const int>, 3> ids;  // (B T) each: counters, pages, offsets
    Matrix<T> pages;                          // p (B T, E)
    Attention<T> attention;                   // (B T, 1, n)
    std::array<RecurrentStackTrace<T>, 2> read;
    Matrix<T> d_scores;  // (2B, classes)
  };
  // Copies the three parts of an access between the rows of x and matrices of their own.
  template <class Copy>
  void each_part(Index windows, Index steps, Copy copy) const;

  int experts_count_ = 100, counter_width_ = 64, page_width_ = 128, hidden_ = 256;
  double factor_ = 1, spread_ = 0.1;
  Attending attention_ = Attending::learned;

  Embedding<T> counters_, pages_;
  ExpertAttention<T> experts_;
  std::array<Recurrent<T>, 2> readers_;  // of the page, of the offset
  std::array<Linear<T>, 2> heads_;
};

// copy(part, row of the part, row of x, first column of x)
template <class T>
template <class Copy>
void AddressAttention<T>::each_part(Index windows, Index steps, Copy copy) const {
  const std::array<Index, 3> columns{0, counter_width_, counter_width_ + page_width_};
  for (Index b = 0; b < windows; ++b)
    for (Index t = 0; t < steps; ++t)
      for (std::size_t part = 0; part < 3; ++part) copy(part, b * steps + t, t * windows + b, columns[part]);
}

template <class T>
Trace<T> AddressAttention<T>::forward(Compute& compute, const Batch& batch, const Pass& pass) const {
  Trace<T> trace(batch, pass);
  TraceArrays own;
  const Index B = batch.size, steps = batch.source.columns / 3, accesses = B * steps;
  const Index width = counter_width_ + 2 * page_width_;
  for (std::size_t part = 0; part < 3; ++part) {
    const std::span<int> ids = compute.arena.take<int>(static_cast<std::size_t>(accesses));
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = batch.source.ids[3 * i + part];
    own.ids[part] = ids;
  }
  const Matrix<T> counters = counters_.forward(compute, own.ids[0]);
  own.pages = pages_.forward(compute, own.ids[1]);
  const Matrix<T> offsets = compute.array<T>(accesses, page_width_);
  AttentionRule rule = pass.rules.of(1, 1);
  if (attention_ == Attending::uniform) rule.pattern = AttentionRule::Pattern::uniform;
  own.attention = experts_.forward(compute, own.ids[2], own.pages, rule, offsets);

  const Cube<T> x = compute.array<T>(steps, B, width);
  const std::array<Matrix<T>, 3> parts{counters, own.pages, offsets};
  each_part(B, steps, [&](std::size_t part, Index row, Index of_x, Index column) {
    std::ranges::copy(parts[part][row].flat(), x.data() + of_x * width + column);
  });

  const Index classes = std::max(heads_[0].out, heads_[1].out);
  trace.scores = compute.array<T>(2 * B, classes);
  std::ranges::fill(trace.scores.flat(), static_cast<T>(no_class));
  for (std::size_t i = 0; i < 2; ++i) {
    own.read[i] = readers_[i].forward(compute, SequenceInput<T>::of(Cube<const T>(x)));
    const Matrix<T> said = heads_[i].forward(compute, own.read[i].last(0).hidden);
    for (Index b = 0; b < B; ++b) std::ranges::copy(said[b].flat(), trace.scores[2 * b + static_cast<Index>(i)].data());
  }
  trace.answers = batch.target.ids;
  trace.attention = own.attention.weights.as(B, steps, experts_count_);
  own.d_scores = pass.training ? compute.array<T>(2 * B, classes) : Matrix<T>();
  trace.loss = cross_entropy<T>(compute, trace.scores, trace.answers, own.d_scores);
  trace.keep(compute, own);
  return trace;
}

template <class T>
void AddressAttention<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const TraceArrays& own = trace.template own<TraceArrays>();
  const Index B = trace.batch->size, steps = trace.batch->source.columns / 3, accesses = B * steps;
  const Index width = counter_width_ + 2 * page_width_;
  const Cube<T> dx = compute.zeros<T>(steps, B, width);
  for (std::size_t i = 0; i < 2; ++i) {
    const Matrix<T> d_said = compute.array<T>(B, heads_[i].out);
    for (Index b = 0; b < B; ++b)
      std::copy_n(own.d_scores[2 * b + static_cast<Index>(i)].data(), heads_[i].out, d_said[b].data());
    const std::array<RecurrentState<T>, 1> d_last{
        {{heads_[i].backward(compute, own.read[i].last(0).hidden, d_said), {}}}};
    readers_[i].backward(compute, own.read[i], {}, d_last, {dx, {}});
  }
  const std::array<Matrix<T>, 3> parts{compute.array<T>(accesses, counter_width_),
                                       compute.array<T>(accesses, page_width_),
                                       compute.array<T>(accesses, page_width_)};
  each_part(B, steps, [&](std::size_t part, Index row, Index of_x, Index column) {
    std::copy_n(dx.data() + of_x * width + column, parts[part].size(1), parts[part][row].data());
  });
  experts_.backward(compute, own.attention, own.ids[2], own.pages, parts[2], parts[1]);
  counters_.backward(compute, own.ids[0], parts[0]);
  pages_.backward(compute, own.ids[1], parts[1]);
}

const RegisterModel<AddressAttention> address_attention_model(
    "address-attention", "predicts page and offset of the next access; the page attends to the meanings of an offset");

}  // namespace

}  // namespace fovea
