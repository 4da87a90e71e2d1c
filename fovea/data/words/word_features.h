// Features of a word's spelling, from which a tagger can judge words that are not in training (room data/words).
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace fovea {

constexpr std::size_t word_features = 3;

// "shape Xx": its letters as X (upper case) and x, digits as 0, other characters as they are, with runs of one as one;
// "begins ams" and "ends dam": its first and its last three characters, in lower case. Of Amsterdam.
std::array<std::string, word_features> features_of(std::string_view word);

// In lower case, of good UTF-8.
std::string lower_case(std::string_view word);

}  // namespace fovea
