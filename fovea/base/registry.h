// Registry: parts that are found by name, such as tasks, models, probes, schedules, figure kinds and commands (room
// base). Each kind's base class includes it. A part registers itself in its own file:
//
//   namespace {
//   const Register<Task> copy("copy", "the target is the source", [] { return std::make_unique<Copy>(); });
//   }
//
// To add a part is to add a file. Registration happens before main. Lookup is read-only and safe from any thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/base/error/names.h"

namespace fovea {

template <class Part>
class Registry {
 public:
  struct Entry {
    std::string summary;  // one line for `fovea list`
    std::unique_ptr<Part> (*make)() = nullptr;
  };

  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  void add(const std::string& name, Entry entry) { entries_[name] = std::move(entry); }
  const std::map<std::string, Entry>& all() const { return entries_; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries_) names.push_back(name);
    return names;
  }

  // Throws wrong_input naming the nearest known name. `what` is "task", "model", …
  std::unique_ptr<Part> make(const std::string& name, const std::string& what, const Location& location = {}) const {
    const auto found = entries_.find(name);
    if (found == entries_.end())
      throw wrong_input("there is no " + what + " '" + name + "'", suggest_name(name, names()), location);
    return found->second.make();
  }

 private:
  std::map<std::string, Entry> entries_;
};

// `Make` captures nothing, so it is a plain function.
template <class Part>
struct Register {
  template <class Make>
  Register(const std::string& name, std::string summary, Make) {
    Registry<Part>::instance().add(name, {std::move(summary), [] { return std::unique_ptr<Part>(Make()()); }});
  }
};

}  // namespace fovea
