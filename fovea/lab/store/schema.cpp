#include "fovea/lab/store/schema.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/base/old_names.h"

namespace fovea {

namespace {

constexpr std::int64_t application_id = 0x466f7665;  // "Fove", in the file's header: says whose database it is

constexpr const char* steps[] = {
    // 1: runs and what they hold.
    R"sql(
PRAGMA application_id = 1181709925;
CREATE TABLE words (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE specs (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE settings (
  spec INTEGER NOT NULL REFERENCES specs ON DELETE CASCADE,
  name INTEGER NOT NULL REFERENCES words,
  kind INTEGER NOT NULL,
  value,
  PRIMARY KEY (spec, name)) WITHOUT ROWID;
CREATE INDEX settings_name ON settings (name, spec, kind, value);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  spec INTEGER NOT NULL REFERENCES specs,
  experiment INTEGER NOT NULL REFERENCES words,
  hash TEXT NOT NULL,
  seed INTEGER NOT NULL,
  state INTEGER NOT NULL,
  error TEXT NOT NULL,
  version INTEGER NOT NULL REFERENCES words,
  machine INTEGER NOT NULL REFERENCES words,
  started TEXT NOT NULL,
  seconds,
  steps INTEGER NOT NULL);
CREATE UNIQUE INDEX runs_done ON runs (hash) WHERE state = 1;
CREATE UNIQUE INDEX runs_undone ON runs (hash) WHERE state <> 1;
CREATE INDEX runs_experiment ON runs (experiment);
CREATE INDEX runs_spec ON runs (spec);
CREATE TABLE metrics (
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  name INTEGER NOT NULL REFERENCES words,
  step INTEGER NOT NULL,
  value,
  PRIMARY KEY (run, name)) WITHOUT ROWID;
CREATE INDEX metrics_name ON metrics (name, run, step, value);
CREATE TABLE series (
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  name INTEGER NOT NULL REFERENCES words,
  steps BLOB NOT NULL,
  points BLOB NOT NULL,
  PRIMARY KEY (name, run));
CREATE INDEX series_run ON series (run);
CREATE TABLE arrays (
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  place INTEGER NOT NULL,
  name INTEGER NOT NULL REFERENCES words,
  step INTEGER NOT NULL,
  shape TEXT NOT NULL,
  half INTEGER NOT NULL,
  points BLOB NOT NULL,
  PRIMARY KEY (run, place));
)sql",
    // 2: what the runs of an experiment were found to say.
    R"sql(
CREATE TABLE claims (
  experiment TEXT NOT NULL,
  form TEXT NOT NULL,
  claim TEXT NOT NULL,
  place INTEGER NOT NULL,
  metric TEXT NOT NULL,
  value,
  wanted TEXT NOT NULL,
  held INTEGER NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (experiment, form, place));
)sql",
    // 3: claims of files, apart from those of shipped experiments and of each other.
    R"sql(
ALTER TABLE claims RENAME TO claims_before;
CREATE TABLE claims (
  experiment TEXT NOT NULL,
  source TEXT NOT NULL,
  form TEXT NOT NULL,
  claim TEXT NOT NULL,
  place INTEGER NOT NULL,
  metric TEXT NOT NULL,
  value,
  wanted TEXT NOT NULL,
  held INTEGER NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (experiment, source, form, place));
INSERT INTO claims SELECT experiment, '', form, claim, place, metric, value, wanted, held, note FROM claims_before;
DROP TABLE claims_before;
)sql",
    // 4: tags and notes of the user's own, and a bin. A run in the bin does not stand in the way of a new one.
    R"sql(
CREATE TABLE tags (
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  name INTEGER NOT NULL REFERENCES words,
  PRIMARY KEY (run, name)) WITHOUT ROWID;
CREATE TABLE notes (run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE, text TEXT NOT NULL);
ALTER TABLE runs ADD COLUMN removed TEXT;
DROP INDEX runs_done;
DROP INDEX runs_undone;
CREATE UNIQUE INDEX runs_done ON runs (hash) WHERE state = 1 AND removed IS NULL;
CREATE UNIQUE INDEX runs_undone ON runs (hash) WHERE state <> 1 AND removed IS NULL;
CREATE INDEX runs_removed ON runs (removed, hash) WHERE removed IS NOT NULL;
)sql",
    // 5: names of today (rename_words()).
    "",
    // 6: the revision of the arithmetic (base/version.h).
    "ALTER TABLE runs ADD COLUMN arithmetic INTEGER NOT NULL DEFAULT 0",
};

// A word may also name an experiment or a tag, which keep it.
void rename_words(Connection& connection) {
  std::vector<std::pair<std::int64_t, std::string>> words;
  SqliteStatement rows = connection.prepare("SELECT id, text FROM words");
  while (rows.next()) words.emplace_back(rows.integer(0), rows.text(1));
  for (const auto& [id, text] : words) {
    const bool setting = text.find('.') != std::string::npos;
    const std::string now = name_now(setting ? NameKind::setting : NameKind::metric, text);
    if (now == text) continue;
    connection.prepare("INSERT OR IGNORE INTO words (text) VALUES (?)").bind(1, now).run();
    for (const char* const sql :
         setting
             ? std::
                   vector{"UPDATE OR IGNORE settings SET name = (SELECT id FROM words WHERE text = ?1) WHERE name = ?2"}
             : std::vector{"UPDATE OR IGNORE metrics SET name = (SELECT id FROM words WHERE text = ?1) WHERE name = ?2",
                           "UPDATE OR IGNORE series SET name = (SELECT id FROM words WHERE text = ?1) WHERE name = ?2",
                           "UPDATE arrays SET name = (SELECT id FROM words WHERE text = ?1) WHERE name = ?2"})
      connection.prepare(sql).bind(1, now).bind(2, id).run();
  }
}

}  // namespace

std::span<const char* const> migrations() { return steps; }

std::int64_t schema_version(Connection& connection) { return connection.integer("PRAGMA user_version"); }

void check_version(Connection& connection) {
  const Location location{connection.file().string()};
  const std::int64_t version = schema_version(connection);
  const std::int64_t known = std::ssize(migrations());
  const bool empty = connection.integer("SELECT count(*) FROM sqlite_schema") == 0;
  const bool ours = connection.integer("PRAGMA application_id") == application_id;
  if (!empty && !ours)
    throw failure("is a database of another program", "move the file away, or set FOVEA_HOME to another folder",
                  location);
  if (version > known)
    throw failure(fmt::format("the store of runs was written by a later version of this program (its layout is {}, the "
                              "latest known here is {})",
                              version, known),
                  "use that version, or set FOVEA_HOME to another folder", location);
}

void migrate(Connection& connection) {
  check_version(connection);
  if (schema_version(connection) == std::ssize(migrations())) return;
  Transaction transaction(connection, Transaction::Kind::write);
  check_version(connection);  // another process may have been first
  const auto version = static_cast<std::size_t>(schema_version(connection));
  for (std::size_t step = version; step < migrations().size(); ++step) connection.run(migrations()[step]);
  rename_words(connection);
  connection.run(fmt::format("PRAGMA user_version = {}", migrations().size()).c_str());
  transaction.commit();
}

}  // namespace fovea
