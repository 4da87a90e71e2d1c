// Reads texts from the columns of a table: TSV, CSV or JSONL (room data/text). TextReader opens it through
// text_examples.h.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "fovea/base/error/names.h"
#include "fovea/data/text/labelled_source.h"
#include "fovea/data/text/text_examples.h"
#include "fovea/io/rows.h"
#include "fovea/io/whitespace.h"

namespace fovea {

namespace {

constexpr std::size_t rows_to_judge_by = 100;  // whether the first is a header
constexpr std::size_t longest_name = 64;       // of a column

std::optional<std::size_t> column_number(const std::string& words) {  // from 0
  std::size_t number = 0;
  const auto [end, wrong] = std::from_chars(words.data(), words.data() + words.size(), number);
  if (wrong != std::errc() || end != words.data() + words.size() || number == 0) return {};
  return number - 1;
}

bool all_digits(const std::string& words) {
  return std::all_of(words.begin(), words.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "Label", "review text", "class_id": what a column is called, and few texts are.
bool reads_like_a_name(std::string_view field) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto fits = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == ' '; };
  return !field.empty() && field.size() <= longest_name && letter(field.front()) &&
         std::all_of(field.begin(), field.end(), fits);
}

class Table final : public TextReader::Examples {
 public:
  Table(const TextSource& source, TextFormat format) : file_(source.file.string()) {
    wanted_ = source.text.empty() ? std::vector<std::string>{"text"} : source.text;
    texts_ = wanted_.size();
    for (const std::string& other : {source.label, source.target})
      if (!other.empty()) wanted_.push_back(other);
    labelled_ = !source.label.empty();
    text_is_named_ = !source.text.empty();
    LineReader lines(source.table ? ByteReader(*source.table, {file_}) : ByteReader(source.file), source.longest);
    if (format == TextFormat::jsonl) {
      for (const std::string& name : wanted_)
        columns_.push_back(static_cast<std::size_t>(std::ranges::find(wanted_, name) - wanted_.begin()));
      rows_ = jsonl_rows(std::move(lines), wanted_);
      width_ = wanted_.size();
    } else {
      rows_ = format == TextFormat::csv ? csv_rows(std::move(lines)) : tsv_rows(std::move(lines));
      find_columns(source.header);
    }
    refuse_column_twice();
  }

  std::vector<std::string> header() const override { return header_; }

  bool next(TextExample& example) override {
    if (!next_row()) return false;
    check_width();
    const Location location{file_, row_.line};
    example = {field(0), {}, {}, location};
    if (texts_ > 1) {
      joined_ = field(0);
      for (std::size_t i = 1; i < texts_; ++i) {
        if (!joined_.empty() && !field(i).empty()) joined_ += ' ';
        joined_ += field(i);
      }
      example.text = joined_;
    }
    if (trimmed(example.text).empty())
      throw wrong_input("the text is empty", Remedy::or_skip("write a value, or remove the line", "lines"), location);
    if (texts_ == wanted_.size()) return true;
    const std::string_view other = trimmed(field(texts_));
    if (other.empty())
      throw wrong_input(fmt::format("the {} is empty", labelled_ ? "label" : "target"),
                        Remedy::or_skip("write a value, or remove the line", "lines"), location);
    (labelled_ ? example.label : example.target) = other;
    return true;
  }

 private:
  // A row read before its turn, or what was wrong with it.
  struct Ahead {
    int line = 0;
    std::vector<std::string> fields;
    std::optional<Error> wrong;
  };

  std::string_view field(std::size_t wanted) const { return row_.fields[columns_[wanted]]; }

  bool next_row() {
    if (ahead_.empty()) return rows_->next(row_);
    kept_ = std::move(ahead_.front());
    ahead_.pop_front();
    if (kept_.wrong) throw Error(*kept_.wrong);
    row_.line = kept_.line;
    row_.fields.assign(kept_.fields.begin(), kept_.fields.end());
    return true;
  }

  void check_width() const {
    const std::size_t has = row_.fields.size();
    const Location location{file_, row_.line};
    const auto columns = [](std::size_t n) { return fmt::format("{} column{}", n, n == 1 ? "" : "s"); };
    for (std::size_t i = 0; i < wanted_.size(); ++i)
      if (columns_[i] >= has)
        throw wrong_input(fmt::format("has no {}: it is expected in column {}, and the line has {}", use(i), wanted_[i],
                                      columns(has)),
                          Remedy::or_skip("correct the line", "lines"), location);
    for (std::size_t i = width_; i < has; ++i)
      if (!row_.fields[i].empty())
        throw wrong_input(fmt::format("has {}, but the first line has {}", columns(has), columns(width_)),
                          Remedy::or_skip("correct the line", "lines"), location);
  }

