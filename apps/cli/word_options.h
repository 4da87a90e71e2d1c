// Options whose value is one of a few words (folder apps/cli). `fovea data` and labelled_file.h read them. Pure
// functions.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/base/error/names.h"
#include "fovea/data/text/text_reader.h"

namespace fovea::cli {

template <class Enum>
Enum word_of(const char* option, const std::string& word, const std::vector<std::pair<std::string, Enum>>& choices) {
  std::vector<std::string> known;
  for (const auto& [name, value] : choices) {
    if (name == word) return value;
    if (!name.empty()) known.push_back(name);
  }
  throw wrong_input(fmt::format("{} cannot be '{}'", option, word), suggest_name(word, known));
}

inline TextFormat text_format(const std::string& word) {
  return word_of<TextFormat>("--format", word,
                             {{"", TextFormat::automatic},
                              {"tsv", TextFormat::tsv},
                              {"csv", TextFormat::csv},
                              {"jsonl", TextFormat::jsonl},
                              {"lines", TextFormat::lines},
                              {"folder", TextFormat::folder}});
}

}  // namespace fovea::cli
