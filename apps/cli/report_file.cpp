#include "apps/cli/report_file.h"

#include "fovea/base/file.h"
#include "fovea/base/version.h"
#include "fovea/lab/machine.h"
#include "fovea/view/report.h"

namespace fovea::cli {

namespace {

// The runs of the form last reproduced, if all of them are in the store.
std::optional<Reproduction> from_store(const Store& store, const std::string& name) {
  const std::vector<ClaimResult> claims = store.claims(name);
  if (claims.empty()) return std::nullopt;
  Reproduction found{find_experiment(name), claims.back().form == "full" ? Form::full : Form::quick, {}, {}, 0};
  for (const ClaimResult& claim : claims)
    if (claim.form == claims.back().form) found.claims.push_back(claim);
  for (const RunSpec& spec : resolve_sweep(found.experiment, found.form, {}))
    if (std::optional<RunRecord> run = store.find_done(spec.hash())) {
      found.seconds += run->seconds;
      found.runs.push_back(std::move(*run));
    }
  return found;
}

}  // namespace

std::size_t write_report(const Store& store, const std::string& file) {
  std::vector<Reproduction> found;
  for (const std::string& name : experiment_names())
    if (std::optional<Reproduction> reproduction = from_store(store, name)) found.push_back(std::move(*reproduction));
  if (found.empty()) return 0;
  ReportFacts facts;
  facts.made = utc_now();
  facts.version = version();
  facts.machine = machine_line();
  const auto arrays = [&](std::int64_t run, const std::string& name) { return store.arrays(run, name); };
  write_whole(file, report_html(found, arrays, facts));
  return found.size();
}

}  // namespace fovea::cli
