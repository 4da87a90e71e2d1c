// What runs leave behind, seen without copies: a Record owns its series and arrays, and every array that shows them
// keeps the record.
#include <pybind11/stl.h>

#include <memory>

#include "fovea/lab/store.h"
#include "python/src/arrays.h"
#include "python/src/parts.h"
#include "python/src/values.h"

namespace fovea::python {

namespace {

const Series& series_named(const RunRecord& record, const std::string& name) {
  const auto found = record.series.find(name);
  if (found == record.series.end()) throw py::key_error(name);
  return found->second;
}

}  // namespace

void bind_records(py::module_& module) {
  py::class_<RunRecord, std::shared_ptr<RunRecord>>(module, "Record")
      .def_readonly("id", &RunRecord::id)
      .def_readonly("experiment", &RunRecord::experiment)
      .def_readonly("hash", &RunRecord::hash)
      .def_readonly("error", &RunRecord::error)
      .def_readonly("version", &RunRecord::version)
      .def_readonly("machine", &RunRecord::machine)
      .def_readonly("started", &RunRecord::started)
      .def_readonly("seconds", &RunRecord::seconds)
      .def_readonly("steps", &RunRecord::steps)
      .def_readonly("spec", &RunRecord::spec)
      .def_property_readonly("state", [](const RunRecord& record) { return state_name(record.state); })
      .def_property_readonly("metrics", &RunRecord::metrics)
      .def_property_readonly("series_names",
                             [](const RunRecord& record) {
                               std::vector<std::string> names;
                               for (const auto& [name, series] : record.series) names.push_back(name);
                               return names;
                             })
      .def("series",  // (steps, values)
           [](const std::shared_ptr<RunRecord>& record, const std::string& name) {
             const Series& series = series_named(*record, name);
             const py::object owner = py::cast(record);
             return py::make_tuple(view_of(series.steps, owner), view_of(series.values, owner));
           })
      .def("arrays",  // [(name, step, values)]
           [](const std::shared_ptr<RunRecord>& record) {
             const py::object owner = py::cast(record);
             py::list arrays;
             for (const ArrayRecord& array : record->arrays)
               arrays.append(
                   py::make_tuple(array.name, array.step, view_of(array.values.data(), sizes_of(array.shape), owner)));
             return arrays;
           });
}

}  // namespace fovea::python
