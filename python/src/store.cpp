// Binds the store (folder python/src). python/fovea/run_store.py calls it. Each call opens the store for itself, so
// any thread may call, and a forked process has no connection of its parent's.
#include "fovea/lab/store/store.h"

#include <pybind11/stl.h>

#include <array>
#include <memory>

#include "python/src/arrays.h"
#include "python/src/parts.h"

namespace fovea::python {

namespace {

using Records = std::vector<std::shared_ptr<RunRecord>>;

std::shared_ptr<RunRecord> shared(RunRecord&& record) { return std::make_shared<RunRecord>(std::move(record)); }

Store opened(const std::string& file) { return Store(file, Store::Mode::read_only); }

std::shared_ptr<RunRecord> find(const std::string& file, std::int64_t id) {
  std::optional<RunRecord> record = opened(file).find(id);
  return record ? shared(std::move(*record)) : nullptr;
}

// A record that holds these arrays alone.
std::shared_ptr<RunRecord> arrays(const std::string& file, std::int64_t id, const std::string& name) {
  RunRecord record;
  record.id = id;
  record.arrays = opened(file).arrays(id, name);
  return shared(std::move(record));
}

// What is kept beside the store of a run that is done: {name: array}, in the memory that the file was read into. None
// where none was kept.
py::object weights(const std::string& file, const std::shared_ptr<RunRecord>& run) {
  std::shared_ptr<TensorFile> kept;
  {
    const py::gil_scoped_release free;
    if (auto read = opened(file).weights(*run)) kept = std::make_shared<TensorFile>(std::move(*read));
  }
  return kept ? py::object(arrays_of(kept)) : py::none();
}

Records query(const std::string& file, const std::string& where, const std::string& experiment, const std::string& sort,
              std::int64_t limit) {
  RunQuery query;
  if (!where.empty()) query.where = Expression::parse(where, Location::argument("where"));
  query.experiment = experiment;
  query.sort = sort;
  query.sort_location = Location::argument("sort");
  query.limit = limit;
  query.with_series = true;
  Records records;
  for (RunRecord& record : opened(file).query(query)) records.push_back(shared(std::move(record)));
  return records;
}

}  // namespace

void bind_store(py::module_& module) {
  using Free = py::call_guard<py::gil_scoped_release>;
  module.def("default_store", [] { return Store::default_file().string(); });
  module.def("store_find", &find, Free());
  module.def("store_arrays", &arrays, Free());
  module.def("store_weights", &weights);
  module.def("store_query", &query, Free(), py::arg("file"), py::arg("where"), py::arg("experiment"), py::arg("sort"),
             py::arg("limit"));
  module.def("store_count", [](const std::string& file) { return opened(file).count(); }, Free());
  module.def(
      "store_remove",
      [](const std::string& file, std::int64_t id) {
        Store store(file);
        if (!store.has(id)) return false;
        store.put_in_bin(std::array{id});
        return true;
      },
      Free());
  module.def(
      "store_names",
      [](const std::string& file) {
        const Store::Names names = opened(file).names();
        return std::make_tuple(names.experiments, names.metrics, names.settings);
      },
      Free());
}

}  // namespace fovea::python
