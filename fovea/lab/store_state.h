// What the files of the store share: the open database, its words, and how values lie in it.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fovea/lab/statement.h"
#include "fovea/lab/store.h"

namespace fovea {

struct Store::State {
  explicit State(std::unique_ptr<Connection> connection) : database(std::move(connection)) {}

  std::unique_ptr<Connection> database;
  Connection& db() { return *database; }

  std::int64_t word(const std::string& text);  // its number, new if need be (inside a transaction)
  std::optional<std::int64_t> known_word(const std::string& text);
  const std::string& text_of(std::int64_t word);
  void forget_words() { numbers_.clear(), texts_.clear(); }  // after a transaction was undone

 private:
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::unordered_map<std::int64_t, std::string> texts_;
};

// Of a row of "SELECT id, experiment, hash, seed, state, error, version, machine, started, seconds, steps FROM runs".
RunRecord read_row(Store::State& state, Statement& row);

// Settings lie flat and typed.
void bind_setting(Statement& statement, int kind_index, int value_index, const Value& value, std::string& text);
Value read_setting(const Statement& row, int kind_column, int value_column);
void flatten(const ValueTable& table, const std::string& prefix,
             std::vector<std::pair<std::string, const Value*>>& out);
void set_setting(RunSpec& spec, const std::string& dotted, std::optional<Value> value);  // none: takes it away

// Blobs are the values' own bytes, little-endian. A blob that is no whole number of values loses its last bytes: who
// reads it compares the count with what it must be.
template <class T>
std::vector<T> from_blob(std::span<const std::byte> blob) {
  std::vector<T> values(blob.size() / sizeof(T));
  std::ranges::copy(blob.first(values.size() * sizeof(T)), std::as_writable_bytes(std::span(values)).begin());
  return values;
}

Series read_series(const Statement& row, int steps_column, int values_column, const Place& place);
[[nodiscard]] Error damaged(const std::string& what, const Place& place);

// Named metrics and settings of many runs, read alongside them: runs must come by rising id.
class Columns {
 public:
  Columns(Store::State& state, const std::set<std::string>& names, bool with_series);
  void read(RunRecord& run);  // into run.series and run.spec, for run.id

 private:
  struct Cursor {
    std::string name;
    Statement statement;
    bool ended = false;
    bool started = false;
    bool seek(std::int64_t run);  // to the row of that run, if it has one
  };
  Place place_;
  bool with_series_;
  std::vector<Cursor> settings_, metrics_;
};

}  // namespace fovea
