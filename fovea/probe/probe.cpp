#include "fovea/probe/probe.h"

#include <fmt/format.h>

#include <string_view>

namespace fovea {

const ParameterView& Evaluation::parameter(std::string_view name) const {
  for (const ParameterView& view : parameters) {
    if (view.name == name) return view;
  }
  std::string known;
  for (const ParameterView& view : parameters) known += (known.empty() ? "" : ", ") + view.name;
  throw failure("the model has no parameter '" + std::string(name) + "'", "it has: " + known);
}

std::unique_ptr<Probe> make_probe(const std::string& name, const Location& location) {
  constexpr std::string_view language = "python";
  const std::size_t end = name.find(' ');
  if (end != language.size() || !name.starts_with(language))
    return Registry<Probe>::instance().make(name, "probe", location);
  const auto& sources = Registry<ProgramProbes>::instance().all();
  const auto source = sources.find(std::string(language));
  if (source == sources.end())
    throw wrong_input(fmt::format("the probe '{}' is a Python function, which this program does not have",
                                  std::string_view(name).substr(end + 1)),
                      "train the run in Python, which has the function", location);
  return source->second.make()->make(name, location);
}

}  // namespace fovea
