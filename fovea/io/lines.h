// LineReader: the lines of a UTF-8 text file, one pass, in bounded memory (room io). Readers of tables (io/rows.h),
// texts (data/text) and memory traces (data/corpus) use it. Reads the file; changes nothing.
//
// LF and CRLF both end a line. The last line may have no end. A byte order mark is skipped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fovea/io/bytes.h"

namespace fovea {

constexpr std::size_t longest_line_read = std::size_t{1} << 20;

class LineReader {
 public:
  explicit LineReader(ByteReader bytes, std::size_t longest = longest_line_read);

  // The next line, without its end; it stands until the next call. False at the end of the file. Throws wrong_input
  // with its location for a line that is longer than `longest`, not UTF-8 or has a zero byte, and can go on behind it.
  bool next(std::string_view& line);

  int line() const { return line_; }  // the number of the last line given or refused, from 1
  Location location() const { return {bytes_.location().file, line_}; }
  std::size_t longest() const { return longest_; }

 private:
  bool more();         // reads further; false at the end
  void pass_over();    // the rest of a line that is too long
  void check_start();  // byte order marks

  ByteReader bytes_;
  std::size_t longest_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what is read and not yet given
  int line_ = 0;
  bool at_end_ = false;
};

// Where `text` stops being UTF-8 (overlong forms, surrogates and numbers above U+10FFFF are not); text.size() if it is.
std::size_t utf8_prefix(std::string_view text);

}  // namespace fovea
