#include "fovea/io/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <utility>

#include "fovea/io/whitespace.h"

namespace fovea {

namespace {

class TsvRows final : public RowReader {
 public:
  explicit TsvRows(LineReader lines) : lines_(std::move(lines)) {}

  bool next(Row& row) override {
    std::string_view line;
    do {
      if (!lines_.next(line)) return false;
    } while (line.empty());
    row.line = lines_.line();
    row.fields.clear();
    for (std::size_t begin = 0;;) {
      const std::size_t tab = line.find('\t', begin);
      row.fields.push_back(line.substr(begin, tab - begin));
      if (tab == std::string_view::npos) return true;
      begin = tab + 1;
    }
  }

 private:
  LineReader lines_;
};

class CsvRows final : public RowReader {
 public:
  explicit CsvRows(LineReader lines) : lines_(std::move(lines)) {}

  bool next(Row& row) override {
    row.fields.clear();
    pieces_.clear();
    swallowed_.clear();
    do {
      if (!take_line()) return false;
    } while (line_.text.empty());
    row.line = first_ = line_.number;
    try {
      parse();
    } catch (const Error&) {
      go_back();
      throw;
    }
    for (const auto& [begin, size] : pieces_) row.fields.emplace_back(text_.data() + begin, size);
    return true;
  }

 private:
  struct Line {
    std::string text;
    int number = 0;
  };

  // Lines read again cost time, and a file of nothing but such rows would take it without bound.
  static constexpr int most_returns = 1000;

  bool take_line() {
    if (!again_.empty()) {
      line_ = std::move(again_.front());
      again_.pop_front();
      return true;
    }
    std::string_view line;
    if (!lines_.next(line)) return false;
    line_.text = line;
    line_.number = lines_.line();
    return true;
  }

  Location location(int line, std::size_t at) const { return {lines_.location().file, line, static_cast<int>(at) + 1}; }

  // Fields go unquoted into text_, and pieces_ says where each lies.
  void parse() {
    text_.clear();
    std::size_t at = 0;
    for (;;) {
      const std::size_t begin = text_.size();
      if (at < line_.text.size() && line_.text[at] == '"') {
        const int opened = line_.number;
        at = quoted(at + 1);
        if (at < line_.text.size() && line_.text[at] != ',')
          throw wrong_input(
              fmt::format("has '{}' after the closing quote of a field that begins in line {}; a comma must follow",
                          first_character(std::string_view(line_.text).substr(at)), opened),
              "quotes within a quoted field are written twice", location(line_.number, at));
      } else {
        const std::size_t comma = std::min(line_.text.find(',', at), line_.text.size());
        text_.append(line_.text, at, comma - at);
        at = comma;
      }
      pieces_.emplace_back(begin, text_.size() - begin);
      if (at >= line_.text.size()) return;
      ++at;  // the comma
    }
  }

  static std::string_view first_character(std::string_view rest) {  // of UTF-8
    std::size_t length = 1;
    while (length < rest.size() && (static_cast<unsigned char>(rest[length]) & 0xc0) == 0x80) ++length;
    return rest.substr(0, length);
  }

  // From behind the opening quote to behind the closing one, over as many lines as it takes.
  std::size_t quoted(std::size_t at) {
    const int opened = line_.number;
    const std::size_t column = at - 1;
    for (;;) {
      const std::size_t quote = line_.text.find('"', at);
      text_.append(line_.text, at, std::min(quote, line_.text.size()) - at);
      if (quote != std::string::npos) {
        at = quote + 1;
        if (at >= line_.text.size() || line_.text[at] != '"') return at;
        text_ += '"';
        ++at;
        continue;
      }
      text_ += '\n';
      keep_swallowed();
      const bool fits = text_.size() <= lines_.longest();
      if (!fits || !take_line())
        throw wrong_input(fmt::format("a quote is opened here and not closed within {}",
                                      fits ? "the file" : fmt::format("{} bytes", lines_.longest())),
                          "close the quote. If the quote belongs to the text, write it twice",
                          location(opened, column));
      at = 0;
    }
  }

  void keep_swallowed() {
    if (line_.number > first_) swallowed_.push_back(std::move(line_));
    line_ = {};
  }

  // A malformed row takes only its first line with it: a quote that is never closed would take the whole file.
  void go_back() {
    keep_swallowed();
    if (swallowed_.empty()) return;
    if (++returns_ > most_returns)
      throw wrong_input(fmt::format("has more than {} malformed rows of several lines", most_returns),
                        "check that the file is CSV. TAB-separated text has the format \"tsv\"",
                        {lines_.location().file});
    again_.insert(again_.begin(), std::make_move_iterator(swallowed_.begin()),
                  std::make_move_iterator(swallowed_.end()));
  }

