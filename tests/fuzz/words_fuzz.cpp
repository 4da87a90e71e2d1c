// Whatever text there is, its words are of good UTF-8, none is empty, and cutting a word again gives it whole.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fovea/data/words/words.h"
#include "fovea/io/lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  text = text.substr(0, fovea::utf8_prefix(text));
  for (const bool lower_case : {true, false}) {
    fovea::WordSplitter splitter(lower_case), again(lower_case);
    for (const std::string_view word : splitter.split(text)) {
      if (word.empty() || fovea::utf8_prefix(word) != word.size()) std::abort();
      const auto& parts = again.split(word);
      if (parts.size() != 1) std::abort();
    }
  }
  return 0;
}
