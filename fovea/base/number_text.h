// Numbers in texts (room base). They are formatted for people: a real minus sign, few digits, powers of ten. Tables,
// figures, claims and the report call that. And they are read in names such as layer.1.head.2. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fovea {

// For tables, captions and messages: 4 significant digits, "–" for NaN, ∞, small and large ones as 1.2×10⁻⁵.
std::string number_text(double value);

// mantissa×10ᵖᵒʷᵉʳ, with the mantissa's decimals; 10ᵖᵒʷᵉʳ alone is power_of_ten.
std::string scientific_text(double mantissa, int decimals, int power);
std::string power_of_ten(int power);

std::string with_minus(std::string number);  // "-2" as "−2"

// Takes `before` and the whole number behind it off the front of the text: 12 of "_l12_h3" after "_l" leaves "_h3". If
// the text has another front, no digit behind it or too large a number, the text stays and there is no number.
std::optional<int> number_after(std::string_view before, std::string_view& text);

}  // namespace fovea
