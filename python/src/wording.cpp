#include "python/src/wording.h"

#include <fmt/format.h>

#include <cmath>

namespace fovea::python {

namespace {

struct Literal {
  std::string operator()(bool x) const { return x ? "True" : "False"; }
  std::string operator()(double x) const {
    return std::isfinite(x) ? Value{x, {}}.text() : fmt::format("float(\"{}\")", exact_text(x));
  }
  std::string operator()(const ValueList& list) const {
    std::string text;
    for (const Value& item : list) text += (text.empty() ? "" : ", ") + python_literal(item);
    return '[' + text + ']';
  }
  std::string operator()(const ValueTable& table) const {
    std::string text;
    for (const auto& [key, item] : table)
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", python_literal({key, {}}), python_literal(item));
    return '{' + text + '}';
  }
  std::string operator()(const auto& x) const { return Value{x, {}}.text(); }  // as in TOML
};

constexpr std::string_view python_words[] = {
    "",  // a sentence of its own
#define REMEDY(code, plain, program, python) python,
#include "fovea/base/error/remedies.inc"
#undef REMEDY
};

class PythonWording : public Wording {
 public:
  // A dict without a name has no position, and what else is no file is an argument.
  std::string location(const Location& location) const override {
    if (location.kind == Location::Kind::setting || location.kind == Location::Kind::argument)
      return location.file.find('=') == std::string::npos ? location.file + '=' : location.file;
    return location.kind == Location::Kind::spec && location.file == "python" ? std::string() : location.text();
  }

 private:
  std::string_view words(Remedy::Code code) const override { return python_words[static_cast<std::size_t>(code)]; }
  // train.keep_weights is an argument of its own, as all of train are; other settings stand in a dict.
  std::string setting(const std::string& name, const Value& value) const override {
    constexpr std::string_view of_train = "train.";
    if (name.starts_with(of_train))
      return fmt::format("{}={}", std::string_view(name).substr(of_train.size()), python_literal(value));
    return fmt::format("set={{\"{}\": {}}}", name, python_literal(value));
  }
};

// A spec that was given as a dict, or beside one.
class DictWording : public PythonWording {
  std::string kind(ValueKind kind) const override {
    if (kind == ValueKind::truth) return "True or False";
    if (kind == ValueKind::table) return "a dict";
    return kind == ValueKind::tables ? "a list of dicts" : name_of(kind);
  }
  std::string literal(const Value& value) const override { return python_literal(value); }
  std::string entry(const std::string& key, const Value& value) const override {
    return fmt::format("{}: {}", python_literal({key, {}}), literal(value));
  }
  std::string tables(const std::string& key) const override { return fmt::format("\"{}\": [{{…}}, …]", key); }

  // What is wrong in a file is said in the file's own words.
  const Wording& at(const Location& location) const override {
    static const PythonWording of_files;
    if (location.known() && location.kind == Location::Kind::file) return of_files;
    return *this;
  }
};

}  // namespace

std::string python_literal(const Value& value) { return std::visit(Literal(), value.data); }

const Wording& python_wording() {
  static const DictWording wording;
  return wording;
}

}  // namespace fovea::python
