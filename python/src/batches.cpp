#include "python/src/batches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/numpy.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "fovea/base/error/names.h"

namespace fovea::python {

namespace {

constexpr std::array<std::pair<const char*, Kind>, 6> kinds{{{"labelled_tokens", Kind::labelled_tokens},
                                                             {"token_pairs", Kind::token_pairs},
                                                             {"labelled_vectors", Kind::labelled_vectors},
                                                             {"labelled_bags", Kind::labelled_bags},
                                                             {"points", Kind::points},
                                                             {"token_streams", Kind::token_streams}}};

constexpr long long most_of_a_size = 10'000'000;

constexpr std::pair<const char*, int TaskShape::*> sizes[] = {{"vocab", &TaskShape::vocab},
                                                              {"target_vocab", &TaskShape::target_vocab},
                                                              {"start_token", &TaskShape::start_token},
                                                              {"end_token", &TaskShape::end_token},
                                                              {"classes", &TaskShape::classes},
                                                              {"width", &TaskShape::width},
                                                              {"value_width", &TaskShape::value_width},
                                                              {"most_items", &TaskShape::most_items},
                                                              {"longest", &TaskShape::longest}};

// Reads the parts of one batch, and says of each what is wrong with it.
class Parts {
 public:
  Parts(const py::dict& parts, const std::string& owner) : parts_(parts), owner_(owner) {}

  const std::string& owner() const { return owner_; }
  bool has(const char* name) const { return parts_.contains(name) && !parts_[name].is_none(); }

  template <class T>
  py::array_t<T, py::array::c_style | py::array::forcecast> array(const char* name, int rank) const {
    constexpr bool whole = std::is_integral_v<T>;
    if (!has(name)) throw wrong_input(fmt::format("{} gave no '{}'", owner_, name), "a batch is a dict that has it");
    const auto given = py::array::ensure(parts_[name]);
    if (!given) {
      PyErr_Clear();
      throw wrong_input(fmt::format("'{}' of {} is no array", name, owner_), "give one of equal rows");
    }
    if (given.ndim() > 0 && given.shape(0) == 0)
      throw wrong_input(fmt::format("'{}' of {} is empty", name, owner_), "give one example at least");
    const char kind = given.dtype().kind();
    const bool fits = kind == 'i' || kind == 'u' || kind == 'b' || (!whole && kind == 'f');
    if (!fits)
      throw wrong_input(fmt::format("'{}' of {} must be {}, not {}", name, owner_, whole ? "whole numbers" : "numbers",
                                    py::str(given.dtype()).cast<std::string>()),
                        whole ? "give an integer dtype" : "give a float or integer dtype");
    if (given.ndim() != rank) wrong_shape(name, given, fmt::format("{} dimension{}", rank, rank == 1 ? "" : "s"));
    if constexpr (whole) require_narrow<T>(name, given);
    const py::array_t<T, py::array::c_style | py::array::forcecast> values = given;
    if constexpr (!whole) require_finite(name, values.data(), values.size());
    return values;
  }

  void require(const char* name, const py::array& array, int axis, py::ssize_t size, const char* what) const {
    if (array.shape(axis) != size) wrong_shape(name, array, fmt::format("{} {}", size, what));
  }

  // That all fit into T, as they were given: a conversion would take them by their lower bits.
  template <class T>
  void require_narrow(const char* name, const py::array& given) const {
    const py::dtype type = given.dtype();
    if (given.size() == 0 || type.kind() == 'b' || type.is(py::dtype::of<T>())) return;
    const py::int_ low(std::numeric_limits<T>::min()), high(std::numeric_limits<T>::max());
    for (const char* end : {"min", "max"}) {
      const py::int_ value(given.attr(end)());
      if (value < low || value > high)
        throw wrong_input(
            fmt::format("'{}' of {} has {}, and must be {} to {}", name, owner_, py::str(value).cast<std::string>(),
                        std::numeric_limits<T>::min(), std::numeric_limits<T>::max()),
            "see the sizes that the task gives");
    }
  }

  void require_finite(const char* name, const float* values, py::ssize_t count) const {
    if (std::all_of(values, values + count, [](float x) { return std::isfinite(x); })) return;
    throw wrong_input(fmt::format("'{}' of {} has a value that is not finite, or too large for float32", name, owner_),
                      "give finite numbers below 3e38");
  }

  // Values in [low, high).
  void require_within(const char* name, const int* values, py::ssize_t count, int low, int high) const {
    for (py::ssize_t i = 0; i < count; ++i)
      if (values[i] < low || values[i] >= high)
        throw wrong_input(
            fmt::format("'{}' of {} has {}, and must be {} to {}", name, owner_, values[i], low, high - 1),
            "see the sizes that the task gives");
  }

