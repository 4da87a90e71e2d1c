#include "fovea/lab/analysis/audit_run.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/record/series.h"
#include "fovea/lab/spec/assembly.h"

namespace fovea {

ResolvedRun with_audit(const RunSpec& spec) {
  const std::optional<Kind> kind = kind_of_model(spec);
  if (kind && *kind != Kind::labelled_tokens && *kind != Kind::token_pairs)
    throw wrong_input(
        fmt::format("the run cannot be audited: an audit needs words, and its task gives {}", kind_name(*kind)),
        "audit another run");
  RunSpec audited = spec;
  ValueList names;
  if (const auto found = spec.probe.find("names"); found != spec.probe.end()) names = *found->second.as<ValueList>();
  names.emplace_back().data = std::string("audit");
  audited.probe["names"].data = std::move(names);
  ProbeTable probe = read_probe(audited.probe);
  audited.probe = probe.write();
  TrainSettings train = read_train(audited.train);
  Interventions interventions = Interventions::parse(audited.interventions);
  ResolvedRun run(std::move(audited), std::move(train), std::move(probe), std::move(interventions));
  check_fit(run);
  return run;
}

std::string first_difference(const RunRecord& run, const RunRecord& again) {
  for (const auto& [name, series] : run.series) {
    const auto other = again.series.find(name);
    if (other == again.series.end()) return fmt::format("the second training has no {}", name);
    for (std::size_t k = 0; k < series.steps.size(); ++k) {
      const double before = series.values[k];
      const double* const after = value_at(other->second, series.steps[k]);
      if (after && std::memcmp(&before, after, sizeof before) != 0)
        return fmt::format("{} at step {} was {} and is {}", name, series.steps[k], before, *after);
    }
  }
  return {};
}

}  // namespace fovea
