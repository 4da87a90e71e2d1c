// The extension module fovea._engine, which binds the library (folder python/src). The package python/fovea imports
// it; parts.h lists its parts.
#include "fovea/base/version.h"
#include "python/src/parts.h"

PYBIND11_MODULE(_engine, module) {
  using namespace fovea::python;
  module.doc() = "The library's bindings. Use the package `fovea`, which is built on them.";
  module.attr("version") = fovea::version();
  bind_errors(module);
  bind_specs(module);
  bind_records(module);
  bind_training(module);
  bind_watching(module);
  bind_own_tasks(module);
  bind_own_probes(module);
  bind_own_similarities(module);
  bind_applying(module);
  bind_audit(module);
  bind_observing(module);
  bind_prediction(module);
  bind_store(module);
  bind_texts(module);
  bind_word_regression(module);
}
