// A task whose batches a function of Python gives. A spec names it by a number of this process, so no other can run it.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>

#include "fovea/base/registry.h"
#include "python/src/batches.h"
#include "python/src/parts.h"

namespace fovea::python {

namespace {

// What a task in Python is here: batch(split, step, seed, size) -> dict, and an exception of it that is to surface.
struct Given {
  std::string name;
  TaskShape shape;
  py::object batch;
  py::object raised = py::none();
};

// Those that live, by their numbers. Python objects in it are touched with the GIL alone.
class GivenTasks {
 public:
  std::string add(std::shared_ptr<Given> given) {
    const std::lock_guard lock(mutex_);
    const std::string key = fmt::format("{} {}", given->name, ++count_);
    all_[key] = std::move(given);
    return key;
  }
  std::shared_ptr<Given> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(key);
    return found == all_.end() ? nullptr : found->second;
  }
  std::shared_ptr<Given> take(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(key);
    if (found == all_.end()) return nullptr;
    auto given = std::move(found->second);
    all_.erase(found);
    return given;
  }

 private:
  std::mutex mutex_;
  std::int64_t count_ = 0;
  std::map<std::string, std::shared_ptr<Given>> all_;
};

GivenTasks& given_tasks() {
  static GivenTasks& tasks = *new GivenTasks();  // outlives the interpreter, and holds nothing then
  return tasks;
}

const char* split_name(Split split) {
  return split == Split::train ? "train" : split == Split::validation ? "validation" : "test";
}

class OwnTask : public Task {
 public:
  void settings(Fields& fields) override { fields.text("key", key_, "which function gives the batches"); }
  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    given_ = given_tasks().find(key_);
    if (!given_)
      throw wrong_input(fmt::format("the task '{}' is a function of a Python program", key_),
                        "run it from there: fovea.run(…, task=…)");
  }
  TaskShape shape() const override { return given_->shape; }
  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    const py::gil_scoped_acquire held;
    try {
      const py::object parts = given_->batch(split_name(split), step, seed_, size);
      const std::string owner = fmt::format("task '{}'", given_->name);
      if (!py::isinstance<py::dict>(parts))
        throw wrong_input(fmt::format("{} gave {}, not a batch", owner, py::repr(parts).cast<std::string>()),
                          "a batch is a dict of arrays");
      fill_batch(given_->shape, parts, owner, batch);
    } catch (py::error_already_set& error) {
      if (error.trace()) PyException_SetTraceback(error.value().ptr(), error.trace().ptr());
      if (given_->raised.is_none()) given_->raised = error.value();
      throw wrong_input(fmt::format("the task '{}' raised {}", given_->name,
                                    py::str(py::type::handle_of(error.value()).attr("__name__")).cast<std::string>()));
    }
  }

 private:
  std::string key_;
  std::uint64_t seed_ = 0;
  std::shared_ptr<Given> given_;
};

const Register<Task> registered("python", "batches that a function of Python gives (fovea.Task)",
                                [] { return std::make_unique<OwnTask>(); });

}  // namespace

void bind_own_tasks(py::module_& module) {
  module.def("add_task", [](const std::string& name, const py::dict& shape, const py::object& batch) {
    auto given = std::make_shared<Given>();
    given->name = name;
    given->shape = shape_of(shape);
    given->batch = batch;
    return given_tasks().add(std::move(given));
  });
  // The exception that it raised, or None.
  module.def("remove_task", [](const std::string& key) {
    const auto given = given_tasks().take(key);
    return given ? given->raised : py::object(py::none());
  });
}

}  // namespace fovea::python
