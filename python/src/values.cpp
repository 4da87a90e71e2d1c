#include "python/src/values.h"

#include <fmt/format.h>

#include "python/src/wording.h"

namespace fovea::python {

namespace {

Location position_of(const std::string& name) { return Location::setting(name); }

Value integer_of(py::handle object, const std::string& name) {
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!number) throw py::error_already_set();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0)
    throw wrong_input(fmt::format("the value of {} does not fit into 64 bits", name), "use a smaller one",
                      position_of(name));
  return {std::int64_t{value}, position_of(name)};
}

constexpr int deepest = 100;
constexpr std::size_t longest_shown = 40;  // in the position of a mistake
constexpr std::size_t longest = 1'000'000;

Value value_at(py::handle object, const std::string& name, int depth) {
  const Location location = position_of(name);
  if (depth > deepest)
    throw wrong_input(
        fmt::format("the value of {:.60} is more than {} lists and dicts within each other", name, deepest),
        "perhaps one contains itself", position_of(name.substr(0, 60)));
  if (py::isinstance<py::bool_>(object)) return {object.cast<bool>(), location};
  if (py::isinstance<py::str>(object)) return {text_of(object, name), location};
  if (py::isinstance<py::float_>(object)) return {object.cast<double>(), location};
  if (py::isinstance<py::dict>(object)) {
    ValueTable table;
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(object)) {
      if (!py::isinstance<py::str>(key))
        throw wrong_input(fmt::format("{} has a key that is {}, not a text", name, py::repr(key).cast<std::string>()),
                          "use texts as keys", location);
      const std::string text = text_of(key, "a key of " + name);
      table[text] = value_at(value, name + "." + text, depth + 1);
    }
    return {std::move(table), location};
  }
  if (py::hasattr(object, "tolist") && py::hasattr(object, "dtype"))
    return value_at(object.attr("tolist")(), name, depth + 1);
  if (PyIndex_Check(object.ptr())) return integer_of(object, name);
  if (py::isinstance<py::sequence>(object) || py::isinstance<py::iterator>(object) ||
      py::isinstance(object, py::type::of(py::module_::import("builtins").attr("range")(0)))) {
    ValueList list;
    for (const py::handle item : py::iter(object)) {
      if (list.size() == longest)
        throw wrong_input(fmt::format("the value of {} has more than {} entries", name, longest), "give fewer",
                          location);
      list.push_back(value_at(item, name, depth + 1));
    }
    return {std::move(list), location};
  }
  const std::string kind = py::str(py::type::handle_of(object).attr("__name__"));
  throw wrong_input(fmt::format("the value of {} is of type {}, which no setting has", name, kind),
                    "use a number, a text, True or False, a list or a dict", location);
}

}  // namespace

std::string text_of(py::handle text, const std::string& name) {
  py::ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes) return {bytes, static_cast<std::size_t>(size)};
  PyErr_Clear();
  const auto ascii = py::reinterpret_steal<py::str>(PyObject_ASCII(text.ptr()));
  throw wrong_input(
      fmt::format("{} is {}, which has a character that is not a letter", name, ascii.cast<std::string>()),
      "drop that");
}

Value value_of(py::handle object, const std::string& name) { return value_at(object, name, 0); }

py::object object_of(const Value& value) {
  struct Make {
    py::object operator()(bool x) const { return py::bool_(x); }
    py::object operator()(std::int64_t x) const { return py::int_(x); }
    py::object operator()(double x) const { return py::float_(x); }
    py::object operator()(const std::string& x) const { return py::str(x); }
    py::object operator()(const ValueList& x) const {
      py::list list;
      for (const Value& item : x) list.append(object_of(item));
      return list;
    }
    py::object operator()(const ValueTable& x) const {
      py::dict table;
      for (const auto& [key, item] : x) table[py::str(key)] = object_of(item);
      return table;
    }
  };
  return std::visit(Make(), value.data);
}

std::vector<Override> overrides_of(const py::dict& settings) {
  std::vector<Override> overrides;
  for (const auto& [key, value] : settings) {
    const std::string name = text_of(key, "the name of a setting");
    overrides.push_back({name, value_of(value, name)});
    Value& given = overrides.back().value;
    if (const std::string text = python_literal(given); text.size() <= longest_shown)
      given.location = Location::setting(fmt::format("{}={}", name, text));
  }
  return overrides;
}

py::dict dict_of(const std::vector<Override>& settings) {
  py::dict dict;
  for (const Override& one : settings) dict[py::str(one.key)] = object_of(one.value);
  return dict;
}

}  // namespace fovea::python
