// Claims against the runs they are about.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/lab/analysis/reproduce.h"
#include "fovea/lab/query/expression.h"

namespace fovea {

namespace {

// "accuracy (missing in 3 of 20 runs)": what the expression reads and the runs have not.
std::string missing_text(const Expression& metric, const std::vector<const RunRecord*>& runs) {
  std::string text;
  for (const Expression::Missing& missing : metric.missing(runs)) {
    if (!text.empty()) text += ", ";
    if (missing.of == 0) text += fmt::format("no run has {}", missing.name);
    else text += fmt::format("{} (missing in {} of {} runs)", missing.name, missing.lacking, missing.of);
  }
  return text;
}

// What is to be known of the groups, where the claim is about them.
void add_notes(ClaimResult& result, const Claim& claim, const std::vector<std::string>& notes) {
  const auto reads_groups = [&claim](const std::string& text) {
    return !text.empty() && Expression::parse(text, claim.place).names().contains("group");
  };
  if (notes.empty() || !(reads_groups(claim.metric) || reads_groups(claim.where))) return;
  for (const std::string& note : notes) result.note += (result.note.empty() ? "" : "; ") + note;
}

// Why the runs give no number, though none of them lacks anything.
std::string no_number_text(const Expression& metric, std::span<const RunRecord* const> runs) {
  if (runs.size() > 1 && metric.reads_outside_aggregates())
    return fmt::format("there are {} runs: use a function over runs, as in median({})", runs.size(), metric.text());
  const std::string undefined = metric.undefined(runs);
  if (undefined.empty()) return "it is not a number";
  const bool never = undefined.find("∞") != undefined.npos && metric.text().find("step") != undefined.npos;
  return fmt::format("the result is {}, which is not a number{}", undefined,
                     never ? " (a step never reached is ∞)" : "");
}

ClaimResult check(const Claim& claim, const std::string& experiment, const std::vector<const RunRecord*>& done,
                  std::size_t unfinished) {
  ClaimResult result;
  result.experiment = experiment;
  result.claim = claim.says;
  result.metric = claim.metric;
  result.wanted = claim.wanted();
  result.text = claim.text;
  result.value = std::numeric_limits<double>::quiet_NaN();
  const Expression metric = Expression::parse(claim.metric, claim.place);
  std::vector<const RunRecord*> runs = done;
  if (!claim.where.empty()) {
    const Expression where = Expression::parse(claim.where, claim.place);
    std::erase_if(runs, [&where](const RunRecord* run) { return !where.holds(*run); });
  }
  if (unfinished > 0) {  // the seeds that fail are not left out of a verdict
    result.note = fmt::format("{} of {} runs are not done", unfinished, unfinished + done.size());
    return result;
  }
  if (runs.empty()) {
    result.note = claim.where.empty() ? "there are no runs" : fmt::format("no run has {}", claim.where);
    return result;
  }
  result.value = metric.number(runs);
  result.note = missing_text(metric, runs);
  if (std::isnan(result.value)) {
    if (result.note.empty()) result.note = no_number_text(metric, runs);
    return result;
  }
  const bool meets =
      (!claim.at_least || result.value >= *claim.at_least) && (!claim.at_most || result.value <= *claim.at_most);
  result.held = meets != claim.text.refutes;
  return result;
}

}  // namespace

std::vector<ClaimResult> check_claims(const Experiment& experiment, Preset preset, const std::vector<RunRecord>& runs,
                                      const std::vector<std::string>& notes) {
  std::vector<const RunRecord*> done;
  for (const RunRecord& run : runs)
    if (run.state == RunState::done) done.push_back(&run);
  std::vector<ClaimResult> results;
  for (const Claim& claim : experiment.claims) {
    if (!claim.is_of(preset)) continue;
    results.push_back(check(claim, experiment.name, done, runs.size() - done.size()));
    results.back().preset = word_of(preset);
    results.back().source = experiment.source;
    add_notes(results.back(), claim, notes);
  }
  return results;
}

void add_texts(std::vector<ClaimResult>& results, const Experiment& experiment) {
  for (ClaimResult& result : results)
    for (const Claim& claim : experiment.claims)
      if (result.experiment == experiment.name && result.source == experiment.source && claim.says == result.claim &&
          claim.metric == result.metric && claim.wanted() == result.wanted &&
          (!claim.preset || word_of(*claim.preset) == result.preset))
        result.text = claim.text;
}

}  // namespace fovea
