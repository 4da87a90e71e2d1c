#include "fovea/base/error/value.h"

#include <fmt/format.h>

#include <cmath>

namespace fovea {

namespace {

std::string float_text(double x) {
  std::string text = exact_text(x);
  if (std::isfinite(x) && text.find_first_of(".e") == std::string::npos) text += ".0";  // stays a float when read back
  return text;
}

std::string quoted(const std::string& s) {
  std::string text = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') (text += '\\') += c;
    else if (c == '\n') text += "\\n";
    else if (c == '\t') text += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else text += c;
  }
  return text + '"';
}

bool bare(const std::string& key) {
  return !key.empty() &&
         key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == std::string::npos;
}

struct Texter {
  std::string operator()(bool x) const { return x ? "true" : "false"; }
  std::string operator()(std::int64_t x) const { return fmt::format("{}", x); }
  std::string operator()(double x) const { return float_text(x); }
  std::string operator()(const std::string& s) const { return quoted(s); }
  std::string operator()(const ValueList& list) const {
    std::string text = "[";
    for (std::size_t i = 0; i < list.size(); ++i) text += (i ? ", " : "") + list[i].text();
    return text + "]";
  }
  std::string operator()(const ValueTable& table) const {
    if (table.empty()) return "{}";
    std::string text = "{ ";
    bool first = true;
    for (const auto& [key, value] : table) {
      if (!first) text += ", ";
      first = false;
      text += (bare(key) ? key : quoted(key)) + " = " + value.text();
    }
    return text + " }";
  }
};

}  // namespace

const char* name_of(ValueKind kind) {
  static constexpr const char* names[] = {"true or false", "an integer", "a number",        "a text",
                                          "a list",        "a table",    "a list of tables"};
  return names[static_cast<std::size_t>(kind)];
}

std::string Value::text() const { return std::visit(Texter{}, data); }

std::string exact_text(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  return fmt::format("{}", x);
}

}  // namespace fovea
