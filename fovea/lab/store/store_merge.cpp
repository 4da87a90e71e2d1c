// Merges stores that were filled separately, on several machines or by shards of a sweep (Store, store.h) (room
// lab/store). The program calls it. It writes this store and only reads the other.
#include <fmt/format.h>
#include <sqlite3.h>

#include <system_error>

#include "fovea/base/file.h"
#include "fovea/lab/store/run_lock.h"
#include "fovea/lab/store/schema.h"
#include "fovea/lab/store/store_labels.h"
#include "fovea/lab/store/store_state.h"
#include "fovea/lab/store/vocabulary_cache.h"
#include "fovea/lab/train/checkpoint.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

// The other store stays as it is, so one that would have to be brought up to date first is left alone.
Store open_other(const fs::path& other) {
  const auto refuse = [&other](const Message& what, const Remedy& remedy) {
    return wrong_input(what, remedy, {other.string()});
  };
  std::error_code error;
  if (fs::is_directory(other, error)) throw refuse("is a folder", "name the runs.db in it");
  const std::string copy_again = "give the runs.db of another store. If it is a damaged copy, make a new copy";
  try {
    Connection database(other, Connection::Access::read);
    if (database.integer("SELECT count(*) FROM sqlite_schema") == 0) throw refuse("is empty", copy_again);
    check_version(database);
    const std::int64_t layout = schema_version(database), newest = std::ssize(migrations());
    if (layout < newest)
      throw failure(fmt::format("has the layout of an earlier version ({}, not {})", layout, newest),
                    Remedy::upgrade_store(other.parent_path().string()), {other.string()});
  } catch (const DatabaseError& error) {
    const auto kind = error.is(SQLITE_NOTADB) ? Error::Kind::wrong_input : Error::Kind::failure;
    throw Error(kind, error.problem(), copy_again, {other.string()});
  }
  return Store(other, Store::Mode::read_only);
}

// Every page and index, before anything is taken: half of a store is not what was asked for.
void require_sound(Connection& database) {
  std::string found;
  try {
    SqliteStatement check = database.prepare("PRAGMA integrity_check(1)");
    found = check.next() ? std::string(check.text(0)) : "";
  } catch (const DatabaseError& error) {
    found = error.problem().text();
  }
  if (found != "ok")
    throw failure(fmt::format("the store to be merged is damaged, and nothing was taken from it ({})", found),
                  "if it is a damaged copy, make a new copy. 'sqlite3 FILE .recover' may save its content",
                  {database.file().string()});
}

std::vector<std::int64_t> runs_of(Connection& database) {
  std::vector<std::int64_t> ids;
  SqliteStatement rows = database.prepare("SELECT id FROM runs WHERE removed IS NULL ORDER BY id");
  while (rows.next()) ids.push_back(rows.integer(0));
  return ids;
}

void take_weights(const Store& from, const RunRecord& run, std::vector<WeightRecord>& weights) {
  const std::optional<TensorFile> kept = from.weights(run);
  if (!kept) return;
  for (const Tensor& tensor : kept->tensors())
    weights.push_back({tensor.name, tensor.shape, tensor.type, {tensor.bytes.begin(), tensor.bytes.end()}});
}

// So that a run that was stopped there can be gone on with here: the newest checkpoint that is sound.
void take_checkpoint(const Store& from, const Store& to, const std::string& hash) {
  std::optional<Error> damaged;
  for (const fs::path& there : Checkpoints(from.checkpoint_folder(), hash).files()) {
    try {
      Checkpoints::read(there);
    } catch (const Error& error) {
      damaged = error;
      continue;
    }
    Checkpoints(to.checkpoint_folder(), hash).remove();
    std::error_code error;  // a folder that cannot be made shows when the file is written
    fs::create_directories(to.checkpoint_folder(), error);
    write_whole(to.checkpoint_folder() / (hash + ".safetensors"), read_file(there, largest_checkpoint));
    return;
  }
  if (damaged) throw Error(*damaged);
}

// Whether it says more than what is here of the same run: it came further, or is done in a newer arithmetic.
bool goes_further(const RunRecord& here, const RunRecord& there) {
  if (here.arithmetic != there.arithmetic) return there.state == RunState::done && there.arithmetic > here.arithmetic;
  return here.state != RunState::done && there.steps > here.steps;
}

}  // namespace

Store::Merged Store::merge(const fs::path& other, const std::function<void(std::int64_t, std::int64_t)>& progress) {
  std::error_code error;
  if (!fs::exists(other, error))
    throw wrong_input("there is no such file", "give the path of the runs.db of the other store", {other.string()});
  if (fs::equivalent(other, state_->db().file(), error))
    throw wrong_input("this store cannot be merged into itself", "name another store", {other.string()});
  const Store from = open_other(other);
  require_sound(from.state_->db());

  Merged merged;
  const std::vector<std::int64_t> ids = runs_of(from.state_->db());
  const auto trouble = [&merged](std::int64_t id, const Error& what) {
    merged.troubles.push_back(fmt::format("run {} of the other store: {}", id, what.what()));
  };
  // Of runs that are here already: words of no run are garbage.
  const auto take_words = [&](std::int64_t id, const RunSpec& spec) {
    try {
      vocabulary_cache(*this).take_from(vocabulary_cache(from), spec);
    } catch (const Error& what) {
      trouble(id, what);
    }
  };
  std::int64_t looked_at = 0;
  for (const std::int64_t id : ids) {
    if (progress) progress(looked_at++, std::ssize(ids));
    std::optional<RunRecord> run = from.find(id);
    if (!run) continue;  // it was taken away meanwhile
    const bool done = run->state == RunState::done;
    if (run->state == RunState::running) {
      ++merged.in_training;
      continue;
    }
    std::optional<std::int64_t> known = run_of_hash(state_->db(), run->hash, true);
    if (!known && !done) known = run_of_hash(state_->db(), run->hash, false);
    const std::optional<RunRecord> here = known ? find(*known) : std::nullopt;
    const bool further = here && goes_further(*here, *run);
    const bool lacking = !here || (here->arithmetic == run->arithmetic && !weight_files().has(run->hash));
    try {
      if (done && (further || lacking)) take_weights(from, *run, run->weights);
    } catch (const Error& what) {
      trouble(id, what);
    }
    std::optional<RunLock> lock;  // nobody begins the run meanwhile, or takes its checkpoint for garbage
    if (!done) lock = RunLock::take(running_folder(), run->hash);
    if (known && !(further && (done || lock))) {
      ++merged.known;
      if (!run->tags.empty()) tag({{*known}}, run->tags, {});
      if (!run->note.empty() && here && here->note.empty()) note(*known, run->note);
      if (!run->weights.empty()) weight_files().write(*run, run->hash);
      take_words(id, run->spec);
      continue;
    }
    run->arrays = from.arrays(id);
    try {
      if (!done) take_checkpoint(from, *this, run->hash);
    } catch (const Error& what) {
      trouble(id, what);
    }
    keep(*run);
    take_words(id, run->spec);
    ++(known ? merged.furthered : merged.added);
  }
  if (progress) progress(looked_at, std::ssize(ids));
  return merged;
}

}  // namespace fovea
