// Binds trained models: forward passes and β on batches of the caller (folder python/src). python/fovea/models.py
// calls it. Parameters are not changed.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "fovea/base/error/names.h"
#include "fovea/lab/spec/assembly.h"
#include "python/src/arrays.h"
#include "python/src/batches.h"
#include "python/src/parts.h"

namespace fovea::python {

namespace {

class Applied {
 public:
  virtual ~Applied() = default;
  virtual const TaskShape& shape() const = 0;
  virtual py::dict forward(const py::dict& parts, bool with_beta) = 0;
  // Of the first examples of the spec's task, those that attention is kept of (lab/train/recorder.h).
  virtual py::object beta_of_examples(int count) = 0;
};

template <class T>
class AppliedIn final : public Applied {
 public:
  // The model of the spec, for a task of this shape, with these weights: all that it has, by name.
  AppliedIn(const RunSpec& spec, const TaskShape& shape, const py::dict& weights)
      : spec_(spec), shape_(shape), model_(make_model<T>(spec_, shape_, parameters_)) {
    std::vector<std::string> names;
    for (const Param<T>& p : parameters_.all()) {
      take(p, weights);
      names.push_back(p.name);
    }
    for (const auto& [key, values] : weights)  // what is left over would be a part of another model
      if (const auto name = py::cast<std::string>(key); std::ranges::find(names, name) == names.end())
        throw wrong_input(fmt::format("the model has no weights '{}'", name), suggest_name(name, names));
  }

  const TaskShape& shape() const override { return shape_; }

  py::dict forward(const py::dict& parts, bool with_beta) override {
    Batch batch;
    fill_batch(shape_, parts, "the batch", batch);
    return run_forward(with_beta, [&]() -> const Batch& { return batch; });
  }

  py::object beta_of_examples(int count) override {
    Batch batch;
    std::unique_ptr<Task> task;  // which a batch may point into
    return run_forward(true, [&]() -> const Batch& {
      task = make_task(spec_);
      task->batch(Split::test, 0, count, batch);
      if (batch.size == 0) task->batch(Split::validation, 0, count, batch);
      return batch;
    })["beta"];
  }

 private:
  // The batch is had without the GIL, and lives until the end.
  template <class Give>
  py::dict run_forward(bool with_beta, Give&& give) {
    if (at_work_ == std::this_thread::get_id())
      throw failure("this model is at work: a function that it calls cannot call the model", "keep its earlier output");
    const py::gil_scoped_release free;  // before the lock, so that nobody waits for it with the GIL
    const std::lock_guard lock(mutex_);
    const AtWork here(at_work_);
    const Batch& batch = give();
    if (arena_.use_count() > 1) arena_ = std::make_shared<Arena>();  // what was given before is somebody's
    arena_->reset();
    Team team;
    Compute compute{*arena_, team};
    const Trace<T> trace = model_->forward(compute, batch, {});
    const Cube<T> beta = with_beta ? model_->beta(compute, trace) : Cube<T>();
    const py::gil_scoped_acquire held;
    const py::object owner = py::capsule(new std::shared_ptr<Arena>(arena_),
                                         [](void* kept) { delete static_cast<std::shared_ptr<Arena>*>(kept); });
    py::dict out;
    out["loss"] = trace.loss;
    out["scores"] = shown(trace.scores, owner);
    out["attention"] = shown(trace.attention, owner);
    out["predictions"] = shown(trace.predictions, owner);
    out["beta"] = shown(beta, owner);
    return out;
  }

  static void take(const Param<T>& p, const py::dict& weights) {
    const py::str name(p.name);
    if (!weights.contains(name)) {
      throw wrong_input(fmt::format("there are no weights '{}'", p.name), "give all that the model has");
    }
    const auto values = py::array_t<T, py::array::c_style | py::array::forcecast>::ensure(weights[name]);
    if (!values) throw py::error_already_set();
    const std::vector<Index> given(values.shape(), values.shape() + values.ndim());
    if (given != p.shape)
      throw wrong_input(fmt::format("the weights '{}' have the shape ({})", p.name, fmt::join(given, ", ")),
                        fmt::format("they must have ({})", fmt::join(p.shape, ", ")));
    std::copy_n(values.data(), values.size(), p.value);
  }
  template <int Rank>
  static py::object shown(const View<T, Rank>& view, const py::object& owner) {
    if (view.empty()) return py::none();
    return view_of(view.data(), {view.shape().begin(), view.shape().end()}, owner);
  }

  // Says which thread is within run_forward(): a similarity in Python may try to come back.
  class AtWork {
   public:
    explicit AtWork(std::atomic<std::thread::id>& whose) : whose_(whose) { whose_ = std::this_thread::get_id(); }
    ~AtWork() { whose_ = std::thread::id(); }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;

   private:
    std::atomic<std::thread::id>& whose_;
  };

  RunSpec spec_;
  TaskShape shape_;
  ParameterSet<T> parameters_;
  std::unique_ptr<Model<T>> model_;
  std::shared_ptr<Arena> arena_ = std::make_shared<Arena>();
  std::mutex mutex_;
  std::atomic<std::thread::id> at_work_;
};

}  // namespace

void bind_applying(py::module_& module) {
  py::class_<Applied, std::shared_ptr<Applied>>(module, "Applied")
      .def(py::init([](const RunSpec& spec, const py::object& shape, const py::dict& weights,
                       bool doubled) -> std::shared_ptr<Applied> {
             TaskShape of;
             if (shape.is_none()) {
               const py::gil_scoped_release free;  // a corpus is read
               of = make_task(spec)->shape();
             } else {
               of = shape_of(shape);
             }
             if (doubled) return std::make_shared<AppliedIn<double>>(spec, of, weights);
             return std::make_shared<AppliedIn<float>>(spec, of, weights);
           }),
           py::arg("spec"), py::arg("shape"), py::arg("weights"), py::arg("double"))
      .def_property_readonly("sizes", [](const Applied& applied) { return facts_of(applied.shape()); })
      .def("forward", &Applied::forward, py::arg("batch"), py::arg("with_beta"))
      .def("beta_of_examples", &Applied::beta_of_examples, py::arg("count"));
}

}  // namespace fovea::python
