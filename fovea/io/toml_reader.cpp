#include "fovea/io/toml_reader.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/io/whitespace.h"

namespace fovea {

namespace {

Location location_of(const toml::source_region& region, const Location& file) {
  return {file.file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column), file.kind};
}

ValueTable table_of(const toml::table& table, const Location& file);

Value value_of(const toml::node& node, const Location& location, const Location& file) {
  if (const auto* x = node.as_boolean()) return {x->get(), location};
  if (const auto* x = node.as_integer()) return {x->get(), location};
  if (const auto* x = node.as_floating_point()) return {x->get(), location};
  if (const auto* x = node.as_string()) return {x->get(), location};
  if (const auto* table = node.as_table()) return {table_of(*table, file), location};
  if (const auto* array = node.as_array()) {
    ValueList list;
    for (const toml::node& item : *array) list.push_back(value_of(item, location_of(item.source(), file), file));
    return {std::move(list), location};
  }
  throw wrong_input("no setting is a date or a time", "write it as a text, in quotes", location);
}

ValueTable table_of(const toml::table& table, const Location& file) {
  ValueTable out;
  for (const auto& [key, node] : table)
    out.emplace(std::string(key.str()), value_of(node, location_of(key.source(), file), file));
  return out;
}

// The parser nests one table per dot of a key, and takes them apart by recursion: a key of a hundred thousand dots
// would exhaust the stack. Text inside quotes is passed over.
void refuse_deep_keys(std::string_view text, const Location& file) {
  constexpr int most_dots = 100;
  int dots = 0, line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == '"' || c == '\'') {
      const bool block = text.substr(i, 3) == std::string_view(c == '"' ? "\"\"\"" : "'''");
      i += block ? 3 : 1;
      for (; i < text.size(); ++i) {
        if (text[i] == '\n' && (++line, !block)) break;
        if (text[i] == '\\' && c == '"') ++i;
        else if (text[i] == c && (!block || text.substr(i, 3) == std::string(3, c))) break;
      }
      if (block) i += 2;
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '.') {
      if (++dots > most_dots)
        throw wrong_input(fmt::format("the key has more than {} parts", most_dots), "use fewer dots",
                          {file.file, line, 0, file.kind});
    } else if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) {
      dots = 0;
    }
  }
}

std::string_view line_of(std::string_view text, int line) {
  for (int i = 1; i < line && !text.empty(); ++i) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

// The value of this line if it is a range without quotes, as in seed = 0..4; else empty.
std::string open_range(std::string_view text, int line) {
  text = line_of(text, line);
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return {};
  const std::string_view value = trimmed(text.substr(equals + 1));
  const bool range = value.find("..") != value.npos && value.find_first_of("\"'[]{}#") == value.npos;
  return std::string(range ? value : "");
}

// The column of a quote in this line that opens a text which the line does not close; 0: there is none.
int open_quote(std::string_view text, int line) {
  text = line_of(text, line);
  if (text.find("\"\"\"") != text.npos || text.find("'''") != text.npos) return 0;  // closed on another line
  int opened = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!quote && c == '#') break;
    if (quote == '"' && c == '\\') ++i;
    else if (quote && c == quote) quote = 0;
    else if (!quote && (c == '"' || c == '\'')) quote = c, opened = static_cast<int>(i) + 1;
  }
  return quote ? opened : 0;
}

// The key of this line up to the part at this column: model.p of model.p.x = 3.
std::string_view key_until(std::string_view text, const Location& location) {
  text = line_of(text, location.line);
  const std::size_t begin = std::min(static_cast<std::size_t>(std::max(location.column, 1)) - 1, text.size());
  return trimmed(text.substr(0, text.find_first_of(".= \t", begin)));
}

Error set_twice(std::string_view what, std::string_view text, const Location& location) {
  if (what.ends_with("as dotted key-value pair")) {
    const std::string_view key = key_until(text, location);
    if (what.find("existing table") != what.npos)
      return wrong_input(fmt::format("the table '{}' is complete, and a key is added to it", key),
                         "write the key into the table", location);
    return wrong_input(fmt::format("'{}' is a value, and this line makes it a table", key), "delete one of the two",
                       location);
  }
  const std::size_t begin = what.find('\''), end = what.rfind('\'');
  return wrong_input(fmt::format("'{}' is set twice", what.substr(begin + 1, end - begin - 1)), "delete one of the two",
                     location);
}

// The innermost bracket that is open at this location.
std::optional<Location> open_bracket(std::string_view text, const Location& at) {
  std::vector<Location> open;
  char quote = 0;
  int line = 1, column = 0;
  for (std::size_t i = 0; i < text.size() && (line < at.line || column + 1 < at.column); ++i) {
    const char c = text[i];
    ++column;
    if (quote) {
      if (c == '\\' && quote == '"') ++i, ++column;
      else if (c == quote || c == '\n') quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '[' || c == '{') {
      open.push_back({at.file, line, column, at.kind});
    } else if ((c == ']' || c == '}') && !open.empty()) {
      open.pop_back();
    }
    if (c == '\n') ++line, column = 0;
  }
  return open.empty() ? std::nullopt : std::optional(open.back());
}

