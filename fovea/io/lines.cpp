#include "fovea/io/lines.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "fovea/io/utf8.h"

namespace fovea {

namespace {

constexpr std::size_t line_piece = 1 << 16;

}  // namespace

std::size_t utf8_prefix(std::string_view text) {
  const std::size_t size = text.size();
  std::size_t i = 0;
  while (i < size) {
    // Eight bytes of ASCII at a time: that is what most text is.
    for (std::uint64_t eight; i + 8 <= size; i += 8) {
      std::memcpy(&eight, text.data() + i, 8);
      if (eight & 0x8080808080808080u) break;
    }
    if (i >= size) break;
    char32_t point = 0;
    const std::size_t length = read_utf8(text.substr(i), point);
    if (length == 0) return i;
    i += length;
  }
  return size;
}

LineReader::LineReader(ByteReader bytes, std::size_t longest)
    : bytes_(std::move(bytes)), longest_(longest), buffer_(2 * line_piece, '\0') {
  while (end_ < 3 && more()) {
  }
  check_start();
}

void LineReader::check_start() {
  const std::string_view start(buffer_.data(), end_);
  if (start.starts_with("\xef\xbb\xbf")) begin_ = 3;
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff"))
    throw wrong_input("is UTF-16, and must be UTF-8", "convert it to UTF-8: iconv -f UTF-16 -t UTF-8",
                      bytes_.location());
}

bool LineReader::more() {
  if (at_end_) return false;
  if (buffer_.size() - end_ < line_piece) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (buffer_.size() - end_ < line_piece) buffer_.resize(2 * buffer_.size());
  }
  const std::size_t got = bytes_.read(buffer_.data() + end_, line_piece);
  end_ += got;
  at_end_ = got == 0;
  return !at_end_;
}

void LineReader::pass_over() {
  for (;;) {
    const void* const found = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_);
    if (found) {
      begin_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
      return;
    }
    begin_ = end_;
    if (!more()) return;
  }
}

bool LineReader::next(std::string_view& line) {
  std::size_t looked = 0;
  std::size_t length;
  for (;;) {
    const std::size_t have = end_ - begin_;
    if (const void* const found = std::memchr(buffer_.data() + begin_ + looked, '\n', have - looked)) {
      length = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) - begin_;
      break;
    }
    looked = have;
    if (have > longest_ + 1) {
      ++line_;
      pass_over();
      throw wrong_input(fmt::format("this line is longer than {} bytes", longest_),
                        "check that this is the right file and the right format", location());
    }
    if (more()) continue;
    if (have == 0) return false;
    length = have;
    break;
  }
  ++line_;
  line = {buffer_.data() + begin_, length};
  begin_ += length < end_ - begin_ ? length + 1 : length;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > longest_)
    throw wrong_input(fmt::format("this line is longer than {} bytes", longest_),
                      "check that this is the right file and the right format", location());
  if (const std::size_t good = utf8_prefix(line); good < line.size()) {
    Location where = location();
    where.column = static_cast<int>(good) + 1;
    throw wrong_input(
        fmt::format("is not UTF-8: byte {} of this line is {:02x}", good + 1, static_cast<unsigned char>(line[good])),
        Remedy::or_skip("save the file as UTF-8", "lines"), where);
  }
  if (const std::size_t zero = line.find('\0'); zero != std::string_view::npos) {
    Location where = location();
    where.column = static_cast<int>(zero) + 1;
    throw wrong_input(fmt::format("byte {} of this line is zero, and text has none", zero + 1),
                      "check that the file is a text. To convert UTF-16 to UTF-8: iconv -f UTF-16LE -t UTF-8", where);
  }
  return true;
}

}  // namespace fovea
