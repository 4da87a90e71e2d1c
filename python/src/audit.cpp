// Binds the audit of a run's assumptions, as `fovea audit` makes it (folder python/src). python/fovea/auditing.py
// calls it.
#include <memory>

#include "fovea/lab/analysis/audit_run.h"
#include "fovea/view/terminal/audit_text.h"
#include "python/src/parts.h"

namespace fovea::python {

void bind_audit(py::module_& module) {
  module.def("has_audit", &has_audit);
  module.def("first_difference", &first_difference);
  module.def("with_audit", [](const RunSpec& spec) {
    const py::gil_scoped_release free;
    return std::make_shared<ResolvedRun>(with_audit(spec));
  });
  module.def("audit_lines", [](const RunRecord& run) {  // [(name, assumes, value, sentence)]
    py::list lines;
    for (const AuditLine& line : audit_lines(run))
      lines.append(py::make_tuple(line.name, line.assumes, line.value, line.sentence));
    return lines;
  });
}

}  // namespace fovea::python
