// Δ of the translator: the loss of each target word has a gradient of its own, so an example goes through the model as
// many times as it has target words, some at a time, each copy with the loss of one word.
#include <algorithm>

#include "fovea/math/vector_math.h"
#include "fovea/model/seq2seq.h"

namespace fovea {

namespace {

constexpr int most_copies = 16;

// `count` copies of an example of a batch, without its padding.
void repeat(const Batch& batch, int example, int count, Batch& copies) {
  const auto at = static_cast<std::size_t>(example);
  const auto fill = [&](const Tokens& from, Tokens& to) {
    to.resize(count, from.lengths[at]);
    for (int row = 0; row < count; ++row)
      for (int i = 0; i < to.columns; ++i) to.at(row, i) = from.at(example, i);
  };
  copies.size = count;
  fill(batch.source, copies.source);
  fill(batch.target, copies.target);
  copies.alignment.clear();
  if (batch.alignment.empty()) return;
  const auto truth = batch.alignment.begin() + static_cast<std::ptrdiff_t>(example) * batch.target.columns;
  for (int row = 0; row < count; ++row)
    copies.alignment.insert(copies.alignment.end(), truth, truth + copies.target.columns);
}

}  // namespace

template <class T>
Cube<T> Seq2Seq<T>::influence(Compute& compute) {
  if (attends_.empty()) return {};
  const Batch& batch = *batch_;
  Pass pass = pass_;
  pass.training = false;
  const Cube<T> influence =
      compute.zeros<T>(Index{batch.size}, Index{batch.target.columns}, Index{batch.source.columns});
  Arena arena;
  Batch copies;
  apart_ = true;
  for (int b = 0; b < batch.size; ++b) {
    const int length = batch.target.lengths[static_cast<std::size_t>(b)];
    for (int first = 0; first < length; first += most_copies) {
      arena.reset();
      Compute own{arena, compute.team};
      repeat(batch, b, std::min(most_copies, length - first), copies);
      influence_of(own, copies, first, pass, influence[b]);
    }
  }
  apart_ = false;
  batch_ = &batch;
  return influence;
}

// Copy i has the loss of target word first + i.
template <class T>
void Seq2Seq<T>::influence_of(Compute& compute, const Batch& copies, int first, const Pass& pass, Matrix<T> influence) {
  const Outcome<T> outcome = forward(compute, copies, pass);
  const Index steps = copies.target.columns;
  std::ranges::fill(d_logits_.flat(), T{0});
  for (int copy = 0; copy < copies.size; ++copy) {
    const Index row = copy * steps + first + copy;
    const std::span<T> d = d_logits_[row].flat();
    softmax(outcome.scores[row].flat(), d);
    d[static_cast<std::size_t>(copies.target.at(copy, first + copy))] -= T{1};
  }
  backward(compute);
  for (Index copy = 0; copy < copies.size; ++copy)
    for (Index s = 0; s < copies.source.columns; ++s)
      influence(first + copy, s) =
          -dot(std::span<const T>(source_.apart[s][copy].flat()), std::span<const T>(d_apart_[s][copy].flat()));
}

template Cube<float> Seq2Seq<float>::influence(Compute&);
template Cube<double> Seq2Seq<double>::influence(Compute&);

}  // namespace fovea