  const char* use(std::size_t wanted) const { return wanted < texts_ ? "text" : labelled_ ? "label" : "target"; }

  std::string two_columns() const {
    return fmt::format("write the text and the {} in two columns", labelled_ ? "label" : "target");
  }

  void refuse_column_twice() const {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      for (std::size_t before = 0; before < i; ++before) {
        if (columns_[i] != columns_[before]) continue;
        const bool same = wanted_[i] == wanted_[before];
        if (width_ == 1) throw wrong_input("has one column, and needs two", two_columns(), {file_});
        if (same && i < texts_)
          throw wrong_input(fmt::format("the column '{}' is named twice as the text", wanted_[i]), "name it once",
                            {file_});
        throw wrong_input(fmt::format("the column '{}'{} is named as the {} and as the {}", wanted_[before],
                                      same ? "" : fmt::format(", which is '{}',", wanted_[i]), use(before), use(i)),
                          i < texts_ ? "name it once" : "name two columns", {file_});
      }
  }

  void read_ahead() {
    for (Row row; ahead_.size() < rows_to_judge_by;) {
      Ahead ahead;
      try {
        if (!rows_->next(row)) return;
        ahead.line = row.line;
        ahead.fields.assign(row.fields.begin(), row.fields.end());
      } catch (const Error& error) {
        if (error.kind() != Error::Kind::wrong_input || error.location().line == 0) throw;
        ahead.wrong = error;
      }
      ahead_.push_back(std::move(ahead));
    }
  }

  // No row is left if all are skipped.
  [[noreturn]] void refuse_all() const {
    const Error& first = *ahead_.front().wrong;
    const bool skip = first.remedy().code == Remedy::Code::or_skip;
    const std::string none = ahead_.size() < rows_to_judge_by
                                 ? "no line of the file is valid"
                                 : fmt::format("none of the first {} lines is valid", rows_to_judge_by);
    throw Error(first.kind(), message("{}; {}", first.problem(), none),
                skip ? Remedy(*first.remedy().arguments[0].as<std::string>()) : first.remedy(), first.location());
  }

  // The first row decides how many columns there are and, where it is a header, which is which.
  void find_columns(Header header) {
    const bool by_name = std::any_of(wanted_.begin(), wanted_.end(), [](const auto& w) { return !column_number(w); });
    read_ahead();
    if (ahead_.empty()) throw wrong_input("is empty", "check that it is the right file", {file_});
    const auto good = std::find_if(ahead_.begin(), ahead_.end(), [](const Ahead& row) { return !row.wrong; });
    const bool first_counts = by_name || header == Header::yes;
    if (good == ahead_.end()) refuse_all();
    if (first_counts && ahead_.front().wrong) throw Error(*ahead_.front().wrong);  // nothing says what the columns are
    const Ahead& first = *good;
    width_ = first.fields.size();
    const auto first_row = [&first] {
      std::string text;
      for (const std::string_view name : first.fields) {
        const std::string_view start = name.substr(0, longest_name);
        text += fmt::format("{}'{}'", text.empty() ? "" : ", ", start.substr(0, utf8_prefix(start)));
      }
      return text;
    };
    const Location location{file_, first.line};
    const auto old_mac = [](const std::string& field) { return field.find('\r') != std::string::npos; };
    if (ahead_.size() == 1 && std::any_of(first.fields.begin(), first.fields.end(), old_mac))
      throw wrong_input("is one line with carriage returns in it, and lines end in LF or CRLF",
                        "convert them to line ends: tr '\\r' '\\n'", {file_});
    // As some spreadsheets write CSV where the comma is in numbers.
    const bool semicolons = width_ == 1 && first.fields.front().find(';') != std::string::npos;
    const std::string other_mark =
        semicolons ? "its columns seem to be separated by ';': save it with commas (csv) or TABs (tsv) between them"
                   : "";
    if (header == Header::no && by_name)
      throw wrong_input("without a header its columns have numbers, not names", "name columns by number, from 1",
                        location);
    columns_.resize(wanted_.size());
    for (std::size_t k = 0; k < wanted_.size(); ++k) {
      const std::size_t i = (k + texts_) % wanted_.size();  // the label first: the default text column depends on it
      const auto is_it = [&](const std::string& field) { return trimmed(field) == wanted_[i]; };
      const auto named = header == Header::no ? first.fields.end() : std::ranges::find_if(first.fields, is_it);
      const auto number = column_number(wanted_[i]);
      if (named != first.fields.end() && !number) {
        if (std::count_if(first.fields.begin(), first.fields.end(), is_it) > 1)
          throw wrong_input(fmt::format("has several columns '{}'; its first line is {}", wanted_[i], first_row()),
                            "name it by number, from 1", location);
        columns_[i] = static_cast<std::size_t>(named - first.fields.begin());
      } else if (!number && (wanted_[i].empty() || !all_digits(wanted_[i]))) {
        const bool unnamed = i < texts_ && !text_is_named_;
        throw wrong_input(fmt::format("has no column '{}'{}; its first line is {}", wanted_[i],
                                      unnamed ? ", and no other column is named as the text" : "", first_row()),
                          other_mark.empty() ? other_name(i, first.fields) : Remedy(other_mark), location);
      } else if (!number || *number >= width_) {
        throw wrong_input(fmt::format("has no column {}; its first line is {}", wanted_[i], first_row()),
                          !other_mark.empty() ? other_mark
                          : width_ == 1       ? two_columns()
                                              : fmt::format("name a column from 1 to {}", width_),
                          location);
      } else {
        columns_[i] = *number;
      }
    }
    if (by_name && labelled_ && header != Header::yes)
      if (const int line = line_with_same(columns_.back()))
        throw wrong_input(fmt::format("is no header, because column {} of line {} is '{}', too", columns_.back() + 1,
                                      line, trimmed(first.fields[columns_.back()])),
                          "name columns by number, from 1", location);
    if (header == Header::yes || by_name || (header == Header::automatic && first_is_header())) {
      header_ = first.fields;
      ahead_.pop_front();
    }
  }

