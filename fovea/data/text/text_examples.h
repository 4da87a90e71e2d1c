// TextReader::Examples: the interface of the formats that TextReader reads, one file each (room data/text).
// text_table.cpp, text_lines.cpp and text_folder.cpp of this room implement it. text_reader.cpp and
// apps/wasm/own_data.cpp open them.
#pragma once

#include <memory>

#include "fovea/data/text/text_reader.h"

namespace fovea {

class TextReader::Examples {
 public:
  virtual ~Examples() = default;

  // False at the end. A malformed line throws wrong_input with the line in its location, and the next can be asked for;
  // any other error is final.
  virtual bool next(TextExample& example) = 0;

  virtual std::vector<std::string> header() const { return {}; }
};

std::unique_ptr<TextReader::Examples> open_table(const TextSource& source, TextFormat format);
std::unique_ptr<TextReader::Examples> open_lines(const TextSource& source);
std::unique_ptr<TextReader::Examples> open_folder(const TextSource& source);
std::unique_ptr<TextReader::Examples> open_conll(const TextSource& source);

}  // namespace fovea
