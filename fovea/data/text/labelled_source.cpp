#include "fovea/data/text/labelled_source.h"

#include <fmt/format.h>

#include "fovea/base/error/error.h"

namespace fovea {

TextSource labelled_source(const std::string& file, const std::string& label, const std::vector<std::string>& text,
                           TextFormat format) {
  TextSource source;
  source.file = file;
  source.format = format;
  std::filesystem::path name = file;
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return source;
  const bool named = name.extension() == ".jsonl" || name.extension() == ".ndjson" || format == TextFormat::jsonl;
  source.label = !label.empty() ? label : named ? "label" : "1";
  source.text = !text.empty() ? text : std::vector<std::string>{named ? "text" : "2"};
  return source;
}

void check_classes(std::size_t labels, std::string_view one, std::int64_t texts, const Location& location) {
  if (texts == 0) throw wrong_input("there is no text", "give texts of two classes or more", location);
  if (labels < 2)
    throw wrong_input(texts == 1 ? fmt::format("the only text has the label '{}'", one)
                                 : fmt::format("all {} texts have the label '{}'", texts, one),
                      "check the column of the labels: a classifier needs two classes or more", location);
  const bool few = texts < 10;  // of which each may be of another class
  if (!few && 10 * static_cast<std::int64_t>(labels) > 9 * texts)
    throw wrong_input(fmt::format("{} texts have {} different labels", texts, labels),
                      "check the column of the labels: a class needs several texts", location);
}

void check_most_classes(std::size_t labels, std::size_t most, std::int64_t texts, const Location& location) {
  if (labels > most)
    throw wrong_input(fmt::format("{} texts have {} different labels", texts, labels),
                      fmt::format("check the column of the labels: at most {} different labels are allowed", most),
                      location);
}

}  // namespace fovea
