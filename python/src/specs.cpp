// Binds experiments, their settings, and the spec of one run (folder python/src). python/fovea/settings.py, runs.py
// and sweeps.py call it. It changes nothing.
#include <pybind11/stl.h>

#include <memory>

#include "fovea/base/error/names.h"
#include "fovea/base/old_names.h"
#include "fovea/lab/experiment/describe.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/experiment/sweep_plan.h"
#include "fovea/lab/experiment/unresolved_spec.h"
#include "fovea/lab/spec/train_settings.h"
#include "python/src/parts.h"
#include "python/src/values.h"
#include "python/src/wording.h"

namespace fovea::python {

namespace {

void set_location(Value& value, const Location& location) {
  value.location = location;
  if (auto* const list = std::get_if<ValueList>(&value.data))
    for (Value& item : *list) set_location(item, location);
  if (auto* const table = std::get_if<ValueTable>(&value.data))
    for (auto& [key, item] : *table) set_location(item, location);
}

// A dict is an experiment file's top table.
ValueTable table_of(const py::dict& spec, const Location& location) {
  ValueTable table;
  for (const auto& [key, value] : spec) {
    const std::string name = text_of(key, "a key of the spec");
    set_location(table[name] = value_of(value, name), location);
  }
  return table;
}

py::list descriptions(const std::vector<Description>& all) {
  py::list list;
  for (const Description& part : all) {
    py::list settings;
    for (const SettingDescription& setting : part.settings)
      settings.append(py::dict(py::arg("name") = setting.name, py::arg("kind") = setting.kind,
                               py::arg("help") = setting.help,
                               py::arg("default") = setting.fallback ? object_of(*setting.fallback) : py::none()));
    list.append(
        py::dict(py::arg("name") = part.name, py::arg("summary") = part.summary, py::arg("settings") = settings));
  }
  return list;
}

std::vector<Description> describe(const std::string& what) {
  if (what == "tasks") return describe_tasks();
  if (what == "models") return describe_models();
  if (what == "probes") return describe_probes();
  if (what == "interventions") return describe_interventions();
  if (what == "settings") return describe_settings();
  if (what == "experiments") return describe_experiments();
  const std::vector<std::string> known{"tasks", "models", "probes", "interventions", "settings", "experiments"};
  throw wrong_input("there is no list of '" + what + "'", suggest_name(what, known));
}

NameKind kind_of_name(const std::string& kind) {
  return kind == "metric" ? NameKind::metric : kind == "probe" ? NameKind::probe : NameKind::python;
}

Preset preset_of(bool quick) { return quick ? Preset::quick : Preset::full; }

}  // namespace

void bind_specs(py::module_& module) {
  module.def("describe", [](const std::string& what) { return descriptions(describe(what)); });
  module.def("report_old_name", [](const std::string& kind, const std::string& name) {
    return report_old_name(kind_of_name(kind), name);
  });
  module.def("listen_for_old_names", [](py::object listener) {
    listen_for_old_names([listener = std::make_shared<py::object>(std::move(listener))](const OldName& name) {
      const py::gil_scoped_acquire held;
      (*listener)(std::string(name.old), std::string(name.now));
    });
    py::module_::import("atexit").attr("register")(py::cpp_function([] { listen_for_old_names({}); }));
  });
  module.def("suggest_name", [](const std::string& word, const std::vector<std::string>& candidates) {
    return python_wording().remedy(suggest_name(word, candidates));
  });

  py::class_<Experiment, std::shared_ptr<Experiment>>(module, "Experiment")
      .def_readonly("name", &Experiment::name)
      .def_readonly("title", &Experiment::title)
      .def_readonly("idea", &Experiment::idea)
      .def_readonly("seed", &Experiment::seed)
      .def_property_readonly("task", [](const Experiment& e) { return object_of({e.task, {}}); })
      .def_property_readonly("model", [](const Experiment& e) { return object_of({e.model, {}}); })
      .def("resolve",
           [](const Experiment& experiment, bool quick, const py::dict& settings, std::uint64_t seed) {
             const std::vector<Override> overrides = overrides_of(settings);
             const py::gil_scoped_release free;
             return std::make_shared<ResolvedRun>(resolve_run(experiment, preset_of(quick), overrides, seed));
           })
      .def("probe_table",
           [](const Experiment& experiment, bool quick, const py::dict& settings) {
             const std::vector<Override> overrides = overrides_of(settings);
             ValueTable probe = unresolved_spec(experiment, preset_of(quick), overrides, experiment.seed).probe;
             return object_of({read_probe(probe).write(), {}});
           })
      .def("first_values",
           [](const Experiment& experiment, bool quick, const py::dict& settings) {
             return dict_of(first_values(experiment, preset_of(quick), overrides_of(settings)));
           })
      .def("left_out",
           [](const Experiment& experiment, bool quick, const py::dict& settings) {
             return settings_left_out(experiment, preset_of(quick), overrides_of(settings));
           })
      .def("plan", [](const Experiment& experiment, bool quick, const py::dict& settings, const py::dict& axes,
                      std::optional<std::int64_t> draws) {
        const std::vector<Override> overrides = overrides_of(settings);
        std::vector<Axis> given;
        for (const Override& axis : overrides_of(axes)) given.push_back(axis_of(axis.key, axis.value));
        Experiment drawn = experiment;
        if (draws) drawn.set_draws(*draws);
        const py::gil_scoped_release free;
        auto plan = std::make_shared<SweepPlan>(drawn, preset_of(quick), overrides, given);
        plan->check();
        return plan;
      });
  module.def("find_experiment", [](const std::string& name) {
    const py::gil_scoped_release free;
    return std::make_shared<Experiment>(find_experiment(name));
  });
  module.def("parse_experiment", [](const py::dict& spec, const std::string& name) {
    const Location location{name, 0, 0, Location::Kind::spec};
    const ValueTable table = table_of(spec, location);
    const py::gil_scoped_release free;
    return std::make_shared<Experiment>(experiment_from_table(table, location));
  });

  py::class_<RunSpec, std::shared_ptr<RunSpec>>(module, "Spec")
      .def_property_readonly("seed", [](const RunSpec& spec) { return spec.seed; })
      .def_property_readonly("hash", &RunSpec::hash)
      .def("text", &RunSpec::text)
      .def("with_similarity",  // that of a model which is pooling by a function of Python
           [](const RunSpec& spec, const std::string& key) {
             auto other = std::make_shared<RunSpec>(spec);
             other->model["key"] = {key, {}};
             return other;
           })
      .def("table", [](const RunSpec& spec) { return object_of({spec.table(), {}}); });

  // A run that has read its spec, and made its task and model. Trained again, it reads its spec again.
  py::class_<ResolvedRun, std::shared_ptr<ResolvedRun>>(module, "ResolvedRun")
      .def(py::init<RunSpec>())
      .def_property_readonly("spec", &ResolvedRun::spec);

  py::class_<SweepPlan, std::shared_ptr<SweepPlan>>(module, "Plan")
      .def("__len__", &SweepPlan::size)
      .def_property_readonly("shape", &SweepPlan::shape)
      .def("label", &SweepPlan::label);
}

}  // namespace fovea::python
