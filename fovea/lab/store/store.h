// The store of runs (room lab/store): one SQLite file in the user's folder (home_folder()/runs.db). Commands, sweeps,
// the server and the Python package read and write runs through it. The file is in WAL mode, so it survives a killed
// process and several processes can use it at once. Every change is one transaction. A full disk or a file without
// write access is a failure that leaves earlier runs unchanged. One thread at a time uses a Store; several Stores can
// be open.
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

// The name and shape of an array of a run, without its values.
struct ArrayShape {
  std::string name;
  std::int64_t step = 0;
  std::vector<Index> shape;
};

struct RunQuery {
  std::optional<Expression> where;
  std::string experiment;  // empty: any
  std::string sort;        // a name or an expression, "-accuracy" for falling order; empty: by id
  Location sort_location{"sort"};
  std::int64_t limit = -1;
  bool with_series = false, with_arrays = false;  // without series, a record's series have only their last points
  bool in_bin = false;                            // the runs in the bin, and no others

  // For lists of many runs: reads only these metrics and settings ("accuracy", "task.vocab") and the seed. The rest of
  // spec and series stays empty. Unset: everything is read.
  std::optional<std::vector<std::string>> columns;
};

// The run was stored, but its weights could not be written.
class WeightsNotKept : public Error {
 public:
  explicit WeightsNotKept(Error why) : Error(std::move(why)) {}
};

class Store {
 public:
  enum class Mode { read_write, read_only };
  // Opens the file. read_write creates a missing file, so a missing permission is an error before anything is computed.
  // With read_only, a missing file is an empty store.
  explicit Store(const std::filesystem::path& file, Mode mode = Mode::read_write);
  static std::filesystem::path default_file();      // home_folder() / "runs.db"; its folder is created if missing
  std::filesystem::path checkpoint_folder() const;  // next to the file: lab/train/checkpoint.h
  std::filesystem::path running_folder() const;     // lab/store/run_lock.h
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  // Stores a run: row, series and arrays in one transaction. Sets record.id, and record.hash if it is empty. An
  // unfinished run of the same hash is replaced, and a finished run by a newer finished one; the new run gets the
  // number of the old one. An unfinished run reads as running while a process has its lock, and a stored running run
  // reads as stopped if no process has. Arrays are stored as half precision if lab/store/store_arrays.h says so;
  // everything else keeps its bits. Weights are in a separate file (lab/train/weight_files.h) and are removed from the
  // record. If they cannot be written, the run is stored without them, and WeightsNotKept is thrown. Tags and notes of
  // a replaced run stay, and the record's are added.
  std::int64_t keep(RunRecord& record);
  // The same for several runs, all in one transaction, which costs less than one for each. Runs that are stored
  // without their weights are returned with the reason, by their index.
  std::vector<std::pair<std::size_t, WeightsNotKept>> keep(std::span<RunRecord> records);

  // Tags and notes of runs. Each function throws wrong_input for a missing run, and then changes nothing.
  void tag(std::span<const std::int64_t> ids, std::span<const std::string> add, std::span<const std::string> remove);
  std::vector<std::pair<std::string, std::int64_t>> tags() const;  // each tag, with its number of runs
  void note(std::int64_t id, const std::string& text);             // replaces the earlier note; "": removes it

  // The bin. Its runs are complete, but queries do not find them, and the same run may be trained again. A run in
  // training cannot be moved there. restore() returns the ids of runs that stay in the bin because they were trained
  // again. Otherwise all runs are moved or none: a missing run throws wrong_input.
  void put_in_bin(std::span<const std::int64_t> ids);
  std::vector<std::int64_t> restore(std::span<const std::int64_t> ids);
  bool has(std::int64_t id) const;  // not in the bin
  bool is_in_bin(std::int64_t id) const;

