#include "fovea/lab/store/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <system_error>
#include <tuple>
#include <utility>

#include "fovea/base/file.h"
#include "fovea/base/flatten.h"
#include "fovea/base/old_names.h"
#include "fovea/lab/store/schema.h"
#include "fovea/lab/store/store_arrays.h"
#include "fovea/lab/store/store_labels.h"
#include "fovea/lab/store/store_state.h"

namespace fovea {

namespace {

std::string experiment_of(Connection& database, std::int64_t id) {
  SqliteStatement row =
      database.prepare("SELECT w.text FROM runs r JOIN words w ON w.id = r.experiment WHERE r.id = ?");
  row.bind(1, id).next();
  return std::string(row.text(0));
}

using Access = Connection::Access;

void set_up(Connection& database) {
  // NORMAL in WAL mode: a kill loses nothing that was committed; a power cut may lose the newest runs, never the file.
  // Room for the indices of 100 000 runs in memory (64 MB, taken as needed), and a log that is brought in every 16 MB.
  database.run(
      "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = "
      "4096");
}

std::unique_ptr<Connection> open_to_write(const std::filesystem::path& file) {
  auto database = std::make_unique<Connection>(file, Access::create);
  if (!database->writable()) database->fail(SQLITE_READONLY);
  check_version(*database);  // before anything of another program's file is changed
  database->run("PRAGMA journal_mode = WAL");
  set_up(*database);
  migrate(*database);
  return database;
}

// For a disk so full that the index which processes share does not fit beside the file: this process keeps it to
// itself, and the others wait.
std::unique_ptr<Connection> open_alone(const std::filesystem::path& file) {
  auto database = std::make_unique<Connection>(file, Access::create);
  database->run("PRAGMA locking_mode = EXCLUSIVE");
  set_up(*database);
  migrate(*database);
  return database;
}

bool nothing_beside(const std::filesystem::path& file) {  // no log of changes that are not in the file itself yet
  std::error_code error;
  const auto size = std::filesystem::file_size(file.string() + "-wal", error);
  return error || size == 0;
}

std::unique_ptr<Connection> open_to_read(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) {  // nobody ran anything yet
    auto empty = std::make_unique<Connection>(file, Access::memory);
    migrate(*empty);
    return empty;
  }
  auto database = std::make_unique<Connection>(file, Access::read);
  try {
    check_version(*database);
  } catch (const DatabaseError& error) {
    // A folder that cannot be written leaves SQLite no room for its shared index.
    if ((!error.is(SQLITE_CANTOPEN) && !error.is(SQLITE_READONLY)) || !nothing_beside(file)) throw;
    database = std::make_unique<Connection>(file, Access::immutable);
    check_version(*database);
  }
  if (schema_version(*database) < std::ssize(migrations())) {
    database.reset();
    try {
      open_to_write(file);
    } catch (const DatabaseError& error) {
      if (!error.is(SQLITE_READONLY) && !error.is(SQLITE_CANTOPEN)) throw;
      throw failure("the store of runs has the layout of an earlier version, and its update needs write access",
                    "allow writing once, or copy its folder to a writable disk and set FOVEA_HOME to the copy",
                    {file.string()});
    }
    database = std::make_unique<Connection>(file, Access::read);
  }
  set_up(*database);
  return database;
}

// The spec less its seed. One line a section, with quotes wherever a key needs them and with the sections that are
// empty.
std::string spec_text(const ValueTable& table) {
  std::string text;
  for (const auto& [section, value] : table)
    if (section != "seed") text += section + " = " + value.text() + "\n";
  return text;
}

// The number of the spec, which many runs may have.
std::int64_t keep_spec(Store::State& state, const RunSpec& spec) {
  const ValueTable table = spec.table();
  const std::string text = spec_text(table);
  SqliteStatement known = state.db().prepare("SELECT id FROM specs WHERE text = ?");
  if (known.bind(1, text).next()) return known.integer(0);
  state.db().prepare("INSERT INTO specs (text) VALUES (?)").bind(1, text).run();
  const std::int64_t id = state.db().last_id();
  SqliteStatement insert = state.db().prepare("INSERT INTO settings (spec, name, kind, value) VALUES (?, ?, ?, ?)");
  std::string scratch;
  for (const auto& [name, value] : flatten(table)) {
    if (name == "seed") continue;
    insert.bind(1, id).bind(2, state.word(name));
    bind_setting(insert, 3, 4, *value, scratch);
    insert.run();
  }
  return id;
}

void keep_series(Store::State& state, std::int64_t id, const std::map<std::string, Series>& series) {
  SqliteStatement metric = state.db().prepare("INSERT INTO metrics (run, name, step, value) VALUES (?, ?, ?, ?)");
  SqliteStatement whole = state.db().prepare("INSERT INTO series (run, name, steps, points) VALUES (?, ?, ?, ?)");
  for (const auto& [name, points] : series) {
    if (points.steps.size() != points.values.size())
      throw failure(
          fmt::format("the series '{}' has {} steps and {} values", name, points.steps.size(), points.values.size()),
          "this is an error of the program that made it");
    const std::int64_t word = state.word(name);
    whole.bind(1, id).bind(2, word).bind(3, std::as_bytes(std::span(points.steps)));
    whole.bind(4, std::as_bytes(std::span(points.values))).run();
    if (points.steps.empty()) continue;
    metric.bind(1, id).bind(2, word).bind(3, points.steps.back()).bind(4, points.values.back()).run();
  }
}

// What stood in the way, if anything did.
std::optional<Error> keep_weights(const WeightFiles& files, const RunRecord& record, const std::string& hash) {
  if (record.weights.empty() || record.state != RunState::done) return std::nullopt;
  try {
    files.write(record, hash);
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

}  // namespace

Store::Store(const std::filesystem::path& file, Mode mode) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    throw failure("is a folder, and the store of runs is a file", "name a file in it", {file.string()});
  try {
    state_ = std::make_unique<State>(mode == Mode::read_write ? open_to_write(file) : open_to_read(file));
  } catch (const DatabaseError& error) {
    if (!error.disk_full()) throw;
    state_ = std::make_unique<State>(open_alone(file));
  }
}

Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

std::filesystem::path Store::default_file() {
  const std::filesystem::path folder = home_folder();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw failure("the folder for the runs cannot be made: " + error.message(), "set FOVEA_HOME to a folder of yours",
                  {folder.string()});
  return folder / "runs.db";
}

std::filesystem::path Store::checkpoint_folder() const { return state_->db().file().parent_path() / "checkpoints"; }

std::filesystem::path Store::running_folder() const { return state_->running_folder(); }

namespace {

// Inside a transaction. Returns the run's number.
std::int64_t keep_one(Store::State& state, RunRecord& record, const std::string& hash) {
  Connection& database = state.db();
  // A run takes the number of the run that it replaces: "run 12" stays the same run if it is resumed or trained again.
  const auto old_done = run_of_hash(database, hash, true), old_undone = run_of_hash(database, hash, false);
  const bool replaces_done = record.state == RunState::done && old_done;
  const std::optional<std::int64_t> id = replaces_done ? old_done : old_undone;
  // ... and it stays the run of the experiment that made it, whoever asks for the same numbers again.
  if (id) record.experiment = experiment_of(database, *id);
  for (const auto& old : {replaces_done ? old_done : std::nullopt, old_undone})
    if (old) add_labels(state, *old, record.tags, record.note);
  if (replaces_done) delete_run(database, *old_done);
  if (old_undone) delete_run(database, *old_undone);
  const std::int64_t spec = keep_spec(state, record.spec);
  SqliteStatement insert = database.prepare(
      "INSERT INTO runs (id, experiment, hash, seed, state, error, version, machine, started, seconds, steps, spec, "
      "arithmetic) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (id) insert.bind(1, *id);
  insert.bind(2, state.word(record.experiment)).bind(3, hash);
  insert.bind(4, static_cast<std::int64_t>(record.spec.seed));
  insert.bind(5, static_cast<std::int64_t>(record.state)).bind(6, record.error).bind(7, state.word(record.version));
  insert.bind(8, state.word(record.machine)).bind(9, record.started).bind(10, record.seconds).bind(11, record.steps);
  insert.bind(12, spec).bind(13, std::int64_t{record.arithmetic}).run();
  const std::int64_t kept = database.last_id();
  keep_series(state, kept, record.series);
  keep_arrays(state, kept, record.arrays);
  keep_labels(state, kept, record.tags, record.note);
  return kept;
}

}  // namespace

std::int64_t Store::keep(RunRecord& record) {
  if (const auto without = keep(std::span(&record, 1)); !without.empty()) throw WeightsNotKept(without.front().second);
  return record.id;
}

std::vector<std::pair<std::size_t, WeightsNotKept>> Store::keep(std::span<RunRecord> records) {
  std::vector<std::pair<std::size_t, WeightsNotKept>> without;
  std::vector<std::pair<std::int64_t, std::string>> kept;  // numbers and hashes
  std::vector<std::filesystem::path> written;              // files of weights that are new
  const WeightFiles files = weight_files();
  try {
    Transaction transaction(state_->db(), Transaction::Kind::write);
    for (RunRecord& record : records) {
      const std::string hash = record.hash.empty() ? record.spec.hash() : record.hash;
      const std::int64_t id = keep_one(*state_, record, hash);
      // Before the row is there: a kill between the two leaves a file too many, which gc finds, and no run too little.
      if (!record.weights.empty() && !files.has(hash)) written.push_back(files.file_of(hash));
      if (const std::optional<Error> trouble = keep_weights(files, record, hash)) {
        const auto problem = message("run {} is stored without its weights, which {}", id, trouble->problem());
        without.emplace_back(kept.size(), failure(problem, Remedy::drop_weights(), trouble->location()));
      }
      kept.emplace_back(id, hash);
    }
    transaction.commit();
  } catch (...) {
    state_->forget_words();
    std::error_code ignored;
    for (const std::filesystem::path& file : written) std::filesystem::remove(file, ignored);
    throw;
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::tie(records[i].id, records[i].hash) = kept[i];
    records[i].weights.clear();
  }
  return without;
}

WeightFiles Store::weight_files() const { return WeightFiles(state_->db().file().parent_path() / "weights"); }

std::optional<TensorFile> Store::weights(const RunRecord& run) const {
  return run.state == RunState::done ? weight_files().read(run.hash) : std::nullopt;
}

std::vector<ArrayRecord> Store::arrays(std::int64_t id, const std::string& name) const {
  return read_arrays(*state_, id, name);
}

std::vector<ArrayShape> Store::array_shapes(std::int64_t id) const { return read_array_shapes(*state_, id); }

FetchArrays Store::fetch_arrays() const {
  return [this](std::int64_t run, const std::string& name) { return arrays(run, name); };
}

void Store::keep_claims(const std::vector<ClaimResult>& claims) {
  Connection& database = state_->db();
  Transaction transaction(database, Transaction::Kind::write);
  SqliteStatement clear = database.prepare("DELETE FROM claims WHERE experiment = ? AND source = ? AND form = ?");
  for (const ClaimResult& claim : claims)
    clear.bind(1, claim.experiment).bind(2, claim.source).bind(3, claim.preset).run();
  SqliteStatement insert = database.prepare(
      "INSERT INTO claims (experiment, form, claim, place, metric, value, wanted, held, note, source) VALUES (?, ?, ?, "
      "?, ?, ?, ?, ?, ?, ?)");
  std::int64_t place = 0;
  for (const ClaimResult& claim : claims) {
    insert.bind(1, claim.experiment).bind(2, claim.preset).bind(3, claim.claim).bind(4, place++).bind(5, claim.metric);
    insert.bind(6, claim.value).bind(7, claim.wanted).bind(8, std::int64_t{claim.held}).bind(9, claim.note);
    insert.bind(10, claim.source).run();
  }
  transaction.commit();
}

std::vector<ClaimResult> Store::claims(const std::string& experiment) const {
  SqliteStatement rows = state_->db().prepare(
      "SELECT experiment, claim, metric, value, wanted, held, form, note, source FROM claims WHERE ?1 = '' OR "
      "experiment = ?1 ORDER BY experiment, source, form, place");
  rows.bind(1, experiment);
  std::vector<ClaimResult> claims;
  while (rows.next()) {
    claims.push_back({std::string(rows.text(0)), std::string(rows.text(1)),
                      with_names(std::string(rows.text(2)), name_now), rows.number(3), std::string(rows.text(4)),
                      rows.integer(5) != 0, std::string(rows.text(6)), std::string(rows.text(7)),
                      std::string(rows.text(8))});
  }
  return claims;
}

}  // namespace fovea