  LineReader lines_;
  std::deque<Line> again_;  // lines to be read once more
  Line line_;
  int first_ = 0;                // the line the row begins in
  std::vector<Line> swallowed_;  // those behind it that the row has taken
  std::string text_;
  std::vector<std::pair<std::size_t, std::size_t>> pieces_;
  int returns_ = 0;
};

// Picks the values of some names out of one object, without keeping the rest.
class Picker final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Picker(const std::vector<std::string>& names) : names_(names), values_(names.size()), has_(names.size()) {}

  void begin() {
    depth_ = 0;
    wanted_ = none;
    problem_.clear();
    remedy_ = "write one JSON object per line";
    has_.assign(names_.size(), false);
    for (std::string& value : values_) value.clear();
  }

  bool null() override { return scalar(""); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return scalar(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& written) override { return scalar(written); }
  bool string(string_t& value) override { return scalar(value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return nest("an object"); }
  bool start_array(std::size_t) override {
    return depth_ == 0 ? refuse("is a JSON list, not an object") : nest("a list");
  }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    const auto found = std::find(names_.begin(), names_.end(), name);
    wanted_ = found == names_.end() ? none : static_cast<std::size_t>(found - names_.begin());
    return true;
  }
  bool parse_error(std::size_t, const std::string& last, const nlohmann::json::exception&) override {
    problem_ = last.empty() ? "is not JSON" : fmt::format("is not JSON near '{}'", last);
    if (depth_ > 0) remedy_ = Remedy::or_skip("put commas between the keys, and close the braces and quotes", "lines");
    return false;
  }

  const std::string& problem() const { return problem_; }
  const Remedy& remedy() const { return remedy_; }
  const std::vector<std::string>& values() const { return values_; }
  const std::vector<bool>& has() const { return has_; }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  bool scalar(std::string_view value) {
    if (depth_ == 0) return refuse("is not a JSON object");
    if (depth_ == 1 && wanted_ != none) {
      if (value.find('\0') != value.npos) return refuse(fmt::format("\"{}\" has a zero byte", names_[wanted_]));
      values_[wanted_] = value;
      has_[wanted_] = true;
      wanted_ = none;
    }
    return true;
  }
  bool nest(const char* what) {
    if (depth_ == 1 && wanted_ != none) {
      remedy_ = Remedy::or_skip(fmt::format("write \"{}\" as a text", names_[wanted_]), "lines");
      return refuse(fmt::format("\"{}\" is {}, not a text", names_[wanted_], what));
    }
    ++depth_;
    return true;
  }
  bool leave() {
    --depth_;
    return true;
  }
  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  const std::vector<std::string>& names_;
  std::vector<std::string> values_;
  std::vector<bool> has_;
  std::size_t depth_ = 0;
  std::size_t wanted_ = none;
  std::string problem_;
  Remedy remedy_;
};

class JsonlRows final : public RowReader {
 public:
  JsonlRows(LineReader lines, std::vector<std::string> names)
      : lines_(std::move(lines)), names_(std::move(names)), picker_(names_) {}
  JsonlRows(const JsonlRows&) = delete;  // the picker looks at names_
  JsonlRows& operator=(const JsonlRows&) = delete;

  bool next(Row& row) override {
    std::string_view line;
    do {
      if (!lines_.next(line)) return false;
    } while (trimmed(line).empty());
    picker_.begin();
    if (!nlohmann::json::sax_parse(line.begin(), line.end(), &picker_))
      throw wrong_input(picker_.problem(), picker_.remedy(), lines_.location());
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (!picker_.has()[i])
        throw wrong_input(fmt::format("has no key \"{}\"", names_[i]),
                          Remedy::or_skip("add the key to the line, or name another key", "lines"), lines_.location());
    row.line = lines_.line();
    row.fields.assign(picker_.values().begin(), picker_.values().end());
    return true;
  }

 private:
  LineReader lines_;
  std::vector<std::string> names_;
  Picker picker_;
};

}  // namespace

std::unique_ptr<RowReader> tsv_rows(LineReader lines) { return std::make_unique<TsvRows>(std::move(lines)); }
std::unique_ptr<RowReader> csv_rows(LineReader lines) { return std::make_unique<CsvRows>(std::move(lines)); }
std::unique_ptr<RowReader> jsonl_rows(LineReader lines, std::vector<std::string> names) {
  return std::make_unique<JsonlRows>(std::move(lines), std::move(names));
}

}  // namespace fovea
