// Whatever bytes a file of texts holds, reading it ends in texts of good UTF-8 or in an error that names the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fovea/io/lines.h"
#include "fovea/io/rows.h"

namespace {

constexpr std::size_t longest = 4096;

bool known(const fovea::Error& error) { return error.location().file == "fuzz"; }

// Every row, passing over malformed ones.
void read_rows(std::unique_ptr<fovea::RowReader> rows) {
  int last = 0;
  for (fovea::Row row;;) {
    try {
      if (!rows->next(row)) return;
      if (row.line <= last) std::abort();
      last = row.line;
      for (const std::string_view field : row.fields)
        if (field.size() > 2 * longest || fovea::utf8_prefix(field) != field.size()) std::abort();
    } catch (const fovea::Error& error) {
      if (!known(error)) std::abort();
      if (error.kind() != fovea::Error::Kind::wrong_input || error.location().line == 0) return;  // final
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto lines = [&] { return fovea::LineReader(fovea::ByteReader(bytes, {"fuzz"}), longest); };
  try {
    read_rows(fovea::tsv_rows(lines()));
    read_rows(fovea::csv_rows(lines()));
    read_rows(fovea::jsonl_rows(lines(), {"text", "label"}));
  } catch (const fovea::Error& error) {
    if (!known(error)) std::abort();
  }
  return 0;
}
