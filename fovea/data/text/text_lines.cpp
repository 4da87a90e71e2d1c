// Reads texts a line each, alone or line by line with their translations in a second file (room data/text).
// TextReader opens it through text_examples.h.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "fovea/data/text/text_examples.h"
#include "fovea/io/whitespace.h"

namespace fovea {

namespace {

bool blank(std::string_view line) { return trimmed(line).empty(); }

class Lines final : public TextReader::Examples {
 public:
  explicit Lines(const TextSource& source)
      : source_(LineReader(ByteReader(source.file), source.longest)), source_file_(source.file.string()) {
    if (source.target_file.empty()) return;
    target_.emplace(LineReader(ByteReader(source.target_file), source.longest));
    target_file_ = source.target_file.string();
  }

  bool next(TextExample& example) override {
    // Both are read before either is judged, so that they stay side by side.
    std::string_view text, target;
    std::optional<Error> wrong;
    const bool there = read(source_, text, wrong);
    const bool also_there = target_ ? read(*target_, target, wrong) : there;
    if (there != also_there) differ(there);
    if (wrong) throw Error(*wrong);
    if (!there) return false;
    const Location location = source_.location();
    if (target_ && blank(text) != blank(target)) {
      if (part_ == 0) part_ = source_.line();
      throw wrong_input(
          fmt::format("is empty, but line {} of {} is not", source_.line(), blank(text) ? target_file_ : source_file_),
          Remedy::or_skip("correct the line", "lines"), blank(text) ? location : target_->location());
    }
    if (blank(text))
      throw wrong_input("the text is empty", Remedy::or_skip("write a text, or remove the line", "lines"), location);
    example = {text, {}, target, location};
    return true;
  }

 private:
  static bool read(LineReader& lines, std::string_view& line, std::optional<Error>& wrong) {
    try {
      return lines.next(line);
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::wrong_input || error.location().line == 0) throw;
      if (!wrong) wrong = error;
      return true;
    }
  }

  // One file has ended before the other. A line that is empty on one side only tells where they parted.
  [[noreturn]] void differ(bool source_goes_on) {
    std::int64_t source_lines = source_.line(), target_lines = target_->line();
    std::int64_t& more = source_goes_on ? source_lines : target_lines;
    LineReader& longer = source_goes_on ? source_ : *target_;
    std::string_view line;
    for (std::optional<Error> ignored; read(longer, line, ignored);) more = longer.line();
    const std::string where = part_ > 0 ? fmt::format("line {} is empty in only one of the files", part_)
                                        : fmt::format("line {} is the first line without a partner",
                                                      std::min(source_lines, target_lines) + 1);
    throw wrong_input(fmt::format("has {} lines, but {} has {}; {}", source_lines, target_file_, target_lines, where),
                      "give parallel files with the same number of lines", {source_file_});
  }

  LineReader source_;
  std::optional<LineReader> target_;
  std::string source_file_, target_file_;
  std::int64_t part_ = 0;  // the first line that is empty on one side only
};

}  // namespace

std::unique_ptr<TextReader::Examples> open_lines(const TextSource& source) {
  if (!source.label.empty() || !source.target.empty() || !source.text.empty())
    throw wrong_input("has one text per line, and no columns", "name no column, or choose another format",
                      {source.file.string()});
  return std::make_unique<Lines>(source);
}

}  // namespace fovea
