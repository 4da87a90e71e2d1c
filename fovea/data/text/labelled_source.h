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

// Columns that are not named: of files that name theirs (jsonl) "label" and "text"; of tables the label and the text
// of the header, if it has names that are called so ("class", "sentence"), else the first and the second column; a
// folder's name is the label of what is in it.
TextSource labelled_source(const std::string& file, const std::string& label, const std::vector<std::string>& text,
                           TextFormat format, Header header = Header::automatic);

bool is_called_label(std::string_view name);  // of a column: "label", "Class", …

// Throw wrong_input where so many different labels of so many texts are no classes: all the same (`one` of them), or
// nearly as many as texts; or more than are taken.
void check_classes(std::size_t labels, std::string_view one, std::int64_t texts, const Location& location);
void check_most_classes(std::size_t labels, std::size_t most, std::int64_t texts, const Location& location);

}  // namespace fovea
