// Formats numbers for people: a real minus sign, few digits, powers of ten (room base). Tables, figures, claims and
// the report call it. Pure functions.
#pragma once

#include <string>

namespace fovea {

// For tables, captions and messages: 4 significant digits, "–" for NaN, ∞, small and large ones as 1.2×10⁻⁵.
std::string number_text(double value);

// mantissa×10ᵖᵒʷᵉʳ, with the mantissa's decimals; 10ᵖᵒʷᵉʳ alone is power_of_ten.
std::string scientific_text(double mantissa, int decimals, int power);
std::string power_of_ten(int power);

std::string with_minus(std::string number);  // "-2" as "−2"

}  // namespace fovea
