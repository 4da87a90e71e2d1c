// Lent: parts in Python that a spec names by a number of this process, so that no other process can run it (folder
// python/src). own_task.cpp and own_similarity.cpp of this folder keep theirs in it.
#pragma once

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "fovea/base/error/error.h"

namespace fovea::python {

namespace py = pybind11;

// A part in Python: what it is called, and the first exception of it, which is to surface. Python objects in it are
// touched with the GIL alone.
struct PythonPart {
  std::string name;
  py::object raised = py::none();

  // Calls Python; what it raises is kept, and the engine hears of wrong input. `what` is "task", "similarity", …
  template <class Work>
  void call(const char* what, Work&& work) {
    const py::gil_scoped_acquire held;
    try {
      work();
    } catch (py::error_already_set& error) {
      if (error.trace()) PyException_SetTraceback(error.value().ptr(), error.trace().ptr());
      if (raised.is_none()) raised = error.value();
      throw wrong_input(fmt::format("the {} '{}' raised {}", what, name,
                                    py::str(py::type::handle_of(error.value()).attr("__name__")).cast<std::string>()));
    }
  }
};

// Those of one kind that are lent now, by their keys.
template <class Part>
class Lent {
 public:
  static Lent& all() {
    static Lent& lent = *new Lent();  // outlives the interpreter, and holds nothing then
    return lent;
  }

  std::string add(std::shared_ptr<Part> part) {
    const std::lock_guard lock(mutex_);
    std::string key = fmt::format("{} {}", part->name, ++count_);
    parts_[key] = std::move(part);
    return key;
  }
  // Throws wrong_input where no part has that key; `what` as above.
  std::shared_ptr<Part> find(const std::string& key, const char* what) {
    const std::lock_guard lock(mutex_);
    const auto found = parts_.find(key);
    if (found == parts_.end())
      throw wrong_input(fmt::format("the {} '{}' is a function of a Python program", what, key),
                        "run it from there: fovea.run({…})");
    return found->second;
  }
  std::shared_ptr<Part> take(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = parts_.find(key);
    if (found == parts_.end()) return nullptr;
    auto part = std::move(found->second);
    parts_.erase(found);
    return part;
  }

 private:
  std::mutex mutex_;
  std::int64_t count_ = 0;
  std::map<std::string, std::shared_ptr<Part>> parts_;
};

}  // namespace fovea::python
