// Vocabulary: words and their numbers (room data/text). The tasks on texts (data/tasks/given_texts.cpp,
// data/tasks/files) and the summary of a corpus make one from counted words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/text/word_counts.h"

namespace fovea {

// Numbers words as they come, and counts them.
class WordCounter {
 public:
  int add(std::string_view word);  // its number: 0 for the first, 1 for the next new one, …
  int size() const { return static_cast<int>(counts_.size()); }
  std::int64_t count(int word) const { return counts_[static_cast<std::size_t>(word)]; }
  const std::string& word(int word) const { return *words_[static_cast<std::size_t>(word)]; }

 private:
  TextMap<int> numbers_;
  std::vector<const std::string*> words_;
  std::vector<std::int64_t> counts_;
};

// Words are 0 .. size()-1: special tokens first, then the rest, the commonest first and equals by their bytes, so that
// the same counts give the same numbers whatever order they came in.
class Vocabulary {
 public:
  static constexpr int unknown = 0;

  Vocabulary() = default;
  // Words seen less than `least` times are unknown, and so are all beyond the `most` commonest (0: no bound). Special
  // tokens are "<unknown>" and those in `specials`; a word of the text that reads the same is not one of them.
  Vocabulary(const WordCounter& counter, std::int64_t least, std::int64_t most,
             const std::vector<std::string>& specials = {});

  int size() const { return static_cast<int>(words_.size()); }
  int number(std::string_view word) const;  // unknown, where it is not there
  const std::string& word(int number) const { return words_[static_cast<std::size_t>(number)]; }

 private:
  TextMap<int> numbers_;
  std::vector<std::string> words_;
};

}  // namespace fovea
