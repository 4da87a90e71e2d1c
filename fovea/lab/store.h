// Where runs are kept: one SQLite file in the user's folder (home_folder()/runs.db), in WAL mode, so that it survives a kill and
// several processes may use it at once. Every change is one transaction. Throws failure when the disk is full or the file
// can not be written, with all earlier runs as they were.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fovea/lab/expression.h"
#include "fovea/lab/record.h"

namespace fovea {

struct RunQuery {
  std::optional<Expression> where;
  std::string experiment;             // empty: any
  std::string sort;                   // a metric or setting, "-accuracy" for falling order; empty: by id
  std::int64_t limit = -1;
  bool with_series = false, with_arrays = false;
};

class Store {
 public:
  enum class Mode { read_write, read_only };
  explicit Store(const std::filesystem::path& file, Mode mode = Mode::read_write);
  static std::filesystem::path default_file();  // home_folder() / "runs.db"; its folder is made if missing
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  // Keeps a run: row, series, arrays in one transaction; sets record.id. A run of the same hash that is not done is replaced.
  std::int64_t keep(RunRecord& record);

  std::optional<RunRecord> find(std::int64_t id, bool with_arrays = false) const;
  std::optional<RunRecord> find_done(const std::string& hash) const;  // with series, without arrays
  std::vector<ArrayRecord> arrays(std::int64_t id, const std::string& name = {}) const;
  std::vector<RunRecord> query(const RunQuery& query) const;
  std::int64_t count() const;

  // The newest verdict on each claim of an experiment, by form, replaces the older.
  void keep_claims(const std::vector<ClaimResult>& claims);
  std::vector<ClaimResult> claims(const std::string& experiment = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fovea
