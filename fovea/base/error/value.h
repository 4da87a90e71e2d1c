// Value: a typed value as a person writes it in a spec, with its location (room base/error). io/toml_reader.h creates
// values. Settings, specs, claims and error messages read them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "fovea/base/error/location.h"

namespace fovea {

struct Value;
using ValueList = std::vector<Value>;
using ValueTable = std::map<std::string, Value>;  // sorted, so that a canonical text is the same for the same settings

enum class ValueKind { truth, integer, number, text, list, table, tables };  // the last: a list of tables

struct Value {
  std::variant<bool, std::int64_t, double, std::string, ValueList, ValueTable> data = false;
  Location location;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&data);
  }
  ValueKind kind() const { return static_cast<ValueKind>(data.index()); }
  std::string text() const;  // as TOML writes it, on one line; doubles in shortest exact form
  bool operator==(const Value& other) const { return data == other.data; }  // locations do not matter
};

// As a spec file's reader knows them: "true or false", "an integer", "a table", …
const char* name_of(ValueKind kind);

// The shortest text that reads back as the same number: "0.1", "nan", "-inf".
std::string exact_text(double x);

}  // namespace fovea
