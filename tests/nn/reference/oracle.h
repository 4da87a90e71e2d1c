// The reference layers (fovea/nn/reference) as the oracle of a kernel's test: shapes and numbers at random, in and out.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "fovea/nn/reference/array.h"
#include "tests/nn/gradient_check.h"

namespace fovea::testing {

using reference::Array;

// The numbers of a kernel's array as the reference takes them.
template <class T>
Array<1> to_array(std::span<T> values) {
  Array<1> array(static_cast<Index>(values.size()));
  std::ranges::copy(values, array.values().begin());
  return array;
}
template <class T>
Array<2> to_array(std::span<T> values, Index rows, Index columns) {
  Array<2> array(rows, columns);
  EXPECT_EQ(values.size(), array.values().size());
  std::ranges::copy(values, array.values().begin());
  return array;
}

inline Array<1> random_array(std::uint64_t seed, Index size) {
  Array<1> array(size);
  array.values() = random_values(seed, size);
  return array;
}
inline Array<2> random_array(std::uint64_t seed, Index rows, Index columns) {
  Array<2> array(rows, columns);
  array.values() = random_values(seed, rows * columns);
  return array;
}

// A number in 1 … most.
inline Index random_size(RandomStream& stream, Index most) {
  return 1 + static_cast<Index>(stream.integer(static_cast<std::uint64_t>(most)));
}
inline bool random_choice(RandomStream& stream) { return stream.uniform() < 0.5; }

// What rounding leaves, relative to the largest entry of an array: a kernel in float against the reference in double.
// Where an array is a difference of numbers about 1, all of it can be small while rounding is not: `least` is what its
// largest entry counts for, then.
template <class T>
constexpr double oracle_tolerance = sizeof(T) == 4 ? 1e-5 : 1e-12;

template <class T>
void expect_near_oracle(const std::string& name, std::span<T> got, const std::vector<double>& want,
                        double tolerance = oracle_tolerance<std::remove_const_t<T>>, double least = 0) {
  ASSERT_EQ(got.size(), want.size()) << name;
  double largest = least;
  for (const double w : want) largest = std::max(largest, std::abs(w));
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_TRUE(std::abs(static_cast<double>(got[i]) - want[i]) <= tolerance * largest)
        << name << "[" << i << "]: the kernel says " << got[i] << ", the reference " << want[i];
}

}  // namespace fovea::testing
