// Finds the right writing for what other languages write, such as =>, && and 0,5 (room lab/query). The parser of
// expressions gives it as the remedy. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fovea {

inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The comparison that is being read: seed =
struct ReadComparison {
  std::string name = "x", sign;
};

// What stands at `at`: a word, a number, or a whole UTF-8 letter.
std::string token_at(std::string_view text, std::size_t at);

struct ForeignOperator {
  std::string_view written, remedy;
};
// The one that `rest` begins with. Nothing if it begins with an operator of this language, or with none.
std::optional<ForeignOperator> foreign_operator(std::string_view rest);

// What to write for the rest behind a whole expression, as behind "p > 0" in "p > 0,1".
std::string rest_remedy(std::string_view text, std::size_t at, const ReadComparison& last, bool condition);

// What to write for the range whose second dot is at `at`, as in "seed = 0..4". Nothing if there is none.
std::optional<std::string> range_remedy(std::string_view text, std::size_t at, const ReadComparison& last);

// "true" for "True" and "TRUE", and "false" likewise. Nothing for other names.
std::optional<std::string_view> lower_truth(const std::string& name);

// 90 for "steps_to_90", and 0 for digits that are no int. Nothing for other names.
std::optional<int> percent_of_steps_to(std::string_view name);

}  // namespace fovea
