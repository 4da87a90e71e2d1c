// The bin of the Store (store.h), and the deletion of runs for good (room lab/store). `fovea rm` and `fovea gc` call
// it. It deletes rows, weights and checkpoints.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <unordered_set>

#include "fovea/lab/record/machine.h"
#include "fovea/lab/store/run_lock.h"
#include "fovea/lab/store/store_state.h"
#include "fovea/lab/store/vocabulary_cache.h"
#include "fovea/lab/train/checkpoint.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

std::uintmax_t size_of(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

// Removes it, unless that is only to be told; what could not be removed does not count.
bool clear_away(const fs::path& file, bool dry, std::uintmax_t& bytes) {
  const std::uintmax_t size = size_of(file);
  std::error_code error;
  if (!dry && !fs::remove(file, error)) return false;
  bytes += size;
  return true;
}

std::unordered_set<std::string> hashes(Connection& database, const char* sql, const std::string& before) {
  std::unordered_set<std::string> all;
  SqliteStatement rows = database.prepare(sql);
  rows.bind(1, before);
  while (rows.next()) all.emplace(rows.text(0));
  return all;
}

// The files of words that runs know: of those for which the condition holds.
std::set<fs::path> words_of_runs(Store::State& state, const VocabularyCache& words, const std::string& condition,
                                 const std::string& before) {
  std::set<fs::path> files;
  const auto digest = state.known_word("task.digest");  // what tasks have that are of a corpus
  if (!digest) return files;
  SqliteStatement rows = state.db().prepare(
      fmt::format("SELECT text FROM specs WHERE id IN (SELECT spec FROM settings WHERE name = ?2) AND id IN "
                  "(SELECT spec FROM runs WHERE {})",
                  condition)
          .c_str());
  rows.bind(1, before).bind(2, *digest);
  const Location location{state.db().file().string()};
  while (rows.next()) files.insert(words.file_of(spec_of(rows.text(0), location)));
  return files;
}

std::int64_t empty_bin(Connection& database, const std::string& before, bool dry) {
  Transaction transaction(database, Transaction::Kind::write);
  std::vector<std::int64_t> ids;
  {
    SqliteStatement rows =
        database.prepare("SELECT id FROM runs WHERE removed IS NOT NULL AND (?1 = '' OR removed < ?1)");
    rows.bind(1, before);
    while (rows.next()) ids.push_back(rows.integer(0));
  }
  if (!dry)
    for (const std::int64_t id : ids) delete_run(database, id);
  transaction.commit();
  return std::ssize(ids);
}

}  // namespace

void Store::put_in_bin(std::span<const std::int64_t> ids) {
  Connection& database = state_->db();
  const std::string now = utc_now();
  Transaction transaction(database, Transaction::Kind::write);
  SqliteStatement row = database.prepare("SELECT hash, state FROM runs WHERE id = ? AND removed IS NULL");
  SqliteStatement put = database.prepare("UPDATE runs SET removed = ? WHERE id = ?");
  for (const std::int64_t id : ids) {
    row.reset();
    if (!row.bind(1, id).next()) throw wrong_input(fmt::format("there is no run {}", id), Remedy::see_runs());
    const std::string hash(row.text(0));
    if (state_->state_now(static_cast<RunState>(row.integer(1)), hash) == RunState::running)
      throw wrong_input(fmt::format("run {} is being trained by {}", id, RunLock::holder(running_folder(), hash)),
                        "wait for it, or stop it first");
    put.bind(1, now).bind(2, id).run();
  }
  row.reset();
  transaction.commit();
}

std::vector<std::int64_t> Store::restore(std::span<const std::int64_t> ids) {
  Connection& database = state_->db();
  Transaction transaction(database, Transaction::Kind::write);
  SqliteStatement row = database.prepare("SELECT hash, state FROM runs WHERE id = ? AND removed IS NOT NULL");
  SqliteStatement back = database.prepare("UPDATE runs SET removed = NULL WHERE id = ?");
  std::vector<std::int64_t> anew;
  for (const std::int64_t id : ids) {
    row.reset();
    if (!row.bind(1, id).next()) throw wrong_input(fmt::format("there is no run {} in the bin", id), Remedy::see_bin());
    const bool done = static_cast<RunState>(row.integer(1)) == RunState::done;
    if (run_of_hash(database, std::string(row.text(0)), done)) anew.push_back(id);
    else back.bind(1, id).run();
  }
  row.reset();
  transaction.commit();
  return anew;
}

