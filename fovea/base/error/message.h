// The text of an error, as data: a Message (a sentence) and a Remedy (what to do about it) (room base/error). Error
// has one of each; all rooms that throw create them.
//
// The library knows neither the commands of the program nor the calls of the Python package. If a sentence depends on
// its reader, the message contains data. Each front end words the data itself (base/error/wording.h).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fovea/base/error/value.h"

namespace fovea {

// A sentence. Most are plain text; in some stand values and kinds of values, which a spec file writes in one way (true,
// { a = 1 }, a table) and Python in another (True, {"a": 1}, a dict).
class Message {
 public:
  // A line of a table: name = "copy".
  struct Entry {
    std::string key;
    Value value;
  };
  // The key of a list of tables: [[claim]].
  struct Tables {
    std::string key;
  };
  using Piece = std::variant<std::string, ValueKind, Value, Entry, Tables>;

  Message() = default;
  Message(std::string text) : pieces_{std::move(text)} {}
  Message(const char* text) : Message(std::string(text)) {}
  explicit Message(std::string_view text) : Message(std::string(text)) {}
  explicit Message(std::integral auto number) : Message(std::to_string(number)) {}
  Message(ValueKind kind) : pieces_{kind} {}
  explicit Message(Value value) : pieces_{std::move(value)} {}
  Message(Entry entry) : pieces_{std::move(entry)} {}
  Message(Tables tables) : pieces_{std::move(tables)} {}

  const std::vector<Piece>& pieces() const { return pieces_; }
  void append(const Message& other) { pieces_.insert(pieces_.end(), other.pieces_.begin(), other.pieces_.end()); }
  void append(Piece piece) { pieces_.push_back(std::move(piece)); }

  bool empty() const;
  std::string text() const;  // in plain words

 private:
  std::vector<Piece> pieces_;
};

// message("{} must be {}, not {}", key, ValueKind::table, value.kind()): each {} is the next of the parts.
template <class... Parts>
Message message(std::string_view format, const Parts&... parts) {
  Message made;
  const auto add_text_before = [&](std::size_t end) {
    made.append(Message::Piece(std::string(format.substr(0, end))));
    format.remove_prefix(end == std::string_view::npos ? format.size() : end + 2);
  };
  ((add_text_before(format.find("{}")), made.append(Message(parts))), ...);
  add_text_before(std::string_view::npos);
  return made;
}

// How many arguments stand in the words of a remedy.
constexpr std::size_t arguments_in(std::string_view words) {
  std::size_t count = 0;
  for (std::size_t open = words.find('<'); open != std::string_view::npos; open = words.find('<', open + 1)) {
    const char next = words[open + 1];
    if (next >= '0' && next <= '9') count = std::max(count, static_cast<std::size_t>(next - '0') + 1);
    if (words.substr(open).starts_with("<set>")) count = std::max<std::size_t>(count, 2);
  }
  return count;
}

// What to do: a sentence that holds for everybody, or a code with arguments for what the program, the Python package
// and the page do in different ways. Sentences begin with a small letter and have no final full stop.
struct Remedy {
  enum class Code {
    sentence,
#define REMEDY(code, plain, program, python) code,
#include "fovea/base/error/remedies.inc"
#undef REMEDY
    count_  // not a code: how many there are
  };

  Code code = Code::sentence;
  std::vector<Value> arguments;
  Message sentence;

  Remedy() = default;
  Remedy(Message text) : sentence(std::move(text)) {}
  Remedy(std::string text) : sentence(std::move(text)) {}
  Remedy(const char* text) : sentence(text) {}
  Remedy(Code what, std::initializer_list<Value> with) : code(what), arguments(with) {}

// Remedy::resume_run(12), of as many arguments as stand in the words.
#define REMEDY(code, plain, program, python)                                                     \
  template <class... Arguments>                                                                  \
  static Remedy code(Arguments... arguments) {                                                   \
    static_assert(sizeof...(Arguments) ==                                                        \
                  std::max({arguments_in(plain), arguments_in(program), arguments_in(python)})); \
    return {Code::code, {argument(std::move(arguments))...}};                                    \
  }
#include "fovea/base/error/remedies.inc"
#undef REMEDY

  bool empty() const { return code == Code::sentence && sentence.empty(); }
  std::string text() const;  // in plain words
  // The known name that is nearest to the one that was given; empty where there is none.
  std::string nearest() const;

 private:
  static Value argument(Value value) { return value; }
  static Value argument(std::string text) { return {std::move(text), {}}; }
  static Value argument(const char* text) { return argument(std::string(text)); }
  static Value argument(ValueList list) { return {std::move(list), {}}; }
  static Value argument(bool flag) { return {flag, {}}; }
  static Value argument(std::integral auto number) { return {static_cast<std::int64_t>(number), {}}; }
};

}  // namespace fovea
