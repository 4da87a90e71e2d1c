// View: an array as a pointer and a shape (room math). Layers, batches, traces and records use Vector, Matrix and
// Cube of this file. A view owns nothing. Rows are contiguous, and the last index runs fastest. Debug builds check
// every index and shape.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>

namespace fovea {

using Index = std::ptrdiff_t;

template <class T, int Rank>
class View {
  static_assert(Rank >= 1);

 public:
  View() = default;
  template <class... Sizes>
    requires(sizeof...(Sizes) == Rank && (std::is_convertible_v<Sizes, Index> && ...))
  explicit View(T* data, Sizes... sizes) : data_(data), shape_{static_cast<Index>(sizes)...} {}
  View(T* data, std::array<Index, Rank> shape) : data_(data), shape_(shape) {}

  // A view of const elements from one of mutable ones.
  template <class U>
    requires(std::is_same_v<const U, T>)
  View(const View<U, Rank>& other) : data_(other.data()), shape_(other.shape()) {}

  T* data() const { return data_; }
  const std::array<Index, Rank>& shape() const { return shape_; }
  Index size(int axis) const { return shape_[static_cast<std::size_t>(axis)]; }
  Index count() const {
    Index n = 1;
    for (const Index s : shape_) n *= s;
    return n;
  }
  bool empty() const { return data_ == nullptr || count() == 0; }
  std::span<T> flat() const { return {data_, static_cast<std::size_t>(count())}; }

  template <class... Indices>
    requires(sizeof...(Indices) == Rank)
  T& operator()(Indices... indices) const {
    const std::array<Index, Rank> at{static_cast<Index>(indices)...};
    Index offset = 0;
    for (std::size_t i = 0; i < Rank; ++i) {
      assert(at[i] >= 0 && at[i] < shape_[i]);
      offset = offset * shape_[i] + at[i];
    }
    return data_[offset];
  }

  // The part at index i of the first axis.
  View<T, (Rank > 1 ? Rank - 1 : 1)> operator[](Index i) const
    requires(Rank > 1)
  {
    assert(i >= 0 && i < shape_[0]);
    std::array<Index, Rank - 1> rest{};
    Index stride = 1;
    for (std::size_t k = 1; k < Rank; ++k) stride *= rest[k - 1] = shape_[k];
    return {data_ + i * stride, rest};
  }

  // The parts [begin, end) of the first axis.
  View slice(Index begin, Index end) const {
    assert(begin >= 0 && begin <= end && end <= shape_[0]);
    std::array<Index, Rank> part = shape_;
    Index stride = 1;
    for (std::size_t k = 1; k < Rank; ++k) stride *= shape_[k];
    part[0] = end - begin;
    return {data_ + begin * stride, part};
  }

  // The same elements in another shape of the same count.
  template <class... Sizes>
  View<T, static_cast<int>(sizeof...(Sizes))> as(Sizes... sizes) const {
    const View<T, static_cast<int>(sizeof...(Sizes))> other(data_, sizes...);
    assert(other.count() == count());
    return other;
  }

 private:
  T* data_ = nullptr;
  std::array<Index, Rank> shape_{};
};

template <class T>
using Vector = View<T, 1>;
template <class T>
using Matrix = View<T, 2>;
template <class T>
using Cube = View<T, 3>;

}  // namespace fovea