  // What a stream is asked: a token, or -1, at each position of the source.
  Tokens asked(const char* name, int vocab, const Tokens& source) const {
    const auto ids = array<int>(name, 2);
    require_within(name, ids.data(), ids.size(), -1, vocab);
    require(name, ids, 0, source.rows, "rows, as 'source' has");
    require(name, ids, 1, source.columns, "columns, as 'source' has");
    Tokens tokens = source;
    std::copy_n(ids.data(), ids.size(), tokens.ids.begin());
    for (int row = 0; row < tokens.rows; ++row)
      for (int position = tokens.lengths[static_cast<std::size_t>(row)]; position < tokens.columns; ++position)
        if (tokens.at(row, position) >= 0)
          throw wrong_input(fmt::format("row {} of '{}' of {} asks behind the end of its source", row, name, owner_),
                            "-1 marks positions that ask nothing");
    return tokens;
  }

  Tokens tokens(const char* name, int vocab) const {
    const auto ids = array<int>(name, 2);
    require_within(name, ids.data(), ids.size(), -1, vocab);
    if (ids.shape(1) == 0)
      throw wrong_input(fmt::format("the rows of '{}' of {} are empty", name, owner_), "give them a token at least");
    Tokens tokens;
    tokens.resize(static_cast<int>(ids.shape(0)), static_cast<int>(ids.shape(1)));
    std::copy_n(ids.data(), ids.size(), tokens.ids.begin());
    for (int row = 0; row < tokens.rows; ++row) {
      const int* const begin = ids.data(row, 0);
      const int* const end = std::find(begin, begin + tokens.columns, -1);
      if (std::any_of(end, begin + tokens.columns, [](int id) { return id != -1; }))
        throw wrong_input(fmt::format("row {} of '{}' of {} goes on behind a -1", row, name, owner_),
                          "-1 is only allowed behind the end of a row");
      if (end == begin)
        throw wrong_input(fmt::format("row {} of '{}' of {} is empty", row, name, owner_), "leave it out");
      tokens.lengths[static_cast<std::size_t>(row)] = static_cast<int>(end - begin);
    }
    return tokens;
  }

  Items matrix(const char* name, int width) const {  // one row of items
    const auto values = array<float>(name, 2);
    require(name, values, 1, width, "numbers each");
    Items items;
    items.resize(1, static_cast<int>(values.shape(0)), width);
    std::copy_n(values.data(), values.size(), items.values.begin());
    return items;
  }

  std::vector<int> labels(py::ssize_t rows, int classes) const {
    const auto labels = array<int>("labels", 1);
    require("labels", labels, 0, rows, "labels, one for each example");
    require_within("labels", labels.data(), labels.size(), 0, classes);
    return {labels.data(), labels.data() + labels.size()};
  }

 private:
  [[noreturn]] void wrong_shape(const char* name, const py::array& array, const std::string& wanted) const {
    const std::vector<py::ssize_t> shape(array.shape(), array.shape() + array.ndim());
    throw wrong_input(fmt::format("'{}' of {} has the shape ({}{})", name, owner_, fmt::join(shape, ", "),
                                  shape.size() == 1 ? "," : ""),
                      fmt::format("it must have {}", wanted));
  }

