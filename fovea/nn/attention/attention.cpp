#include "fovea/nn/attention/attention.h"

#include <algorithm>
#include <cassert>

#include "fovea/math/matmul.h"
#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

constexpr Index grain = 1 << 13;  // elements a piece

Index length_of(std::span<const int> lengths, Index b, Index most) {
  if (lengths.empty()) return most;
  const Index length = lengths[static_cast<std::size_t>(b)];
  assert(length >= 0 && length <= most);
  return length;
}

// Examples a piece, when one has `elements`.
Index examples(Index elements) { return std::max<Index>(1, grain / std::max<Index>(elements, 1)); }

template <class T>
std::span<T> span_of(T* data, Index count) {
  return {data, static_cast<std::size_t>(count)};
}

}  // namespace

template <class T>
void masked_softmax(Team& team, Cube<const T> scores, std::span<const int> lengths, Cube<T> weights) {
  const Index rows = scores.size(1), most = scores.size(2);
  assert(scores.shape() == weights.shape());
  team.split(scores.size(0), examples(rows * most), [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      const Index length = length_of(lengths, b, most);
      for (Index t = 0; t < rows; ++t) {
        T* const out = weights.data() + (b * rows + t) * most;
        softmax(span_of(scores.data() + (b * rows + t) * most, length), span_of(out, length));
        std::fill(out + length, out + most, T{0});
      }
    }
  });
}

template <class T>
void masked_softmax_backward(Team& team, Cube<const T> weights, Cube<const T> dweights, std::span<const int> lengths,
                             std::span<const std::uint8_t> held, Cube<T> dscores) {
  const Index rows = weights.size(1), most = weights.size(2);
  assert(weights.shape() == dweights.shape() && weights.shape() == dscores.shape());
  team.split(weights.size(0), examples(rows * most), [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      const Index length = length_of(lengths, b, most);
      for (Index t = 0; t < rows; ++t) {
        const Index row = b * rows + t;
        const T* const p = weights.data() + row * most;
        const T* const dp = dweights.data() + row * most;
        T* const ds = dscores.data() + row * most;
        if (!held.empty() && held[static_cast<std::size_t>(row)]) {
          std::fill(ds, ds + most, T{0});
          continue;
        }
        const T mean = dot(span_of(p, length), span_of(dp, length));
        for (Index s = 0; s < length; ++s) ds[s] = p[s] * (dp[s] - mean);
        std::fill(ds + length, ds + most, T{0});
      }
    }
  });
}

template <class T>
void hold_uniform(std::span<const int> lengths, Cube<T> weights) {
  const Index rows = weights.size(1), most = weights.size(2);
  for (Index b = 0; b < weights.size(0); ++b) {
    const Index length = length_of(lengths, b, most);
    const T share = length == 0 ? T{0} : T{1} / static_cast<T>(length);
    for (Index t = 0; t < rows; ++t) {
      T* const out = weights.data() + (b * rows + t) * most;
      std::fill(out, out + length, share);
      std::fill(out + length, out + most, T{0});
    }
  }
}

template <class T>
void hold_marked(std::span<const std::uint8_t> marked, Cube<T> weights, std::span<std::uint8_t> held) {
  const Index rows = weights.size(1), most = weights.size(2);
  assert(static_cast<Index>(marked.size()) == weights.size(0) * most);
  assert(static_cast<Index>(held.size()) == weights.size(0) * rows);
  for (Index b = 0; b < weights.size(0); ++b) {
    const std::uint8_t* const marks = marked.data() + b * most;
    const Index count = std::count_if(marks, marks + most, [](std::uint8_t m) { return m != 0; });
    if (count == 0) continue;
    const T share = T{1} / static_cast<T>(count);
    for (Index t = 0; t < rows; ++t) {
      T* const out = weights.data() + (b * rows + t) * most;
      for (Index s = 0; s < most; ++s) out[s] = marks[s] ? share : T{0};
      held[static_cast<std::size_t>(b * rows + t)] = 1;
    }
  }
}

