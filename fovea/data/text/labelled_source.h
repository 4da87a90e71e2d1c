// Makes the TextSource of a file of labelled texts from the names of the file and its columns (room data/text).
// `fovea predict`, `fovea data add`, bags of texts and the Python package call it. It reads the file and changes
// nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/text/text_reader.h"

namespace fovea {

// Columns that are not named: of files that name theirs (jsonl) "label" and "text", else the first and the second; a
// folder's name is the label of what is in it.
TextSource labelled_source(const std::string& file, const std::string& label, const std::vector<std::string>& text,
                           TextFormat format);

// Throw wrong_input where so many different labels of so many texts are no classes: all the same (`one` of them), or
// nearly as many as texts; or more than are taken.
void check_classes(std::size_t labels, std::string_view one, std::int64_t texts, const Location& location);
void check_most_classes(std::size_t labels, std::size_t most, std::int64_t texts, const Location& location);

}  // namespace fovea
