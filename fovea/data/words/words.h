// WordSplitter: splits text into words (room data/words). Bags of texts, corpus summaries, tasks on texts and the
// Python package call it.
//
// A word is a run of letters, digits and their marks. An apostrophe between two letters belongs to the word
// ("don't"). In scripts without blanks between words (Chinese, Japanese kana), each character, with its marks, is a
// word. Punctuation and symbols are a word each, without marks (such as those of emoji). Invisible characters
// (blanks, controls) separate words and are none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

class WordSplitter {
 public:
  explicit WordSplitter(bool lower_case = true) : lower_case_(lower_case) {}

  // The words of a text of good UTF-8, which stand until the next call. Letters with marks, and Korean ones, are
  // composed (NFC), so that "é" is one word however it is written, and ’ is given as '.
  const std::vector<std::string_view>& split(std::string_view text);

 private:
  void end_word();

  bool lower_case_;
  std::string bytes_;              // the words, one after the other
  std::vector<std::size_t> ends_;  // where each ends
  std::size_t begin_ = 0;          // of the word that is being read
  bool in_parts_ = false;          // whether it has what is to be composed
  std::vector<std::string_view> words_;
};

// The words of one text, which stay.
std::vector<std::string> cut_words(std::string_view text, bool lower_case = true);

}  // namespace fovea