// What the parser expected and did not see, in the words of spec files.
std::optional<Error> not_expected(std::string_view what, std::string_view text, const Location& location) {
  const bool end = what.find("end-of-file") != what.npos;
  const std::string_view line = trimmed(line_of(text, location.line));
  if (what.find("expected value, saw") != what.npos || (end && line.ends_with('=')))
    return wrong_input("no value follows the '='", "write a number, a text in quotes, a list or a table", location);
  if (what.find("expected '=', saw ':'") != what.npos)
    return wrong_input("a ':' is written between a key and its value", "write '=' instead", location);
  if (what.find("expected '='") != what.npos) return wrong_input("a '=' is missing", "write key = value", location);
  if (const auto open = open_bracket(text, location)) {
    const bool key = line.find('=') != line.npos && std::isalpha(static_cast<unsigned char>(line.front()));
    const bool next_key = key && open->line < location.line;
    if (end || next_key || what.ends_with("saw '\\n'"))
      return wrong_input("a bracket is opened here and not closed", "close the bracket", *open);
  }
  if (what.find("expected comma") != what.npos)
    return wrong_input("two values have no comma between them", "put a comma between two values", location);
  if (what.find("expected a comment or whitespace") == what.npos) return {};
  if (line.starts_with('['))
    return wrong_input("text follows the name of a table", "write each key on a line of its own", location);
  return wrong_input("text follows the value",
                     "write one value, several values as a list [1, 2], and each key on a line of its own", location);
}

// The parser's message about `text`, in the words of spec files.
Error not_toml(std::string_view what, std::string_view text, const Location& location) {
  if (what.find("redefine existing") != what.npos) return set_twice(what, text, location);
  if (what.find("utf-8") != what.npos)
    return wrong_input("is not a text in UTF-8", "save it as UTF-8, or check that it is the right file",
                       {location.file, 0, 0, location.kind});
  if (const std::string range = open_range(text, location.line); !range.empty())
    return wrong_input("a range or a distribution needs quotes", fmt::format("write \"{}\"", range), location);
  const bool escape = what.find("escape") != what.npos && what.find("control char") == what.npos;
  if (const int column = escape ? 0 : open_quote(text, location.line))
    return wrong_input("this text has an opening quote and no closing quote", "add the closing quote",
                       {location.file, location.line, column, location.kind});
  if (std::optional<Error> error = not_expected(what, text, location)) return *std::move(error);
  if (what.find("value type") != what.npos)
    return wrong_input("the value after '=' is not valid TOML", "write a number, a text in quotes, a list or a table",
                       location);
  if (what.starts_with("Error while parsing "))
    if (const std::size_t colon = what.find(": "); colon != what.npos) what.remove_prefix(colon + 2);
  return wrong_input(fmt::format("not TOML: {}", what), "check the quotes, brackets and commas of this line", location);
}

// The bracket that is missing in a list or a table; 0: none is.
char missing_bracket(std::string_view text) {
  std::string open;  // the brackets that must follow, the next one last
  char quote = 0;
  for (const char c : text) {
    if (quote || c == '"' || c == '\'') {
      quote = !quote ? c : c == quote ? '\0' : quote;
    } else if (c == '[' || c == '{') {
      open += c == '[' ? ']' : '}';
    } else if (c == ']' || c == '}') {
      if (open.empty()) return 0;
      if (open.back() != c) return open.back();
      open.pop_back();
    }
  }
  return open.empty() ? '\0' : open.back();
}

// Its parts are where it is: columns within it mean nothing to a person.
void locate(Value& value, const Location& location) {
  value.location = location;
  if (auto* const list = std::get_if<ValueList>(&value.data))
    for (Value& item : *list) locate(item, location);
  if (auto* const table = std::get_if<ValueTable>(&value.data))
    for (auto& [key, item] : *table) locate(item, location);
}

}  // namespace

ValueTable parse_table(const std::string& toml_text, const std::string& file_name, Location::Kind kind) {
  const Location file{file_name, 0, 0, kind};
  refuse_deep_keys(toml_text, file);
  try {
    return table_of(toml::parse(toml_text), file);
  } catch (const toml::parse_error& error) {
    throw not_toml(error.description(), toml_text, location_of(error.source(), file));
  }
}

Value parse_value(const std::string& words, const Location& location) {
  const std::string text(trimmed(words));
  if (text.find('\n') == std::string::npos) {
    try {
      ValueTable table = parse_table("value = " + text, location.file);
      Value& value = table.at("value");
      locate(value, location);
      return std::move(value);
    } catch (const Error&) {  // not TOML: the words themselves
    }
  }
  if (text.starts_with('[') || text.starts_with('{')) {
    if (const char bracket = missing_bracket(text))
      throw wrong_input(fmt::format("a {} is missing in the value", bracket), "close every bracket", location);
    throw wrong_input(fmt::format("the value is not a valid {}", text.front() == '[' ? "list" : "table"),
                      "put each text in quotes, and a comma between two values", location);
  }
  return {text, location};
}

}  // namespace fovea
