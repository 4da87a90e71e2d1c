// Task `python`: batches that a function of Python gives (fovea.Task) (folder python/src). lab/spec makes it by name
// for runs of python/fovea/tasks.py. A spec names it by a number of this process, so no other can run it.
#include <fmt/format.h>

#include <memory>

#include "fovea/base/registry.h"
#include "python/src/batches.h"
#include "python/src/lent.h"
#include "python/src/parts.h"

namespace fovea::python {

namespace {

// What a task in Python is here: batch(split, step, seed, size) -> dict.
struct GivenTask : PythonPart {
  TaskShape shape;
  py::object batch;
};

const char* split_name(Split split) {
  return split == Split::train ? "train" : split == Split::validation ? "validation" : "test";
}

class OwnTask : public Task {
 public:
  void settings(Fields& fields) override { fields.text("key", key_, "which function gives the batches"); }
  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    given_ = Lent<GivenTask>::all().find(key_, "task");
  }
  TaskShape shape() const override { return given_->shape; }
  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    given_->call("task", [&] {
      const py::object parts = given_->batch(split_name(split), step, seed_, size);
      const std::string owner = fmt::format("task '{}'", given_->name);
      if (!py::isinstance<py::dict>(parts))
        throw wrong_input(fmt::format("{} gave {}, not a batch", owner, py::repr(parts).cast<std::string>()),
                          "a batch is a dict of arrays");
      fill_batch(given_->shape, parts, owner, batch);
    });
  }

 private:
  std::string key_;
  std::uint64_t seed_ = 0;
  std::shared_ptr<GivenTask> given_;
};

const Register<Task> registered_task("python", "batches that a function of Python gives (fovea.Task)",
                                     [] { return std::make_unique<OwnTask>(); });

}  // namespace

void bind_own_tasks(py::module_& module) {
  module.def("add_task", [](const std::string& name, const py::dict& shape, const py::object& batch) {
    auto given = std::make_shared<GivenTask>();
    given->name = name;
    given->shape = shape_of(shape);
    given->batch = batch;
    return Lent<GivenTask>::all().add(std::move(given));
  });
  // The exception that it raised, or None.
  module.def("remove_task", [](const std::string& key) {
    const auto given = Lent<GivenTask>::all().take(key);
    return given ? given->raised : py::object(py::none());
  });
}

}  // namespace fovea::python
