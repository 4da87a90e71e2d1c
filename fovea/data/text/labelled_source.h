// A file of labelled texts, as a person names it and its columns.
#pragma once

#include <string>
#include <vector>

#include "fovea/data/text/text_reader.h"

namespace fovea {

// Columns that are not named: of files that name theirs (jsonl) "label" and "text", else the first and the second; a
// folder's name is the label of what is in it.
TextSource labelled_source(const std::string& file, const std::string& label, const std::vector<std::string>& text,
                           TextFormat format);

}  // namespace fovea
