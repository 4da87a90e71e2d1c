// Store::State: the open database, its words, and how values are stored in it (room lab/store). The files of the
// store alone share it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fovea/lab/store/sqlite_statement.h"
#include "fovea/lab/store/store.h"

namespace fovea {

struct Store::State {
  explicit State(std::unique_ptr<Connection> connection) : database(std::move(connection)) {}

  std::unique_ptr<Connection> database;
  Connection& db() { return *database; }
  std::filesystem::path running_folder() const { return database->file().parent_path() / "running"; }

  // What a run that was kept in this state is now: in training where somebody holds its lock, and not where nobody
  // does.
  RunState state_now(RunState kept, std::string_view hash) const;

  std::int64_t word(const std::string& text);  // its number, new if need be (inside a transaction)
  std::optional<std::int64_t> known_word(const std::string& text);
  const std::string& text_of(std::int64_t word);
  void forget_words() { numbers_.clear(), texts_.clear(); }  // after a transaction was undone

 private:
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::unordered_map<std::int64_t, std::string> texts_;
};

// The run of that hash that is done, or the one that is not; none in the bin. Each question is one that an index
// answers.
std::optional<std::int64_t> run_of_hash(Connection& database, const std::string& hash, bool done);

RunSpec spec_of(std::string_view text, const Location& location);  // of the table specs; its seed is 0

void delete_run(Connection& database, std::int64_t id);  // for good, with all that belongs to it in the store

// Of a row of "SELECT id, experiment, hash, seed, state, error, version, machine, started, seconds, steps, spec,
// removed, arithmetic FROM runs". Of the spec it sets the seed only. Lists have many rows, so a record is filled
// where it lies.
void read_row(Store::State& state, SqliteStatement& row, RunRecord& run);

// Settings lie flat and typed.
void bind_setting(SqliteStatement& statement, int kind_index, int value_index, const Value& value, std::string& text);
Value read_setting(const SqliteStatement& row, int kind_column, int value_column);
void set_setting(RunSpec& spec, const std::string& dotted, std::optional<Value> value);  // none: takes it away

// Blobs are the values' own bytes, little-endian. A blob that is no whole number of values loses its last bytes: who
// reads it compares the count with what it must be.
template <class T>
void read_blob(std::span<const std::byte> blob, std::vector<T>& values) {
  values.resize(blob.size() / sizeof(T));
  std::ranges::copy(blob.first(values.size() * sizeof(T)), std::as_writable_bytes(std::span(values)).begin());
}

void read_series(const SqliteStatement& row, int steps_column, int values_column, const Location& location,
                 Series& series);
[[nodiscard]] Error damaged(const std::string& what, const Location& location);

// Named metrics and settings of many runs, read alongside them: runs must come by rising id.
class Columns {
 public:
  Columns(Store::State& state, const std::set<std::string>& names, bool with_series);
  // Into run.spec, for the number of its spec, and into run.series, for run.id. A record may be used again for the next
  // run.
  void read_settings(RunRecord& run, std::int64_t spec) const;
  void read_metrics(RunRecord& run);

 private:
  struct Setting {
    std::string name;
    std::unordered_map<std::int64_t, Value> of_spec;
  };
  struct Metric {
    std::string name;
    SqliteStatement rows;
    bool started = false, ended = false;
    bool find(std::int64_t run);  // whether that run has it; its row is then the present one
  };

  Location location_;
  bool with_series_;
  std::vector<Setting> settings_;
  std::vector<Metric> metrics_;
};

}  // namespace fovea
