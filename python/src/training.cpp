// Binds training of one run and of many: what `fovea run` and `fovea sweep` do (folder python/src).
// python/fovea/training.py and sweeps.py call it. It writes the store unless the caller keeps no run.
#include <pybind11/stl.h>

#include <memory>
#include <optional>

#include "fovea/lab/engine/python_engine.h"
#include "fovea/lab/experiment/sweep_plan.h"
#include "fovea/lab/spec/train_settings.h"
#include "fovea/lab/store/store.h"
#include "fovea/lab/sweep/sweep.h"
#include "fovea/lab/train/weights_file.h"
#include "python/src/arrays.h"
#include "python/src/call.h"
#include "python/src/parts.h"
#include "python/src/watching.h"
#include "python/src/wording.h"

namespace fovea::python {

namespace {

struct Options {
  int jobs = 0;
  bool retrain = false, ignore_checkpoint = false, retry_failed = false, wait = true;
  double checkpoint_every = CheckpointPlan().every;
};

// Processes of this Python, with its own search path. They are kept for later runs.
UpdateEngine& engine_of_this_python() {
  const py::module_ sys = py::module_::import("sys");
  static PythonEngine engine(sys.attr("executable").cast<std::string>(),
                             py::str(":").attr("join")(sys.attr("path")).cast<std::string>());
  return engine;
}

// `progress` and `notice` may be None, and so may `on_step`, which only one run at a time may have. Returns ([record or
// None, …], counts, weights or None, exception or None): what was reached is told also where a callback raised or
// Ctrl-C was pressed.
py::tuple train_kept(const std::string& file, const std::string& experiment, const RunList& list, const Options& how,
                     const py::object& progress, const py::object& notice, std::optional<py::object> on_step = {}) {
  std::vector<std::shared_ptr<RunRecord>> reached(list.size());
  SweepProgress last;
  Call call;
  PythonWatcher watcher(call, on_step.value_or(py::none()), py::none());
  SweepOptions options;
  options.jobs = how.jobs;
  options.retrain = how.retrain;
  options.ignore_checkpoints = how.ignore_checkpoint;
  options.retry_failed = how.retry_failed;
  options.wait = how.wait;
  options.checkpoint_every = how.checkpoint_every;
  options.stop = &call.stop();
  options.engine = &engine_of_this_python();
  if (on_step) options.watcher = &watcher;
  options.on_record = [&](std::size_t index, RunRecord record) {
    reached[index] = std::make_shared<RunRecord>(std::move(record));
  };
  options.progress = [&](const SweepProgress& now) {
    call.poll_signals();
    if (!progress.is_none()) call.back([&] { progress(py::cast(now, py::return_value_policy::copy)); });
  };
  options.wording = &python_wording();
  if (!notice.is_none()) options.notice = [&](const std::string& text) { call.back([&] { notice(text); }); };
  {
    const py::gil_scoped_release free;
    Store store(file);
    last = sweep(store, experiment, list, options);
    if (last.refusal) throw Error(*last.refusal);
  }
  return py::make_tuple(reached, last, watcher.weights(), call.error());
}

// The same for a run that is not kept: nothing is read or written.
py::tuple train_apart(ResolvedRun& run, const std::string& experiment, const py::object& progress,
                      const py::object& on_step, const py::object& intervene) {
  Call call;
  PythonWatcher watcher(call, on_step, intervene);
  TrainHooks hooks;
  hooks.watcher = &watcher;
  hooks.stop = &call.stop();
  hooks.engine = &engine_of_this_python();
  hooks.progress = [&](std::int64_t step, std::int64_t of) {
    call.poll_signals();
    if (!progress.is_none()) call.back([&] { progress(step, of); });
  };
  auto record = std::make_shared<RunRecord>();
  {
    const py::gil_scoped_release free;
    *record = train(run.hand_over(), hooks);
    record->experiment = experiment;
  }
  py::object weights = watcher.weights();
  if (!run.train().checkpoints.empty())
    weights =
        arrays_of(std::make_shared<TensorFile>(TensorFile::parse(weights_file(*record, record->hash), "weights")));
  return py::make_tuple(record, weights, call.error());
}

}  // namespace

void bind_training(py::module_& module) {
  py::module_::import("atexit").attr("register")(py::cpp_function(&Call::end_all));
  py::class_<SweepProgress::Run>(module, "InTraining")
      .def_readonly("label", &SweepProgress::Run::label)
      .def_readonly("step", &SweepProgress::Run::step)
      .def_readonly("of", &SweepProgress::Run::of);
  py::class_<SweepProgress>(module, "Progress")
      .def_readonly("total", &SweepProgress::total)
      .def_readonly("done", &SweepProgress::done)
      .def_readonly("reused", &SweepProgress::reused)
      .def_readonly("failed", &SweepProgress::failed)
      .def_readonly("stopped", &SweepProgress::stopped)
      .def_readonly("elsewhere", &SweepProgress::elsewhere)
      .def_readonly("seconds", &SweepProgress::seconds)
      .def_readonly("seconds_left", &SweepProgress::seconds_left)
      .def_readonly("in_training", &SweepProgress::in_training)
      .def_property_readonly("left", &SweepProgress::left);

  module.def(
      "run_kept",
      [](const std::string& file, const std::string& experiment, ResolvedRun& run, bool retrain, bool ignore_checkpoint,
         double checkpoint_every, const py::object& progress, const py::object& notice, const py::object& on_step) {
        const Options options{1, retrain, ignore_checkpoint, !retrain, false, checkpoint_every};
        std::vector<ResolvedRun> runs;
        runs.push_back(run.hand_over());
        return train_kept(file, experiment, ResolvedRuns(runs), options, progress, notice, on_step);
      },
      py::arg("file"), py::arg("experiment"), py::arg("run"), py::kw_only(), py::arg("retrain"),
      py::arg("ignore_checkpoint"), py::arg("checkpoint_every"), py::arg("progress"), py::arg("notice"),
      py::arg("on_step"));
  module.def("run_apart", &train_apart, py::arg("run"), py::arg("experiment"), py::kw_only(), py::arg("progress"),
             py::arg("on_step"), py::arg("intervene"));
  module.def(
      "sweep_kept",
      [](const std::string& file, const std::string& experiment, const SweepPlan& plan, int jobs, bool retrain,
         bool ignore_checkpoint, bool retry_failed, double checkpoint_every, const py::object& progress,
         const py::object& notice) {
        const Options options{jobs, retrain, ignore_checkpoint, retry_failed, true, checkpoint_every};
        return train_kept(file, experiment, plan, options, progress, notice);
      },
      py::arg("file"), py::arg("experiment"), py::arg("plan"), py::kw_only(), py::arg("jobs"), py::arg("retrain"),
      py::arg("ignore_checkpoint"), py::arg("retry_failed"), py::arg("checkpoint_every"), py::arg("progress"),
      py::arg("notice"));
}

}  // namespace fovea::python
