// Binds the records of runs without copies (folder python/src). python/fovea/runs.py and others read them. A Record
// owns its series and arrays, and every array that shows them keeps the record alive.
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>

#include "fovea/io/toml_reader.h"
#include "fovea/lab/store/store.h"
#include "fovea/view/terminal/attention_axes.h"
#include "fovea/view/terminal/default_metrics.h"
#include "python/src/arrays.h"
#include "python/src/parts.h"
#include "python/src/values.h"

namespace fovea::python {

RunState state_named(const std::string& name) {
  for (const RunState state : {RunState::running, RunState::done, RunState::stopped})
    if (name == state_name(state)) return state;
  return RunState::failed;
}

namespace {

const Series& series_named(const RunRecord& record, const std::string& name) {
  const auto found = record.series.find(name);
  if (found == record.series.end()) throw py::key_error(name);
  return found->second;
}

// A record as a tuple of what Python can pickle, and back: all but what the store alone has of it (tags, notes).
py::tuple state_of(const RunRecord& r) {
  py::list series, arrays;
  for (const auto& [name, points] : r.series) series.append(py::make_tuple(name, points.steps, points.values));
  for (const ArrayRecord& array : r.arrays)
    arrays.append(py::make_tuple(
        array.name, array.step, array.shape,
        py::bytes(reinterpret_cast<const char*>(array.values.data()), array.values.size() * sizeof(float))));
  return py::make_tuple(r.id, r.experiment, r.spec.text(), r.hash, state_name(r.state), r.error, r.version, r.machine,
                        r.started, r.seconds, r.steps, series, arrays, r.arithmetic);
}

std::shared_ptr<RunRecord> record_of(const py::tuple& state) {
  auto r = std::make_shared<RunRecord>();
  r->id = state[0].cast<std::int64_t>();
  r->experiment = state[1].cast<std::string>();
  r->spec = run_spec_from_table(parse_table(state[2].cast<std::string>(), "a pickled run"));
  r->hash = state[3].cast<std::string>();
  r->state = state_named(state[4].cast<std::string>());
  r->error = state[5].cast<std::string>();
  r->version = state[6].cast<std::string>();
  r->machine = state[7].cast<std::string>();
  r->started = state[8].cast<std::string>();
  r->seconds = state[9].cast<double>();
  r->steps = state[10].cast<std::int64_t>();
  r->arithmetic = state[13].cast<int>();
  for (const py::handle each : state[11]) {
    const auto points = py::reinterpret_borrow<py::tuple>(each);
    r->series[points[0].cast<std::string>()] = {points[1].cast<std::vector<std::int64_t>>(),
                                                points[2].cast<std::vector<double>>()};
  }
  for (const py::handle each : state[12]) {
    const auto array = py::reinterpret_borrow<py::tuple>(each);
    const auto bytes = array[3].cast<std::string_view>();
    ArrayRecord kept{
        array[0].cast<std::string>(), array[1].cast<std::int64_t>(), array[2].cast<std::vector<Index>>(), {}};
    kept.values.resize(bytes.size() / sizeof(float));
    std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<char*>(kept.values.data()));
    r->arrays.push_back(std::move(kept));
  }
  return r;
}

}  // namespace

void bind_records(py::module_& module) {
  py::class_<RunRecord, std::shared_ptr<RunRecord>>(module, "Record")
      .def_readonly("id", &RunRecord::id)
      .def_readonly("experiment", &RunRecord::experiment)
      .def_readonly("hash", &RunRecord::hash)
      .def_readonly("error", &RunRecord::error)
      .def_readonly("version", &RunRecord::version)
      .def_readonly("arithmetic", &RunRecord::arithmetic)
      .def_readonly("machine", &RunRecord::machine)
      .def_readonly("started", &RunRecord::started)
      .def_readonly("seconds", &RunRecord::seconds)
      .def_readonly("steps", &RunRecord::steps)
      .def_readonly("spec", &RunRecord::spec)
      .def_property_readonly("state", [](const RunRecord& record) { return state_name(record.state); })
      .def_property_readonly("attention_axes", [](const RunRecord& record) { return attention_axes(record.spec); })
      .def_property_readonly("metrics", &RunRecord::metrics)
      .def_property_readonly("series_names",
                             [](const RunRecord& record) {
                               std::vector<std::string> names;
                               for (const auto& [name, series] : record.series) names.push_back(name);
                               return names;
                             })
      .def_property_readonly("telling_metrics", [](const RunRecord& record) { return default_metrics({&record}); })
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
           })
      .def(py::pickle(&state_of, &record_of));
}

}  // namespace fovea::python