  // Deletes the runs that were moved to the bin before `before` (UTC, ISO 8601; "": all). Deletes weights, checkpoints
  // and vocabularies (lab/store/vocabulary_cache.h) that belong to no run, and frees their disk space. `dry`: only
  // reports what would be deleted.
  struct Collected {
    std::int64_t runs = 0, weights = 0, checkpoints = 0, vocabularies = 0;
    std::uintmax_t bytes = 0;  // of files; dry: without the store's own file
    bool shrunk = true;        // false: the store keeps its size because runs are being trained
  };
  Collected collect_garbage(const std::string& before, bool dry);

  // Copies the runs of another store, with weights, tags and notes; series and arrays keep their bits. Runs in its bin
  // are not copied. A run with a known hash is not added; only its new tags and weights are. A finished run replaces an
  // unfinished one. Each run is copied whole or not at all, so an interrupted merge is completed by another merge. The
  // other store is only read (a store of an earlier version is updated first). A missing store, or this store, throws
  // wrong_input. A damaged store, or a store of a later version, throws failure before anything is copied.
  struct Merged {
    std::int64_t added = 0, furthered = 0, known = 0,
                 in_training = 0;       // furthered: stopped runs that were trained further there
    std::vector<std::string> troubles;  // weights and checkpoints that could not be read
  };
  Merged merge(const std::filesystem::path& other,
               const std::function<void(std::int64_t done, std::int64_t of)>& progress = {});

  // Empty for a run in the bin.
  std::optional<RunRecord> find(std::int64_t id, bool with_arrays = false) const;
  // Calls `use` with each of the runs in this order, whole but for arrays. Throws wrong_input for a missing run. Many
  // at once cost less than find() one by one, since a spec that they share is read once.
  void read(std::span<const std::int64_t> ids, const std::function<void(const RunRecord&)>& use) const;
  // Without arrays; without series and spec if the caller does not need them.
  std::optional<RunRecord> find_done(const std::string& hash, bool with_series = true) const;
  std::optional<RunRecord> find_undone(const std::string& hash) const;  // stopped, failed or in training
  std::vector<ArrayRecord> arrays(std::int64_t id, const std::string& name = {}) const;
  std::vector<ArrayShape> array_shapes(std::int64_t id) const;
  FetchArrays fetch_arrays() const;  // reads arrays for callers without a store; this Store must outlive it
  // Weights at the end of training. Empty for an unfinished run, and for a run without stored weights.
  std::optional<TensorFile> weights(const RunRecord& run) const;
  WeightFiles weight_files() const;
  // Throws wrong_input, with the nearest known name, for an unknown experiment, and for a condition or order with a
  // name that no run has. `matched` becomes the number of matching runs, before the limit.
  std::vector<RunRecord> query(const RunQuery& query, std::int64_t* matched = nullptr) const;
  // Calls `visit` with each matching run, by id, and the number of its spec; sort and limit do not count. The record
  // has the columns of the query and the facts of a run, and is used again for the next one: memory does not grow
  // with the number of runs. The store must not be changed meanwhile.
  void visit(const RunQuery& query, const std::function<void(const RunRecord& run, std::int64_t spec)>& visit) const;
  RunSpec spec(std::int64_t number) const;  // its seed is 0
  std::int64_t count() const;

  struct Names {
    std::vector<std::string> experiments, metrics, settings;  // sorted; every run also has run_facts()
  };
  Names names() const;
  // Throw wrong_input for a name that no run has, and for a number or a text in place of a condition. In an empty
  // store, every name is allowed.
  void require_known(const Expression& where) const;
  void require_known(const std::set<std::string>& names, const Location& location, bool in_condition = false) const;
  void require_experiment(const std::string& name) const;  // shipped experiments are known, with or without runs

  // The newest verdicts on an experiment's claims in one form replace all older ones in this form. Experiments of one
  // name from several files are different experiments.
  void keep_claims(const std::vector<ClaimResult>& claims);
  std::vector<ClaimResult> claims(const std::string& experiment = {}) const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fovea
