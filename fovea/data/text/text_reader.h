// TextReader: reads examples from files of text, a text with its class or with its translation (room data/text).
// Corpora, bags of texts and the program's options (apps/cli/word_options.h) use it. One pass, in bounded memory; it
// changes nothing.
//
//   TextReader reader({.file = "train.tsv.gz", .text = {"2"}, .label = "1"});
//   for (TextExample example; reader.next(example);) use(example.text, example.label);
//   reader.report();  // what was read, and what was skipped
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/io/lines.h"

namespace fovea {

enum class TextFormat {
  automatic,  // by the file's name: .tsv, .csv, .jsonl, each plain or packed; a folder; two files are lines
  tsv,
  csv,
  jsonl,
  lines,   // a text a line
  folder,  // a folder of texts for each class
  conll,   // sentences of words with tags, which are the target
};
enum class Header {
  automatic,  // there is one if a column is named, or if it reads like one (docs/reference/data-files.md)
  yes,
  no,
};
enum class BadLine { stop, skip };

// Where texts stand and how they are to be read. Columns are named by the header, or numbered from 1.
struct TextSource {
  std::filesystem::path file;         // a table, lines, or a folder with a folder for each class
  std::filesystem::path target_file;  // lines: line i of it is the translation of line i of `file`
  TextFormat format = TextFormat::automatic;
  std::vector<std::string> text;  // several columns are joined by a space; none: the column "text"
  std::string label;              // the column of the class; none: texts come without
  std::string target;             // the column of the translation
  Header header = Header::automatic;
  BadLine bad = BadLine::stop;
  std::size_t longest = longest_line_read;  // bytes of a line, a row or a file of a folder
  bool by_header = false;  // `label` and `text` were found by their names in the header, and are no one's wish
  // A table in memory, read in place of the file, which then only says in messages what it is. Wants a format.
  std::optional<std::string_view> table = std::nullopt;
};

// The views stand until the next example is asked for.
struct TextExample {
  std::string_view text;
  std::string_view label;   // "" where none was asked for
  std::string_view target;  // the same
  Location location;
  std::string_view alignment = {};  // of made pairs: the links between their words (word_alignment.h)
};

struct ReadReport {
  static constexpr std::size_t most_complaints = 5;

  std::int64_t read = 0;                // examples given
  std::int64_t skipped = 0;             // malformed lines passed over
  std::vector<std::string> complaints;  // what was wrong with the first of them
  std::vector<std::string> header;      // the names in the first line, where it was taken for a header
  TextFormat format = TextFormat::automatic;
};

class TextReader {
 public:
  // Throws wrong_input for files that are not there, formats that cannot be told and columns that are not there.
  explicit TextReader(TextSource source);
  ~TextReader();
  TextReader(TextReader&&) noexcept;
  TextReader& operator=(TextReader&&) noexcept;

  // False at the end. A malformed line (not UTF-8, too long, too few columns, an empty text or label, …) throws
  // wrong_input with file:line, or is skipped and counted. At the end, parallel files of different lengths and files
  // without any example throw whatever `bad` says.
  bool next(TextExample& example);

  const ReadReport& report() const { return report_; }

  class Examples;  // one of the formats

 private:
  TextSource source_;
  ReadReport report_;
  std::unique_ptr<Examples> examples_;
};

std::string format_name(TextFormat format);

}  // namespace fovea
