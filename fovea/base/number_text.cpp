#include "fovea/base/number_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "fovea/base/functions/functions.h"

namespace fovea {

std::string power_of_ten(int power) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = power < 0 ? "10⁻" : "10";
  for (const char c : fmt::format("{}", std::abs(power))) text += digits[c - '0'];
  return text;
}

std::string with_minus(std::string number) {
  if (number.starts_with('-')) number.replace(0, 1, "−");
  return number;
}

std::string scientific_text(double mantissa, int decimals, int power) {
  return with_minus(fmt::format("{:.{}f}×{}", mantissa, decimals, power_of_ten(power)));
}

std::string number_text(double value) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const int power = static_cast<int>(std::floor(math::log10(size)));
    return with_minus(fmt::format("{:.3g}×{}", value / math::pow(10.0, power), power_of_ten(power)));
  }
  if (size >= 1000) return with_minus(fmt::format("{:.{}f}", value, value == std::round(value) ? 0 : 1));
  return with_minus(fmt::format("{:.4g}", value));
}

std::optional<int> number_after(std::string_view before, std::string_view& text) {
  if (!text.starts_with(before)) return std::nullopt;
  const char *const digits = text.data() + before.size(), *const end = text.data() + text.size();
  int number = 0;
  const auto [rest, error] = std::from_chars(digits, end, number);
  if (error != std::errc() || *digits == '-') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

}  // namespace fovea
