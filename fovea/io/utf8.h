// Decodes, encodes and cleans UTF-8, whatever the bytes are (room io). Readers of texts, exports, figures and the
// program's output call it. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// The first code point of a text that is not empty, and how many bytes it takes: 0 where they are no UTF-8.
std::size_t read_utf8(std::string_view text, char32_t& point);

// The code points of UTF-8; broken bytes come out as U+FFFD.
std::vector<char32_t> code_points(std::string_view text);
void append_utf8(std::string& out, char32_t point);

// `text` with broken UTF-8 replaced and control characters (but for \n and \t) dropped: fit for XML and HTML.
std::string clean_utf8(std::string_view text);

// `text` on one line, with what a terminal would obey (controls, turns of the direction of writing) written out, as in
// \u{1b}.
std::string printable(std::string_view text);

}  // namespace fovea
