#include "fovea/data/text/labelled_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "fovea/base/error/error.h"
#include "fovea/io/rows.h"
#include "fovea/io/whitespace.h"

namespace fovea {

namespace {

template <std::size_t n>
bool is_one_of(std::string_view name, const std::string_view (&names)[n]) {
  std::string small(name);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(names, small) != std::end(names);
}

bool is_called_text(std::string_view name) {
  constexpr std::string_view names[] = {"text",    "texts",   "sentence", "sentences", "review", "document",
                                        "content", "message", "comment",  "body",      "tweet"};
  return is_one_of(name, names);
}

std::vector<std::string> first_row(const TextSource& source, bool csv) {
  std::vector<std::string> names;
  try {
    LineReader lines(ByteReader(source.file), source.longest);
    const std::unique_ptr<RowReader> rows = csv ? csv_rows(std::move(lines)) : tsv_rows(std::move(lines));
    Row first;
    if (rows->next(first))
      for (const std::string_view field : first.fields) names.emplace_back(trimmed(field));
  } catch (const Error&) {
    return {};  // whoever reads the table complains
  }
  return names;
}

// Takes the label and the text that the first row of a table names, if it names one of each.
void find_by_header(TextSource& source, const std::vector<std::string>& row) {
  if (std::ranges::count_if(row, is_called_label) != 1 || std::ranges::count_if(row, is_called_text) != 1) return;
  source.label = *std::ranges::find_if(row, is_called_label);
  source.text = {*std::ranges::find_if(row, is_called_text)};
  source.by_header = true;
}

// The text of a table of two columns is in the one that is not the label's.
void find_other_column(TextSource& source, const std::vector<std::string>& row) {
  if (row.size() == 2 && (source.label == "2" || source.label == row[1])) source.text = {"1"};
}

}  // namespace

bool is_called_label(std::string_view name) {
  constexpr std::string_view names[] = {"label", "labels", "class", "category", "sentiment", "target"};
  return is_one_of(name, names);
}

TextSource labelled_source(const std::string& file, const std::string& label, const std::vector<std::string>& text,
                           TextFormat format, Header header) {
  TextSource source;
  source.file = file;
  source.format = format;
  source.header = header;
  std::filesystem::path name = file;
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return source;
  const bool named = name.extension() == ".jsonl" || name.extension() == ".ndjson" || format == TextFormat::jsonl;
  source.label = !label.empty() ? label : named ? "label" : "1";
  source.text = !text.empty() ? text : std::vector<std::string>{named ? "text" : "2"};
  const bool by_name = format == TextFormat::automatic;
  const bool csv = by_name ? name.extension() == ".csv" : format == TextFormat::csv;
  const bool tsv = by_name ? name.extension() == ".tsv" || name.extension() == ".tab" : format == TextFormat::tsv;
  if (!text.empty() || !(csv || tsv) || !std::filesystem::is_regular_file(file, ignored)) return source;
  const std::vector<std::string> row = first_row(source, csv);
  if (!label.empty()) find_other_column(source, row);
  else if (header != Header::no) find_by_header(source, row);
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
