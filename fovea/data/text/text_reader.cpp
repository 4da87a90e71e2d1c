#include "fovea/data/text/text_reader.h"

#include <fmt/format.h>

#include <utility>

#include "fovea/data/text/text_examples.h"

namespace fovea {

namespace {

TextFormat format_of(const TextSource& source) {
  if (source.format != TextFormat::automatic) return source.format;
  if (!source.target_file.empty()) return TextFormat::lines;
  const Location location{source.file.string()};
  std::error_code ignored;
  if (!std::filesystem::exists(source.file, ignored))
    throw wrong_input("there is no such file or folder", "check the path", location);
  if (std::filesystem::is_directory(source.file, ignored)) return TextFormat::folder;
  std::filesystem::path name = source.file.filename();
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  const std::string ending = name.extension();
  if (ending == ".tsv" || ending == ".tab") return TextFormat::tsv;
  if (ending == ".csv") return TextFormat::csv;
  if (ending == ".jsonl" || ending == ".ndjson") return TextFormat::jsonl;
  throw wrong_input("its name has no known ending", Remedy::name_format(), location);
}

std::unique_ptr<TextReader::Examples> open(const TextSource& source, TextFormat format) {
  if (!source.label.empty() && (!source.target.empty() || !source.target_file.empty()))
    throw wrong_input("a text can have a label or a target, not both", "name only one of the two",
                      {source.file.string()});
  switch (format) {
    case TextFormat::folder:
      return open_folder(source);
    case TextFormat::lines:
      return open_lines(source);
    case TextFormat::conll:
      return open_conll(source);
    default:
      return open_table(source, format);
  }
}

}  // namespace

std::string format_name(TextFormat format) {
  switch (format) {
    case TextFormat::automatic:
      return "automatic";
    case TextFormat::tsv:
      return "tsv";
    case TextFormat::csv:
      return "csv";
    case TextFormat::jsonl:
      return "jsonl";
    case TextFormat::lines:
      return "lines";
    case TextFormat::folder:
      return "folder";
    case TextFormat::conll:
      return "conll";
  }
  return "unknown";
}

TextReader::TextReader(TextSource source) : source_(std::move(source)) {
  report_.format = format_of(source_);
  examples_ = open(source_, report_.format);
  report_.header = examples_->header();
}
TextReader::~TextReader() = default;
TextReader::TextReader(TextReader&&) noexcept = default;
TextReader& TextReader::operator=(TextReader&&) noexcept = default;

bool TextReader::next(TextExample& example) {
  for (;;) {
    try {
      if (examples_->next(example)) {
        ++report_.read;
        return true;
      }
      break;
    } catch (const Error& error) {
      const bool one_line = error.kind() == Error::Kind::wrong_input && error.location().line > 0;
      if (!one_line || source_.bad == BadLine::stop) throw;
      if (++report_.skipped <= static_cast<std::int64_t>(ReadReport::most_complaints))
        report_.complaints.push_back(wrong_input(error.problem(), {}, error.location()).what());
    }
  }
  if (report_.read > 0) return false;
  const Location location{source_.file.string()};
  if (report_.skipped == 0) throw wrong_input("has no text", "check that it is the right file", location);
  std::string first = report_.complaints.front();
  first.pop_back();  // its full stop
  const char* const unit = report_.format == TextFormat::folder  ? "file"
                           : report_.format == TextFormat::conll ? "sentence"
                                                                 : "line";
  throw wrong_input(fmt::format("no {} can be read. The first error: {}", unit, first),
                    fmt::format("correct at least one {}, or give another file", unit), location);
}

}  // namespace fovea
