#include "python/src/values.h"

#include <fmt/format.h>

namespace fovea::python {

namespace {

Place place_of(const std::string& name) { return {name + "=", 0, 0}; }

Value integer_of(py::handle object, const std::string& name) {
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!number) throw py::error_already_set();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0)
    throw wrong_input(fmt::format("the value of {} does not fit into 64 bits", name), "use a smaller one",
                      place_of(name));
  return {std::int64_t{value}, place_of(name)};
}

}  // namespace

Value value_of(py::handle object, const std::string& name) {
  const Place place = place_of(name);
  if (py::isinstance<py::bool_>(object)) return {object.cast<bool>(), place};
  if (py::isinstance<py::str>(object)) return {object.cast<std::string>(), place};
  if (py::isinstance<py::float_>(object)) return {object.cast<double>(), place};
  if (py::isinstance<py::dict>(object)) {
    ValueTable table;
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(object)) {
      if (!py::isinstance<py::str>(key))
        throw wrong_input(fmt::format("{} has a key that is {}, not a text", name, py::repr(key).cast<std::string>()),
                          "use texts as keys", place);
      const auto text = key.cast<std::string>();
      table[text] = value_of(value, name + "." + text);
    }
    return {std::move(table), place};
  }
  if (py::hasattr(object, "tolist") && py::hasattr(object, "dtype")) return value_of(object.attr("tolist")(), name);
  if (PyIndex_Check(object.ptr())) return integer_of(object, name);
  if (py::isinstance<py::sequence>(object) || py::isinstance<py::iterator>(object) ||
      py::isinstance(object, py::type::of(py::module_::import("builtins").attr("range")(0)))) {
    ValueList list;
    for (const py::handle item : py::iter(object)) list.push_back(value_of(item, name));
    return {std::move(list), place};
  }
  const std::string kind = py::str(py::type::handle_of(object).attr("__name__"));
  throw wrong_input(fmt::format("the value of {} is of type {}, which no setting has", name, kind),
                    "use a number, a text, True or False, a list or a dict", place);
}

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
    const auto name = key.cast<std::string>();
    overrides.push_back({name, value_of(value, name)});
  }
  return overrides;
}

}  // namespace fovea::python