  Remedy other_name(std::size_t wanted, const std::vector<std::string>& first) const {
    if (wanted < texts_ && !text_is_named_) return Remedy::name_column();
    bool header = std::ranges::all_of(first, reads_like_a_name);
    for (std::size_t column = 0; column < first.size(); ++column) header = header && line_with_same(column) == 0;
    if (header) return suggest_name(wanted_[wanted], first);
    return "name it by number, from 1";
  }

  // The line of the first row below that has the same value in this column, as the label of a headerless file has; 0 if
  // there is none.
  int line_with_same(std::size_t column) const {
    const std::string_view value = trimmed(ahead_.front().fields[column]);
    for (const Ahead& row : ahead_)
      if (&row != &ahead_.front() && column < row.fields.size() && trimmed(row.fields[column]) == value)
        return row.line;
    return 0;
  }

  // By numbers alone nothing in the first row says what it is. It is a header if all of it reads like names and its
  // label is no label of the rows behind it, where those repeat or the label's column is called what such are.
  bool first_is_header() const {
    if (!labelled_ || ahead_.front().wrong) return false;
    const std::vector<std::string>& first = ahead_.front().fields;
    if (!std::all_of(first.begin(), first.end(), reads_like_a_name)) return false;
    const std::size_t column = columns_.back();
    std::size_t rows = 0;
    std::set<std::string_view> labels;
    for (const Ahead& row : ahead_)
      if (&row != &ahead_.front() && column < row.fields.size()) {
        labels.insert(trimmed(row.fields[column]));
        ++rows;
      }
    const bool tells = 2 * labels.size() <= rows || is_called_label(trimmed(first[column]));
    return rows > 0 && tells && !labels.contains(trimmed(first[column]));
  }

  std::string file_;
  std::unique_ptr<RowReader> rows_;
  std::vector<std::string> wanted_;   // the columns asked for: of the text, then of the label or the target
  std::vector<std::size_t> columns_;  // where each stands
  std::size_t texts_ = 1;
  std::size_t width_ = 0;  // columns of the first row
  bool labelled_ = false, text_is_named_ = false;
  std::vector<std::string> header_;
  std::deque<Ahead> ahead_;
  Ahead kept_;
  Row row_;
  std::string joined_;
};

}  // namespace

std::unique_ptr<TextReader::Examples> open_table(const TextSource& source, TextFormat format) {
  return std::make_unique<Table>(source, format);
}

}  // namespace fovea
