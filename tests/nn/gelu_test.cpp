#include "fovea/nn/gelu.h"

#include <gtest/gtest.h>

#include <vector>

#include "fovea/base/random.h"

namespace fovea {
namespace {

// y, t and dx of drawn numbers.
template <class T>
std::vector<T> unit_of(std::size_t count) {
  Stream stream(2, "gelu");
  std::vector<T> x(count), dy(count), t(count), y(count), all;
  for (T& value : x) value = static_cast<T>(static_cast<float>(stream.uniform(-6, 6)));
  for (T& value : dy) value = static_cast<T>(static_cast<float>(stream.uniform(-1, 1)));
  gelu(std::span<const T>(x), std::span<T>(t), std::span<T>(y));
  gelu_backward(std::span<const T>(x), std::span<const T>(t), std::span<const T>(dy), std::span<T>(dy));
  for (const std::vector<T>& part : {y, t, dy}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(Gelu, FloatsAreWhatTheEquationsSayInDouble) {
  for (const std::size_t count : {1u, 7u, 8u, 33u, 20000u}) {
    const std::vector<float> narrow = unit_of<float>(count);
    const std::vector<double> wide = unit_of<double>(count);
    for (std::size_t i = 0; i < wide.size(); ++i) ASSERT_NEAR(narrow[i], wide[i], 1e-5) << i;
  }
}

}  // namespace
}  // namespace fovea