bool Store::has(std::int64_t id) const {
  SqliteStatement row = state_->db().prepare("SELECT 1 FROM runs WHERE id = ? AND removed IS NULL");
  return row.bind(1, id).next();
}

bool Store::is_in_bin(std::int64_t id) const {
  SqliteStatement row = state_->db().prepare("SELECT 1 FROM runs WHERE id = ? AND removed IS NOT NULL");
  return row.bind(1, id).next();
}

Store::Collected Store::collect_garbage(const std::string& before, bool dry) {
  Connection& database = state_->db();
  Collected collected;
  const auto file_size = [&] { return size_of(database.file()) + size_of(database.file().string() + "-wal"); };
  const std::uintmax_t size_before = file_size();
  // Files first: where the disk is full, they make the room that emptying the bin takes.
  if (!dry) database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  // Files of runs that are gone, or will be. A run's weights are written within the transaction that keeps it: while
  // we may write, nobody does.
  Transaction sight(database, Transaction::Kind::write);
  const char* const left = "(removed IS NULL OR (?1 <> '' AND removed >= ?1))";
  const auto with_weights =
      hashes(database, fmt::format("SELECT hash FROM runs WHERE state = 1 AND {}", left).c_str(), before);
  const auto unfinished =
      hashes(database, fmt::format("SELECT hash FROM runs WHERE state <> 1 AND {}", left).c_str(), before);
  std::error_code error;
  for (fs::directory_iterator at(weight_files().folder(), error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".safetensors" || with_weights.contains(at->path().stem().string())) continue;
    collected.weights += clear_away(at->path(), dry, collected.bytes);
  }
  const auto in_training = [this](const std::string& hash) { return RunLock::held(running_folder(), hash); };
  for (const std::string& hash : runs_with_checkpoints(checkpoint_folder(), in_training)) {
    if (unfinished.contains(hash)) continue;
    const std::optional<RunLock> lock = RunLock::take(running_folder(), hash);  // nobody begins it meanwhile
    if (!lock) continue;
    for (const fs::path& file : Checkpoints(checkpoint_folder(), hash).files())
      collected.checkpoints += clear_away(file, dry, collected.bytes);
  }
  // Words are kept before a run is: while one is trained that is not in the store, any may be its own.
  const VocabularyCache words = vocabulary_cache(*this);
  if (const VocabularyCache::Hold hold(words); hold.held()) {
    bool all_known = true;
    for (fs::directory_iterator at(running_folder(), error), end; !error && at != end; at.increment(error)) {
      const std::string hash = at->path().filename().string();
      all_known = all_known && (with_weights.contains(hash) || unfinished.contains(hash) || !in_training(hash));
    }
    const std::set<fs::path> known = words_of_runs(*state_, words, left, before);
    for (const fs::path& file : words.files())
      if (all_known && !known.contains(file)) collected.vocabularies += clear_away(file, dry, collected.bytes);
  }
  sight.commit();
  collected.runs = empty_bin(database, before, dry);
  if (dry) return collected;

  // Giving room back rewrites the file, and nobody can write to it meanwhile.
  bool quiet = true;
  for (fs::directory_iterator at(running_folder(), error), end; !error && at != end; at.increment(error))
    quiet = quiet && !in_training(at->path().filename().string());
  collected.shrunk = quiet;
  if (quiet && database.integer("PRAGMA freelist_count") > 0) database.run("VACUUM");
  if (quiet) database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const std::uintmax_t size_after = file_size();
  if (size_after < size_before) collected.bytes += size_before - size_after;
  return collected;
}

}  // namespace fovea
