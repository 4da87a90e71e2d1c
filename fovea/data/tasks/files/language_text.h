// LanguageText: a text cut into tokens and divided into a training and a validation part (room data/tasks/files). The
// task `language` alone reads it.
//
// A file is divided at nine tenths of its bytes. If it has lines of numbers, it is divided at nine tenths of its
// lines (or of its tokens, if it has one line). The rest is for validation. A corpus has parts of its own; of pairs,
// the sources are read. Tokens are those of the training part, the commonest first, after one for all unknown tokens.
// Lines of a file and texts of a corpus end in a line end, which is a token.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "fovea/data/corpus/corpus.h"
#include "fovea/data/text/token_texts.h"
#include "fovea/data/words/subwords.h"

namespace fovea {

enum class TokenUnits { characters, subwords, numbers };

struct LanguageText {
  std::array<TokenTexts, 3> parts;  // by split
  std::vector<std::string> words;   // by token, as a person reads them: ␣ is a blank, ⏎ a line end
  std::shared_ptr<const Pieces> pieces;

  TokenTexts& part(Split split) { return parts[static_cast<std::size_t>(split)]; }
  const TokenTexts& part(Split split) const { return parts[static_cast<std::size_t>(split)]; }
};

// All of a file, unpacked. Throws wrong_input for one that is not there, is empty or no regular file, or is too large.
std::string read_language_file(const std::string& file);

// From the bytes of `file`. `vocab`: the most tokens that are known. Throws wrong_input with file and line for what is
// no UTF-8; of numbers, for an empty line, too many tokens in one, and what is no whole number from 0 on.
LanguageText cut_language_file(const std::string& bytes, const std::string& file, TokenUnits units, int vocab);
LanguageText cut_language_corpus(const Corpus& corpus, TokenUnits units, int vocab);

// The characters of a text of good UTF-8, as a person reads them.
std::vector<std::string> readable_characters(std::string_view text);

}  // namespace fovea
