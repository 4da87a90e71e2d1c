#include "fovea/lab/store/store_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "fovea/io/half.h"
#include "fovea/lab/record/held_name.h"

namespace fovea {

namespace {

std::string shape_text(const std::vector<Index>& shape) { return fmt::format("{}", fmt::join(shape, " ")); }

// The sizes of "20 40 40", and how many values that makes; none if the text is no shape.
std::optional<std::pair<std::vector<Index>, std::size_t>> read_shape(std::string_view text) {
  std::vector<Index> shape;
  std::size_t count = 1;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    Index size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < 0) return std::nullopt;
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(size), &count)) return std::nullopt;
    shape.push_back(size);
    at = next;
    if (at != end && *at++ != ' ') return std::nullopt;
  }
  return std::pair{std::move(shape), count};
}

}  // namespace

bool fits_half(const ArrayRecord& array) {
  const bool attention =
      array.name == "attention" || array.name == held_name("attention") || array.name.starts_with("attention.");
  if (attention && std::ranges::all_of(array.values, [](float x) { return x >= 0 && x <= 1; })) return true;
  return std::ranges::all_of(array.values, [](float x) {
    return std::bit_cast<std::uint32_t>(from_half(to_half(x))) == std::bit_cast<std::uint32_t>(x);
  });
}

void keep_arrays(Store::State& state, std::int64_t id, std::span<const ArrayRecord> arrays) {
  SqliteStatement insert = state.db().prepare(
      "INSERT INTO arrays (run, place, name, step, shape, half, points) VALUES (?, ?, ?, ?, ?, ?, ?)");
  std::vector<Half> halves;
  std::int64_t place = 0;
  for (const ArrayRecord& array : arrays) {
    const std::string shape = shape_text(array.shape);
    if (const auto read = read_shape(shape); !read || read->second != array.values.size())
      throw failure(
          fmt::format("the array '{}' has {} values and the shape [{}]", array.name, array.values.size(), shape),
          "this is an error of the program that made it");
    const bool half = fits_half(array);
    insert.bind(1, id)
        .bind(2, place++)
        .bind(3, state.word(array.name))
        .bind(4, array.step)
        .bind(5, shape)
        .bind(6, std::int64_t{half});
    if (half) {
      halves.resize(array.values.size());
      std::ranges::transform(array.values, halves.begin(), to_half);
      insert.bind(7, std::as_bytes(std::span(halves)));
    } else {
      insert.bind(7, std::as_bytes(std::span(array.values)));
    }
    insert.run();
  }
}

std::vector<ArrayRecord> read_arrays(Store::State& state, std::int64_t id, const std::string& name) {
  std::vector<ArrayRecord> arrays;
  std::vector<Half> halves;
  const auto word = name.empty() ? std::nullopt : state.known_word(name);
  if (!name.empty() && !word) return arrays;
  SqliteStatement rows = state.db().prepare(
      "SELECT name, step, shape, half, points FROM arrays WHERE run = ?1 AND (?2 IS NULL OR name = ?2) ORDER BY place");
  rows.bind(1, id);
  if (word) rows.bind(2, *word);
  while (rows.next()) {
    ArrayRecord array;
    array.name = state.text_of(rows.integer(0));
    array.step = rows.integer(1);
    if (rows.integer(3)) {
      read_blob(rows.blob(4), halves);
      array.values.resize(halves.size());
      std::ranges::transform(halves, array.values.begin(), from_half);
    } else {
      read_blob(rows.blob(4), array.values);
    }
    auto shape = read_shape(rows.text(2));
    if (!shape || shape->second != array.values.size())
      throw damaged(fmt::format("the array '{}' of run {} does not fill its shape", array.name, id),
                    {state.db().file().string()});
    array.shape = std::move(shape->first);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

std::vector<ArrayShape> read_array_shapes(Store::State& state, std::int64_t id) {
  std::vector<ArrayShape> shapes;
  SqliteStatement rows = state.db().prepare("SELECT name, step, shape FROM arrays WHERE run = ? ORDER BY place");
  rows.bind(1, id);
  while (rows.next()) {
    std::string name = state.text_of(rows.integer(0));
    auto shape = read_shape(rows.text(2));
    if (!shape)
      throw damaged(fmt::format("the array '{}' of run {} has no shape that can be read", name, id),
                    {state.db().file().string()});
    shapes.push_back({std::move(name), rows.integer(1), std::move(shape->first)});
  }
  return shapes;
}

}  // namespace fovea