template <class T>
void hold_aligned(std::span<const int> alignment, Cube<T> weights, std::span<std::uint8_t> held) {
  const Index rows = weights.size(0) * weights.size(1), most = weights.size(2);
  assert(static_cast<Index>(alignment.size()) == rows && static_cast<Index>(held.size()) == rows);
  for (Index row = 0; row < rows; ++row) {
    const Index at = alignment[static_cast<std::size_t>(row)];
    if (at < 0) continue;
    assert(at < most);
    T* const out = weights.data() + row * most;
    std::fill(out, out + most, T{0});
    out[at] = 1;
    held[static_cast<std::size_t>(row)] = 1;
  }
}

// A single row of attention is a sum of rows; several are a product of matrices.

template <class T>
void attend(Team& team, Cube<const T> weights, Sequences<const T> values, std::span<const int> lengths,
            Sequences<T> contexts) {
  const Index rows = weights.size(1), most = weights.size(2), width = values.width;
  assert(values.batch == weights.size(0) && values.length == most && contexts.batch == values.batch);
  assert(contexts.length == rows && contexts.width == width);
  team.split(weights.size(0), examples(rows * most * width), [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      const Index length = length_of(lengths, b, most);
      const T* const w = weights.data() + b * rows * most;
      if (rows > 1 && length > 0) {
        const Operand<T> left{w, rows, length, most, false};
        matmul(left, values.of(b, length), Matrix<T>(contexts.row(b, 0), rows, width), Into::overwrite,
               contexts.step_stride * width);
        continue;
      }
      for (Index t = 0; t < rows; ++t) {
        const std::span<T> out = span_of(contexts.row(b, t), width);
        std::fill(out.begin(), out.end(), T{0});
        for (Index s = 0; s < length; ++s) add_scaled(w[t * most + s], span_of(values.row(b, s), width), out);
      }
    }
  });
}

template <class T>
void attend_backward(Team& team, Cube<const T> weights, Sequences<const T> values, Sequences<const T> dcontexts,
                     std::span<const int> lengths, Cube<T> dweights, Sequences<T> dvalues) {
  const Index rows = weights.size(1), most = weights.size(2), width = values.width;
  assert(dcontexts.batch == weights.size(0) && dcontexts.length == rows && dcontexts.width == width);
  team.split(weights.size(0), examples(rows * most * width), [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      const Index length = length_of(lengths, b, most);
      const T* const w = weights.data() + b * rows * most;
      T* const dw = dweights.data() ? dweights.data() + b * rows * most : nullptr;
      if (dw)
        for (Index t = 0; t < rows; ++t) std::fill(dw + t * most + length, dw + (t + 1) * most, T{0});
      if (length == 0) continue;
      if (rows > 1) {
        if (dw)
          matmul(dcontexts.of(b, rows), values.of_transposed(b, length), Matrix<T>(dw, rows, length), Into::overwrite,
                 most);
        if (dvalues.data)
          matmul(Operand<T>{w, length, rows, most, true}, dcontexts.of(b, rows),
                 Matrix<T>(dvalues.row(b, 0), length, width), Into::add, dvalues.step_stride * width);
        continue;
      }
      const std::span<const T> d = span_of(static_cast<const T*>(dcontexts.row(b, 0)), width);
      for (Index s = 0; s < length; ++s) {
        if (dw) dw[s] = dot(d, span_of(values.row(b, s), width));
        if (dvalues.data) add_scaled(w[s], d, span_of(dvalues.row(b, s), width));
      }
    }
  });
}

#define FOVEA_INSTANTIATE(T)                                                                                        \
  template void masked_softmax(Team&, Cube<const T>, std::span<const int>, Cube<T>);                                \
  template void masked_softmax_backward(Team&, Cube<const T>, Cube<const T>, std::span<const int>,                  \
                                        std::span<const std::uint8_t>, Cube<T>);                                    \
  template void hold_uniform(std::span<const int>, Cube<T>);                                                        \
  template void hold_marked(std::span<const std::uint8_t>, Cube<T>, std::span<std::uint8_t>);                       \
  template void hold_aligned(std::span<const int>, Cube<T>, std::span<std::uint8_t>);                               \
  template void attend(Team&, Cube<const T>, Sequences<const T>, std::span<const int>, Sequences<T>);               \
  template void attend_backward(Team&, Cube<const T>, Sequences<const T>, Sequences<const T>, std::span<const int>, \
                                Cube<T>, Sequences<T>);
FOVEA_INSTANTIATE(float)
FOVEA_INSTANTIATE(double)
#undef FOVEA_INSTANTIATE

}  // namespace fovea
