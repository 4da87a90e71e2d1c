#include "fovea/nn/dropout.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fovea/base/random.h"

namespace fovea {

namespace {

constexpr Index dropout_grain = 4096;   // elements decided by one stream
constexpr std::uint32_t one = 1 << 16;  // each element is decided by 16 random bits

std::uint32_t keep_below(double rate) { return static_cast<std::uint32_t>(std::lround((1 - rate) * one)); }

// The exact inverse of the probability that keep_below gives, so that the mean is kept whatever the rate.
template <class T>
T scale_of(double rate) {
  const std::uint32_t keep = keep_below(rate);
  return keep == 0 ? T{0} : static_cast<T>(static_cast<double>(one) / keep);
}

template <class T>
void scale_kept(const std::uint8_t* kept, T scale, const T* in, T* out, Index begin, Index end) {
  for (Index i = begin; i < end; ++i) out[i] = kept[i] ? scale * in[i] : T{0};
}

}  // namespace

template <class T>
DropoutMask Dropout<T>::forward(const Compute& compute, bool training, std::uint64_t seed, std::uint64_t step,
                                std::span<const T> x, std::span<T> y) const {
  assert(x.size() == y.size() && rate >= 0 && rate <= 1);
  if (!training || rate == 0) {
    if (x.data() != y.data()) std::copy(x.begin(), x.end(), y.begin());
    return {};
  }
  const std::span<std::uint8_t> kept = compute.arena.take<std::uint8_t>(x.size());
  const std::uint32_t below = keep_below(rate);
  const T scale = scale_of<T>(rate);
  compute.team.split(static_cast<Index>(x.size()), dropout_grain, [&](Index begin, Index end) {
    RandomStream stream(seed, "dropout", step, (layer << 32) + static_cast<std::uint64_t>(begin / dropout_grain));
    for (Index i = begin; i < end;) {
      std::uint64_t bits = stream.bits();
      for (const Index stop = std::min(i + 4, end); i < stop; ++i, bits >>= 16)
        kept[static_cast<std::size_t>(i)] = (bits & 0xFFFF) < below;
    }
    scale_kept(kept.data(), scale, x.data(), y.data(), begin, end);
  });
  return kept;
}

template <class T>
void Dropout<T>::backward(const Compute& compute, DropoutMask kept, std::span<const T> dy, std::span<T> dx) const {
  assert(dy.size() == dx.size());
  if (kept.empty()) {
    if (dy.data() != dx.data()) std::copy(dy.begin(), dy.end(), dx.begin());
    return;
  }
  assert(dy.size() == kept.size());
  const T scale = scale_of<T>(rate);
  compute.team.split(static_cast<Index>(dy.size()), dropout_grain,
                     [&](Index begin, Index end) { scale_kept(kept.data(), scale, dy.data(), dx.data(), begin, end); });
}

template struct Dropout<float>;
template struct Dropout<double>;

}  // namespace fovea
