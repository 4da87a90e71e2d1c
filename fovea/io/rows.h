// RowReader: the rows of a table in a text file (TSV, CSV or JSONL) (room io). data/text/text_table.cpp and the
// page's own data (apps/wasm/own_data.cpp) read tables with it. Reads the file; changes nothing.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/io/lines.h"

namespace fovea {

struct Row {
  int line = 0;                          // where it begins, from 1
  std::vector<std::string_view> fields;  // stand until the next row is asked for
};

class RowReader {
 public:
  virtual ~RowReader() = default;

  // The next row that is not blank; false at the end. Throws wrong_input with its location for a malformed one, and
  // can go on behind it.
  virtual bool next(Row& row) = 0;
};

// A TAB between fields, and nothing else means anything: no quotes, no escapes.
std::unique_ptr<RowReader> tsv_rows(LineReader lines);

// RFC 4180: a comma between fields; a field in double quotes may hold commas, line ends (given as \n) and quotes, each
// written twice. A quote within a field that does not begin with one is a letter like any other. Where a quote is never
// closed, that row is malformed and reading goes on in the line behind its first.
std::unique_ptr<RowReader> csv_rows(LineReader lines);

// One JSON object a line; the fields are its values of these names. Numbers, true and false are given as they are
// written, null as "". A line that lacks one is malformed.
std::unique_ptr<RowReader> jsonl_rows(LineReader lines, std::vector<std::string> names);

}  // namespace fovea
