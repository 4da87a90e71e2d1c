// TraceReader: reads memory accesses from a file, a counter and an address per line (room data/corpus).
// trace_corpus.h of this room uses it. A comma, a semicolon or a tab separates the two. Numbers are decimal, of at
// most 19 digits, or hexadecimal after 0x, of at most 16. One pass, in bounded memory.
//
//   TraceReader reader(ByteReader("app.csv.gz"));
//   for (TracedAccess access; reader.next(access);) use(access.counter, access.address);
#pragma once

#include <cstdint>
#include <string_view>

#include "fovea/data/text/text_reader.h"
#include "fovea/io/lines.h"

namespace fovea {

struct TracedAccess {
  std::uint64_t counter = 0;  // of the program: which instruction asks
  std::uint64_t address = 0;  // of a byte
  bool operator==(const TracedAccess&) const = default;
};

// One line; throws wrong_input with the location.
TracedAccess parse_access(std::string_view line, const Location& location);

class TraceReader {
 public:
  explicit TraceReader(ByteReader bytes, BadLine bad = BadLine::stop);

  // False at the end. A first line of two names is passed over, and so are blank lines behind the last access. A
  // malformed line, or a blank one before another, throws wrong_input with file:line, or is skipped and counted. At the
  // end, a file without any access throws whatever `bad`
  // says.
  bool next(TracedAccess& access);

  const ReadReport& report() const { return report_; }

 private:
  bool is_header(std::string_view line);
  void pass_blanks();
  void skip(const Error& error, std::int64_t lines);

  LineReader lines_;
  BadLine bad_;
  ReadReport report_;
  std::int64_t blanks_ = 0;  // blank lines just read, of which the next tells whether they are the last
  Location first_blank_;
};

}  // namespace fovea