  const py::dict& parts_;
  const std::string& owner_;
};

void fill_tokens(const TaskShape& shape, const Parts& parts, Batch& batch) {
  batch.source = parts.tokens("source", shape.vocab);
  batch.size = batch.source.rows;
  if (shape.kind == Kind::labelled_tokens) {
    batch.labels = parts.labels(batch.size, shape.classes);
    if (!parts.has("marked")) return;
    const auto marked = parts.array<std::uint8_t>("marked", 2);
    parts.require("marked", marked, 0, batch.size, "rows");
    parts.require("marked", marked, 1, batch.source.columns, "columns, as 'source' has");
    batch.marked.assign(marked.data(), marked.data() + marked.size());
    return;
  }
  const bool stream = shape.kind == Kind::token_streams;
  if (stream && batch.source.columns > shape.longest)
    throw wrong_input(fmt::format("'source' of {} has {} positions", parts.owner(), batch.source.columns),
                      fmt::format("the longest of the task has {}", shape.longest));
  batch.target =
      stream ? parts.asked("target", shape.target_vocab, batch.source) : parts.tokens("target", shape.target_vocab);
  if (batch.target.rows != batch.size)
    throw wrong_input(fmt::format("there are {} rows of 'source' and {} of 'target' in {}", batch.size,
                                  batch.target.rows, parts.owner()),
                      "give one for each");
  if (!parts.has("alignment")) return;
  const auto alignment = parts.array<int>("alignment", 2);
  parts.require("alignment", alignment, 0, batch.size, "rows");
  parts.require("alignment", alignment, 1, batch.target.columns, "columns, as 'target' has");
  parts.require_within("alignment", alignment.data(), alignment.size(), -1, batch.source.columns);
  batch.alignment.assign(alignment.data(), alignment.data() + alignment.size());
}

void fill_items(const TaskShape& shape, const Parts& parts, Batch& batch) {
  const bool bags = shape.kind == Kind::labelled_bags;
  const auto values = parts.array<float>("items", bags ? 3 : 2);
  parts.require("items", values, bags ? 2 : 1, shape.width, "numbers each");
  const auto rows = static_cast<int>(values.shape(0)), columns = bags ? static_cast<int>(values.shape(1)) : 1;
  if (columns == 0)
    throw wrong_input(fmt::format("the bags of {} are empty", parts.owner()), "give them an item at least");
  if (bags && columns > shape.most_items) parts.require("items", values, 1, shape.most_items, "items at most");
  batch.items.resize(rows, columns, shape.width);
  std::copy_n(values.data(), values.size(), batch.items.values.begin());
  if (bags && parts.has("lengths")) {
    const auto lengths = parts.array<int>("lengths", 1);
    parts.require("lengths", lengths, 0, rows, "lengths, one for each bag");
    parts.require_within("lengths", lengths.data(), lengths.size(), 1, columns + 1);
    batch.items.lengths.assign(lengths.data(), lengths.data() + lengths.size());
    for (int row = 0; row < rows; ++row)  // absent items are zero
      for (int column = batch.items.lengths[static_cast<std::size_t>(row)]; column < columns; ++column)
        std::fill_n(batch.items.item(row, column), shape.width, 0.0f);
  }
  batch.size = rows;
  batch.labels = parts.labels(rows, shape.classes);
}

void fill_points(const TaskShape& shape, const Parts& parts, Batch& batch) {
  batch.size = 1;
  batch.items = parts.matrix("keys", shape.width);
  batch.values = parts.matrix("values", shape.value_width);
  if (batch.values.columns != batch.items.columns)
    throw wrong_input(
        fmt::format("there are {} keys and {} values in {}", batch.items.columns, batch.values.columns, parts.owner()),
        "give a value for each key");
  batch.queries = parts.matrix("queries", shape.width);
  batch.answers = parts.has("answers") ? parts.matrix("answers", shape.value_width) : Items();
}

int size_of(const char* name, const py::object& given) {
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(given.ptr()));
  int overflow = 1;
  long long size = 0;
  if (number) size = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  else PyErr_Clear();
  if (!number || overflow != 0 || size < -1 || size > most_of_a_size)
    throw wrong_input(fmt::format("'{}' of the task is {}", name, py::repr(given).cast<std::string>()),
                      fmt::format("it must be a whole number, {} at most", most_of_a_size));
  return static_cast<int>(size);
}

// What a kind of task needs of its sizes.
void require_sizes(const TaskShape& shape) {
  const auto at_least = [&](const char* name, int size, int least) {
    if (size < least)
      throw wrong_input(fmt::format("'{}' of the task is {}", name, size), fmt::format("it must be {} or more", least));
  };
  const auto token = [&](const char* name, int id) {
    if (id < 0 || id >= shape.target_vocab)
      throw wrong_input(fmt::format("'{}' of the task is {}", name, id),
                        fmt::format("it must be one of the {} words of the target, 0 to {}", shape.target_vocab,
                                    shape.target_vocab - 1));
  };
  const Kind kind = shape.kind;
  if (has_source(kind)) at_least("vocab", shape.vocab, 1);
  else at_least("width", shape.width, 1);
  if (kind == Kind::token_pairs) {
    at_least("target_vocab", shape.target_vocab, 1);
    token("start_token", shape.start_token);
    token("end_token", shape.end_token);
  } else if (kind == Kind::token_streams) {
    at_least("target_vocab", shape.target_vocab, 1);
    at_least("longest", shape.longest, 1);
  } else if (kind == Kind::points) {
    at_least("value_width", shape.value_width, 1);
  } else {
    at_least("classes", shape.classes, 2);
  }
  if (kind == Kind::labelled_bags) at_least("most_items", shape.most_items, 1);
}

}  // namespace

Kind kind_of(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, kind] : kinds) {
    if (name == known) return kind;
    names.emplace_back(known);
  }
  throw wrong_input(fmt::format("there is no kind of task '{}'", name), suggest_name(name, names));
}

TaskShape shape_of(const py::dict& facts) {
  TaskShape shape;
  shape.kind = kind_of(facts["kind"].cast<std::string>());
  for (const auto& [name, member] : sizes)
    if (facts.contains(name)) shape.*member = size_of(name, facts[name]);
  require_sizes(shape);
  return shape;
}

py::dict facts_of(const TaskShape& shape) {
  py::dict facts;
  for (const auto& [name, member] : sizes) facts[name] = shape.*member;
  return facts;
}

void fill_batch(const TaskShape& shape, const py::dict& given, const std::string& owner, Batch& batch) {
  const Parts parts(given, owner);
  batch = {};
  switch (shape.kind) {
    case Kind::labelled_tokens:
    case Kind::token_pairs:
    case Kind::token_streams:
      fill_tokens(shape, parts, batch);
      break;
    case Kind::labelled_vectors:
    case Kind::labelled_bags:
      fill_items(shape, parts, batch);
      break;
    case Kind::points:
      fill_points(shape, parts, batch);
      break;
    case Kind::tagged_tokens:
    case Kind::accesses:
      break;  // have no name among the kinds that can be given
  }
}

}  // namespace fovea::python
