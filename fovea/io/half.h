// Half: IEEE 754 half precision (binary16), 1 sign, 5 exponent and 10 fraction bits (room io). The store
// (lab/store/store_arrays.cpp) keeps attention in it, and io/safetensors.cpp reads it.
//
// to_half rounds to the nearest, ties to even. For |x| in [2^-14, 65504] the relative error is at most 2^-11
// (4.9e-4). Below that, the absolute error is at most 2^-25 (3.0e-8). From 65520 on the result is infinity. from_half
// is exact. NaN stays NaN, with the upper bits of its payload.
#pragma once

#include <bit>
#include <cstdint>

namespace fovea {

using Half = std::uint16_t;  // its bits

constexpr float from_half(Half half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fu;
  std::uint32_t fraction = half & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;  // subnormal: exact in float
  return sign ? -magnitude : magnitude;
}

constexpr Half to_half(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {  // NaN; a payload that would vanish leaves the quiet bit
    const std::uint32_t payload = (magnitude >> 13) & 0x3ffu;
    return static_cast<Half>(sign | 0x7c00u | (payload ? payload : 0x200u));
  }
  if (magnitude >= 0x477ff000u) return static_cast<Half>(sign | 0x7c00u);  // 65520 and more
  const auto rounded = [](std::uint32_t value, std::uint32_t shift) {      // value / 2^shift, ties to even
    const std::uint32_t half_way = (1u << (shift - 1)) - 1;
    return (value + half_way + ((value >> shift) & 1u)) >> shift;
  };
  if (magnitude >= 0x38800000u) return static_cast<Half>(sign | rounded(magnitude - 0x38000000u, 13));
  if (magnitude < 0x33000000u) return static_cast<Half>(sign);  // below half of the smallest subnormal
  const std::uint32_t exponent = magnitude >> 23;
  const std::uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  return static_cast<Half>(sign | rounded(significand, 126 - exponent));
}

}  // namespace fovea
