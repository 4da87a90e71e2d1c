// Reads word vectors in the text format of word2vec and GloVe (room data/text). The intervention `embeddings`
// (lab/intervention) calls it. A line has a word and its numbers, separated by spaces. word2vec has a first line with
// the number of words and their width.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "fovea/base/error/error.h"

namespace fovea {

// Reads the vectors of the words that `row_of` knows a row for (-1: it does not), and calls `take` with them; of a word
// that comes twice, the first. A word may have blanks in it: the last `width` fields are its numbers. Lines of other
// words are looked at only as far as it takes to see that they have as many fields. Throws wrong_input with the line
// for one of too few numbers, a number that is none, and for vectors of another width. Returns how many vectors there
// are.
std::int64_t read_word_vectors(std::string_view bytes, const Location& location, int width,
                               const std::function<int(std::string_view word)>& row_of,
                               const std::function<void(int row, std::span<const double>)>& take);

}  // namespace fovea
