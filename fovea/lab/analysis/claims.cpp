// Tests claims against their runs: check_claims() of reproduce.h (room lab/analysis). reproduce.cpp of this room and
// `fovea reproduce` call it. Reads records only.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>

#include "fovea/base/number_text.h"
#include "fovea/base/random.h"
#include "fovea/base/statistics.h"
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
    return !text.empty() && Expression::parse(text, claim.location).names().contains("group");
  };
  if (notes.empty() || !(reads_groups(claim.metric) || reads_groups(claim.where))) return;
  for (const std::string& note : notes) result.note += (result.note.empty() ? "" : "; ") + note;
}

// Why the runs give no number, though none of them lacks anything.
std::string no_number_text(const Expression& metric, std::span<const RunRecord* const> runs) {
  if (runs.size() > 1 && metric.reads_outside_aggregates())
    return fmt::format("there are {} runs: use a function over runs, as in median({})", runs.size(), metric.text());
  const std::string undefined = metric.undefined(runs);
  if (undefined.empty()) return fmt::format("'{}' is not a number", metric.text());
  const bool never = undefined.find("∞") != undefined.npos && metric.text().find("step") != undefined.npos;
  return fmt::format("the result is {}, which is not a number{}", undefined,
                     never ? " (a step never reached is ∞)" : "");
}

// Whether the 95 % interval of the metric is wholly beyond the threshold: a bootstrap in which seeds are drawn, each
// with all of its runs.
bool is_beyond(const Claim& claim, const Expression& metric, const std::vector<const RunRecord*>& runs,
               std::string& note) {
  constexpr int draws = 1000;
  constexpr std::size_t fewest_seeds = 6;
  std::map<std::uint64_t, std::vector<const RunRecord*>> by_seed;
  for (const RunRecord* const run : runs) by_seed[run->spec.seed].push_back(run);
  if (by_seed.size() < fewest_seeds) {
    note = fmt::format("{} seeds are too few to refute; {} are needed", by_seed.size(), fewest_seeds);
    return false;
  }
  std::vector<const std::vector<const RunRecord*>*> seeds;
  for (const auto& [seed, of_seed] : by_seed) seeds.push_back(&of_seed);
  RandomStream stream(0, "refutation");
  std::vector<double> values;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<const RunRecord*> drawn;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      const auto& of_seed = *seeds[stream.integer(seeds.size())];
      drawn.insert(drawn.end(), of_seed.begin(), of_seed.end());
    }
    values.push_back(metric.number(drawn));
  }
  const double low = quantile_of(values, 0.025), high = quantile_of(values, 0.975);
  note = fmt::format("95 % interval over seeds: {} to {}", number_text(low), number_text(high));
  return (claim.at_least && high < *claim.at_least) || (claim.at_most && low > *claim.at_most);
}

// 0.35 - 0.15 reaches a threshold of 0.2, although the difference of these numbers is rounded to less.
bool meets_bounds(const Claim& claim, double value) {
  const auto rounding = [](double bound) { return 1e-12 * std::abs(bound); };
  return (!claim.at_least || value >= *claim.at_least - rounding(*claim.at_least)) &&
         (!claim.at_most || value <= *claim.at_most + rounding(*claim.at_most));
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
  const Expression metric = Expression::parse(claim.metric, claim.location);
  std::vector<const RunRecord*> runs = done;
  if (!claim.where.empty()) {
    const Expression where = Expression::parse(claim.where, claim.location);
    std::erase_if(runs, [&where](const RunRecord* run) { return !where.is_true(*run); });
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
  const bool meets = meets_bounds(claim, result.value);
  result.held = claim.text.refutes ? !meets && is_beyond(claim, metric, runs, result.note) : meets;
  return result;
}

// A sentence is refuted only by a test that can succeed.
void require_controls(std::vector<ClaimResult>& results) {
  for (ClaimResult& result : results) {
    const std::string& control = result.text.control;
    if (control.empty() || !result.held) continue;
    if (std::ranges::any_of(results, [&](const ClaimResult& one) { return one.text.name == control && one.held; }))
      continue;
    result.held = false;
    result.note += fmt::format("{}its control '{}' is not supported", result.note.empty() ? "" : "; ", control);
  }
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
  require_controls(results);
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
