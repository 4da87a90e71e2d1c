// Where runs are kept: one SQLite file in the user's folder (home_folder()/runs.db), in WAL mode, so that it survives a
// kill and several processes may use it at once. Every change is one transaction. Throws failure when the disk is full
// or the file cannot be written, with all earlier runs as they were. One Store is used by one thread at a time;
// several Stores may be open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/io/safetensors.h"
#include "fovea/lab/query/expression.h"
#include "fovea/lab/record/record.h"
#include "fovea/lab/train/weight_files.h"

namespace fovea {

// Which array a run keeps, without its values.
struct ArrayShape {
  std::string name;
  std::int64_t step = 0;
  std::vector<Index> shape;
};

struct RunQuery {
  std::optional<Expression> where;
  std::string experiment;  // empty: any
  std::string sort;        // a name or an expression, "-accuracy" for falling order; empty: by id
  Place sort_place{"sort"};
  std::int64_t limit = -1;
  bool with_series = false, with_arrays = false;  // without series, a record's series hold their last points only
  bool in_bin = false;                            // those in the bin, and no others

  // For lists of many runs: only these metrics and settings ("accuracy", "task.vocab") are read, and the seed; the rest
  // of spec and series stays empty. Unset: everything.
  std::optional<std::vector<std::string>> columns;
};

// Thrown where a run was kept, and its weights could not be.
class WeightsNotKept : public Error {
 public:
  explicit WeightsNotKept(Error why) : Error(std::move(why)) {}
};

class Store {
 public:
  enum class Mode { read_write, read_only };
  // Opens the file (read_write: makes it if it is missing), so what cannot be written is known before anything is
  // computed. A file that is missing reads as an empty store.
  explicit Store(const std::filesystem::path& file, Mode mode = Mode::read_write);
  static std::filesystem::path default_file();      // home_folder() / "runs.db"; its folder is made if missing
  std::filesystem::path checkpoint_folder() const;  // beside the file: lab/train/checkpoint.h
  std::filesystem::path running_folder() const;     // lab/store/run_lock.h
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  // Keeps a run: row, series, arrays in one transaction; sets record.id, and record.hash if it is empty. A run of the
  // same hash that is not done is replaced, and a done one by a newer done one; the new run takes over the number.
  // A run that is not done reads as running while somebody holds its lock, and one kept as running as stopped when
  // nobody does. Arrays lie as half where lab/store/store_arrays.h says so, all else is kept bit for bit. Weights lie
  // in a file of their own (lab/train/weight_files.h) and are taken out of the record; where they cannot be written
  // the run is kept without them, and WeightsNotKept thrown. Tags and notes of what is replaced stay, and the record's
  // are added.
  std::int64_t keep(RunRecord& record);

  // The user's own words for runs. Each throws wrong_input where one of the runs is not there, with nothing changed.
  void tag(std::span<const std::int64_t> ids, std::span<const std::string> add, std::span<const std::string> remove);
  std::vector<std::pair<std::string, std::int64_t>> tags() const;  // and how many runs have each
  void note(std::int64_t id, const std::string& text);             // in place of the one before; "": none

  // The bin: runs in it are there and whole, but nobody meets them, and the same may be trained anew. A run in training
  // cannot be put there. What is restored is where it was; a run that was trained anew since stays in the bin, and its
  // id is among those returned. All or nothing otherwise: throw wrong_input for a run that is not there.
  void put_in_bin(std::span<const std::int64_t> ids);
  std::vector<std::int64_t> restore(std::span<const std::int64_t> ids);
  bool has(std::int64_t id) const;  // not in the bin
  bool is_in_bin(std::int64_t id) const;

  // Empties the bin of what was put there before `before` (UTC, ISO 8601; "": all of it), removes weights,
  // checkpoints and words (lab/store/vocabulary_cache.h) that belong to no run, and gives their room back to the disk.
  // `dry`: only says what would go.
  struct Collected {
    std::int64_t runs = 0, weights = 0, checkpoints = 0, vocabularies = 0;
    std::uintmax_t bytes = 0;  // of files; dry: without the store's own
    bool shrunk = true;        // false: the store keeps its size, since runs are being trained
  };
  Collected collect_garbage(const std::string& before, bool dry);

  // Takes over the runs of another store, with series and arrays bit for bit, weights, tags and notes; what is in its
  // bin stays there. Runs are known by their hash: one that is here already is not added, but what is new of its tags
  // and weights is; one that is done takes the place of one that is not. Each run is taken whole or not at all, so a
  // merge that was ended early is finished by doing it again. The other store is only read (one of an earlier version
  // is brought up to date first). Throws wrong_input where there is none, or it is this one, and failure, before
  // anything is taken, where it is damaged or of a later version.
  struct Merged {
    std::int64_t added = 0, furthered = 0, known = 0,
                 in_training = 0;       // furthered: stopped runs that came further there
    std::vector<std::string> troubles;  // weights and checkpoints that could not be read
  };
  Merged merge(const std::filesystem::path& other,
               const std::function<void(std::int64_t done, std::int64_t of)>& progress = {});

  // None for what is in the bin.
  std::optional<RunRecord> find(std::int64_t id, bool with_arrays = false) const;
  // Without arrays; without series and spec, too, where nobody wants them.
  std::optional<RunRecord> find_done(const std::string& hash, bool with_series = true) const;
  std::optional<RunRecord> find_undone(const std::string& hash) const;  // stopped, failed or in training
  std::vector<ArrayRecord> arrays(std::int64_t id, const std::string& name = {}) const;
  std::vector<ArrayShape> array_shapes(std::int64_t id) const;
  FetchArrays fetch_arrays() const;  // the same for whoever knows no store; this one must stay where it is
  // As they were at the end; nothing where they were not kept, and for a run that is not done.
  std::optional<TensorFile> weights(const RunRecord& run) const;
  WeightFiles weight_files() const;
  // Throws wrong_input, with the nearest known one, for an experiment that is none and where condition or order have a
  // name that no run has. `matched` becomes how many runs fit, before the limit.
  std::vector<RunRecord> query(const RunQuery& query, std::int64_t* matched = nullptr) const;
  std::int64_t count() const;

  struct Names {
    std::vector<std::string> experiments, metrics, settings;  // sorted; every run also has run_facts()
  };
  Names names() const;
  // Throw wrong_input for a name that no run has, and for a number or a text that stands for a condition; in an empty
  // store every name is good.
  void require_known(const Expression& where) const;
  void require_known(const std::set<std::string>& names, const Place& place, bool in_condition = false) const;
  void require_experiment(const std::string& name) const;  // shipped ones are known, with or without runs

  // The newest verdicts on an experiment's claims in one form replace all older ones on it in that form; experiments
  // of one name from several files are several.
  void keep_claims(const std::vector<ClaimResult>& claims);
  std::vector<ClaimResult> claims(const std::string& experiment = {}) const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fovea
