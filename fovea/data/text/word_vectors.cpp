#include "fovea/data/text/word_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fovea {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view without_blanks_behind(std::string_view line) {
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

// The last field of `line`, which it loses.
std::string_view last_field(std::string_view& line) {
  std::size_t begin = line.size();
  while (begin > 0 && !is_blank(line[begin - 1])) --begin;
  const std::string_view field = line.substr(begin);
  line = without_blanks_behind(line.substr(0, begin));
  return field;
}

std::size_t field_count(std::string_view line) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < line.size(); ++i) count += !is_blank(line[i]) && (i == 0 || is_blank(line[i - 1]));
  return count;
}

template <class Number>
bool read_number(std::string_view field, Number& number) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  return error == std::errc() && end == field.data() + field.size();
}

class Reading {
 public:
  Reading(const Location& location, int width)
      : location_(location), width_(static_cast<std::size_t>(width)), values_(width_) {}

  // The first line may be word2vec's. True where it is.
  bool is_head(std::string_view line) {
    ++location_.line;
    const std::size_t fields = field_count(line);
    if (fields == 2 && width_ != 1) {
      std::string_view rest = line;
      std::int64_t width = 0, words = 0;
      if (read_number(last_field(rest), width) && read_number(rest, words)) {
        check_width(width);
        promised_ = words;
        return true;
      }
    }
    if (fields < 2) wrong("has no word with its numbers", "check that it is a text file of word vectors");
    check_width(static_cast<std::int64_t>(fields) - 1);
    --location_.line;
    return false;
  }

  // The word, and its numbers in `numbers()` if `wanted` says so.
  template <class Wanted>
  bool line(std::string_view line, const Wanted& wanted) {
    ++location_.line;
    std::string_view rest = line;
    std::vector<std::string_view>& fields = fields_;
    fields.clear();
    while (fields.size() < width_ && !rest.empty()) fields.push_back(last_field(rest));
    if (fields.size() < width_ || rest.empty())
      wrong(fmt::format("has {} of {} numbers", fields.size() - (rest.empty() && !fields.empty() ? 1 : 0), width_),
            "correct the line, or download the file again");
    if (!wanted(rest)) return false;
    for (std::size_t i = 0; i < width_; ++i) {
      const std::string_view field = fields[width_ - 1 - i];
      if (!read_number(field, values_[i]) || !(std::abs(values_[i]) <= std::numeric_limits<float>::max()))
        wrong(fmt::format("'{}' is not a number", field), "correct the line, or download the file again");
    }
    return true;
  }
  std::span<const double> numbers() const { return values_; }

  // Throws where the head says another count.
  void check_count(std::int64_t count) const {
    if (promised_ && *promised_ != count)
      throw wrong_input(fmt::format("has {} word vectors, but its first line announces {}", count, *promised_),
                        "the file may be incomplete: download it again", {location_.file});
  }

 private:
  void check_width(std::int64_t width) const {
    if (width != static_cast<std::int64_t>(width_))
      throw wrong_input(fmt::format("its vectors have {} numbers, and the model's embeddings {}", width, width_),
                        fmt::format("set the width of the embeddings to match, or use vectors of {} numbers", width_),
                        location_);
  }
  [[noreturn]] void wrong(const std::string& what, const std::string& remedy) const {
    throw wrong_input(what, remedy, location_);
  }

  Location location_;
  std::optional<std::int64_t> promised_;
  std::size_t width_;
  std::vector<double> values_;
  std::vector<std::string_view> fields_;
};

}  // namespace

std::int64_t read_word_vectors(std::string_view bytes, const Location& location, int width,
                               const std::function<int(std::string_view word)>& row_of,
                               const std::function<void(int row, std::span<const double>)>& take) {
  if (bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd") || bytes.starts_with("PK\x03\x04"))
    throw wrong_input("is packed", "unpack it first (gunzip, unzstd, unzip)", location);
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  Reading reading(location, width);
  std::set<int> seen;
  std::int64_t count = 0;
  for (bool first = true; !bytes.empty(); first = false) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = without_blanks_behind(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (first && reading.is_head(line)) continue;
    if (line.empty() && bytes.empty()) break;
    int row = -1;
    ++count;
    if (reading.line(line, [&](std::string_view word) { return (row = row_of(word)) >= 0 && seen.insert(row).second; }))
      take(row, reading.numbers());
  }
  if (count == 0) throw wrong_input("has no word vectors", "check that it is the right file", location);
  reading.check_count(count);
  return count;
}

}  // namespace fovea
