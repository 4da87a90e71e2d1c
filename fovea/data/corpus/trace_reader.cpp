#include "fovea/data/corpus/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "fovea/io/utf8.h"
#include "fovea/io/whitespace.h"

namespace fovea {

namespace {

constexpr std::size_t longest_access = 4096;  // bytes of a line
constexpr std::size_t most_digits = 19, most_hexadecimal_digits = 16;
constexpr std::string_view separators = ",;\t";

bool is_digit(char c) { return '0' <= c && c <= '9'; }
bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }
bool is_hexadecimal_digit(char c) { return is_digit(c) || ('a' <= c && c <= 'f') || ('A' <= c && c <= 'F'); }

std::string_view unquoted(std::string_view field) {
  field = trimmed(field);
  const bool quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
  return quoted ? trimmed(field.substr(1, field.size() - 2)) : field;
}

std::string quoted(std::string_view field) {
  constexpr std::size_t most = 40;
  const std::string_view begin = field.substr(0, utf8_prefix(field.substr(0, most)));
  return fmt::format("'{}{}'", begin, begin.size() < field.size() ? "…" : "");
}

std::uint64_t number_of(std::string_view field, const Location& location) {
  const bool hexadecimal = field.starts_with("0x") || field.starts_with("0X");
  const std::string_view digits = hexadecimal ? field.substr(2) : field;
  if (field.size() > 1 && field[0] == '-' && is_digit(field[1]))
    throw wrong_input(fmt::format("{} is negative", quoted(field)),
                      Remedy::or_skip("write whole numbers from 0 on", "lines"), location);
  if (digits.empty() || !std::ranges::all_of(digits, hexadecimal ? is_hexadecimal_digit : is_digit)) {
    const bool lacks_0x = !hexadecimal && std::ranges::all_of(field, is_hexadecimal_digit);
    throw wrong_input(fmt::format("{} is not a {} number", quoted(field), lacks_0x ? "decimal" : "whole"),
                      Remedy::or_skip(lacks_0x ? fmt::format("if it is hexadecimal, write 0x{}", field.substr(0, 40))
                                               : "write 4096, or 0x1000",
                                      "lines"),
                      location);
  }
  if (digits.size() > (hexadecimal ? most_hexadecimal_digits : most_digits))
    throw wrong_input(fmt::format("{} has {} digits", quoted(field), digits.size()),
                      Remedy::or_skip("write at most 19, or 16 behind 0x", "lines"), location);
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, hexadecimal ? 16 : 10);
  return number;
}

}  // namespace

TracedAccess parse_access(std::string_view line, const Location& location) {
  const std::size_t end = std::min(line.find_first_of(separators), line.size());
  const std::string_view counter = unquoted(line.substr(0, end));
  const std::string_view address = unquoted(line.substr(std::min(end + 1, line.size())));
  const auto refuse = [&](const std::string& problem) {
    throw wrong_input(problem, Remedy::or_skip("write COUNTER,ADDRESS on each line", "lines"), location);
  };
  if (counter.empty()) refuse("has no counter");
  if (address.empty()) refuse(fmt::format("has a counter, {}, and no address", quoted(counter)));
  if (address.find_first_of(separators) != address.npos)
    refuse(fmt::format("has {} columns, not a counter and an address",
                       1 + std::ranges::count_if(line, [](char c) { return separators.find(c) != separators.npos; })));
  return {number_of(counter, location), number_of(address, location)};
}

TraceReader::TraceReader(ByteReader bytes, BadLine bad) : lines_(std::move(bytes), longest_access), bad_(bad) {
  report_.format = TextFormat::csv;
}

bool TraceReader::is_header(std::string_view line) {
  if (report_.read + report_.skipped > 0 || !report_.header.empty()) return false;
  const std::size_t end = line.find_first_of(separators);
  if (end == line.npos) return false;
  const std::string_view first = unquoted(line.substr(0, end)), second = unquoted(line.substr(end + 1));
  const auto is_name = [](std::string_view field) {
    return !field.empty() && is_letter(field.front()) && std::ranges::all_of(field, [](char c) {
      return is_letter(c) || is_digit(c) || c == ' ' || c == '-' || c == '_';
    });
  };
  if (!is_name(first) || !is_name(second)) return false;
  report_.header = {std::string(first), std::string(second)};
  return true;
}

// A line follows them, so a trace lacks something there.
void TraceReader::pass_blanks() {
  if (blanks_ == 0) return;
  const Error error =
      wrong_input("is empty", Remedy::or_skip("write COUNTER,ADDRESS on each line", "lines"), first_blank_);
  if (bad_ == BadLine::stop) throw error;
  skip(error, std::exchange(blanks_, 0));
}

void TraceReader::skip(const Error& error, std::int64_t lines) {
  report_.skipped += lines;
  if (report_.complaints.size() < ReadReport::most_complaints)
    report_.complaints.push_back(wrong_input(error.problem(), {}, error.location()).what());
}

bool TraceReader::next(TracedAccess& access) {
  for (std::string_view line;;) {
    try {
      if (!lines_.next(line)) break;
      if (trimmed(line).empty()) {
        if (blanks_++ == 0) first_blank_ = lines_.location();
        continue;
      }
      if (is_header(line)) continue;
      pass_blanks();
      access = parse_access(line, lines_.location());
      ++report_.read;
      return true;
    } catch (const Error& error) {
      const bool one_line = error.kind() == Error::Kind::wrong_input && error.location().line > 0;
      if (one_line && bad_ == BadLine::stop && report_.read == 0 && !report_.header.empty())
        throw Error(error.kind(), message("{}. The line before was read as a header", error.problem()), error.remedy(),
                    error.location());
      if (!one_line || bad_ == BadLine::stop) throw;
      skip(error, 1);
    }
  }
  if (report_.read > 0) return false;
  const Location location{lines_.location().file};
  if (report_.skipped == 0) throw wrong_input("has no access", "check that it is the right file", location);
  std::string first = report_.complaints.front();
  first.pop_back();  // its full stop
  throw wrong_input(fmt::format("no line can be read. The first error: {}", first),
                    "write COUNTER,ADDRESS on each line, or give another file", location);
}

}  // namespace fovea
