#include "fovea/lab/analysis/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "fovea/base/flatten.h"
#include "fovea/base/random.h"

namespace fovea {

namespace {

constexpr std::size_t most_exact = 20;
constexpr std::int64_t random_choices = 100'000;
constexpr int interval_draws = 10'000;
constexpr std::size_t most_values = 4;  // of a setting that are written out

using Settings = std::map<std::string, std::string>;

Settings settings_of(const RunRecord& run) {
  Settings all;
  const ValueTable table = run.spec.table();
  for (const auto& [name, value] : flatten(table)) {
    const auto* text = value->as<std::string>();
    all[name] = text ? *text : value->text();
  }
  std::erase_if(all, [](const auto& setting) { return !RunSpec::changes_numbers(setting.first); });
  all["experiment"] = run.experiment;
  return all;
}

struct RunGroup {
  std::vector<Settings> runs;
  std::map<std::string, std::set<std::string>> values;  // of each setting; "" for runs that lack it

  RunGroup(const std::vector<const RunRecord*>& records, std::set<std::string>& names) {
    for (const RunRecord* run : records) {
      runs.push_back(settings_of(*run));
      for (const auto& [name, value] : runs.back()) names.insert(name);
    }
  }
  void gather(const std::set<std::string>& names) {
    for (const Settings& run : runs)
      for (const std::string& name : names) values[name].insert(of(run, name));
  }
  static std::string of(const Settings& run, const std::string& name) {
    const auto found = run.find(name);
    return found == run.end() ? std::string() : found->second;
  }
  std::string text(const std::string& name) const {
    const std::set<std::string>& all = values.at(name);
    if (all.size() > most_values) return fmt::format("{} values", all.size());
    return fmt::format("{}", fmt::join(all, ", "));
  }
};

bool apart(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::none_of(a, [&b](const std::string& value) { return b.contains(value); });
}

std::vector<const RunRecord*> compared(std::span<const RunRecord> runs, bool single) {
  std::vector<const RunRecord*> those;
  for (const RunRecord& run : runs)
    if (single || run.state == RunState::done) those.push_back(&run);
  return those;
}

using Key = std::vector<std::string>;

std::map<Key, std::size_t> by_key(const RunGroup& group, const std::vector<std::string>& names,
                                  const std::vector<const RunRecord*>& runs, const char* which) {
  std::map<Key, std::size_t> indices;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Key key;
    for (const std::string& name : names) key.push_back(RunGroup::of(group.runs[i], name));
    const auto [at, fresh] = indices.try_emplace(std::move(key), i);
    if (fresh) continue;
    std::string differing;
    for (const auto& [name, value] : group.runs[i])
      if (differing.empty() && RunGroup::of(group.runs[at->second], name) != value) differing = name;
    throw wrong_input(fmt::format("runs {} and {} of {} have the same seed{}", runs[at->second]->id, runs[i]->id, which,
                                  differing.empty() ? "" : " but differ in " + differing),
                      differing.empty() ? fmt::format("change the condition of {} to leave one of them out", which)
                                        : fmt::format("add a condition on {} to {}", differing, which));
  }
  return indices;
}

MetricDifference difference_of(const Expression& metric,
                               const std::vector<std::pair<const RunRecord*, const RunRecord*>>& pairs) {
  MetricDifference found;
  found.metric = metric.text();
  double sum_a = 0, sum_b = 0;
  for (const auto& [a, b] : pairs) {
    const double of_a = metric.number(*a), of_b = metric.number(*b);
    if (!std::isfinite(of_b - of_a)) {
      ++found.lacking;
      continue;
    }
    sum_a += of_a;
    sum_b += of_b;
    found.differences.push_back(of_b - of_a);
  }
  const auto count = static_cast<double>(found.differences.size());
  found.mean_a = sum_a / count;
  found.mean_b = sum_b / count;
  found.interval = bootstrap_mean(found.differences, 0, interval_draws);
  found.test = sign_flip_test(found.differences);
  return found;
}

}  // namespace

SignFlipTest sign_flip_test(std::span<const double> differences) {
  if (differences.empty()) return {std::numeric_limits<double>::quiet_NaN(), true, 0};
  double seen = 0, size = 0;
  for (const double d : differences) {
    seen += d;
    size += std::abs(d);
  }
  // Sums that differ in their last digits are the same sum, added up in another order.
  const double bound = std::abs(seen) - 1e-9 * size;
  SignFlipTest test;
  if (differences.size() <= most_exact) {
    test.choices = std::int64_t{1} << differences.size();
    std::int64_t as_far = 0;
    double sum = seen;
    std::vector<double> signs(differences.size(), 1);
    for (std::int64_t choice = 0;;) {  // each differs from the one before in one sign (Gray code)
      as_far += std::abs(sum) >= bound;
      if (++choice == test.choices) break;
      const auto turned = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(choice)));
      signs[turned] = -signs[turned];
      sum += 2 * signs[turned] * differences[turned];
    }
    test.p = static_cast<double>(as_far) / static_cast<double>(test.choices);
    return test;
  }
  test.exact = false;
  test.choices = random_choices;
  std::int64_t as_far = 1;
  RandomStream stream(0, "sign flips");
  for (std::int64_t choice = 1; choice < random_choices; ++choice) {
    double sum = 0;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < differences.size(); ++i) {
      if (i % 64 == 0) bits = stream.bits();
      sum += (bits >> (i % 64)) & 1 ? differences[i] : -differences[i];
    }
    as_far += std::abs(sum) >= bound;
  }
  test.p = static_cast<double>(as_far) / static_cast<double>(random_choices);
  return test;
}

namespace {

// Last digits differ by nothing that the runs were trained to show.
void refuse_mixed_arithmetic(std::span<const RunRecord* const> a, std::span<const RunRecord* const> b) {
  const RunRecord *oldest = nullptr, *newest = nullptr;
  for (const auto group : {a, b}) {
    for (const RunRecord* const run : group) {
      if (!oldest || run->arithmetic < oldest->arithmetic) oldest = run;
      if (!newest || run->arithmetic > newest->arithmetic) newest = run;
    }
  }
  if (!oldest || oldest->arithmetic == newest->arithmetic) return;
  throw wrong_input(fmt::format("run {} is of arithmetic revision {}, and run {} is of revision {}: their last digits "
                                "differ whatever their settings are",
                                oldest->id, oldest->arithmetic, newest->id, newest->arithmetic),
                    Remedy::train_anew(oldest->id));
}

}  // namespace

Comparison compare(std::span<const RunRecord> a, std::span<const RunRecord> b, std::span<const Expression> metrics) {
  if (a.empty() || b.empty())
    throw wrong_input(fmt::format("{} has no run", a.empty() ? "A" : "B"), Remedy::see_runs());
  const bool single = a.size() == 1 && b.size() == 1;
  const auto runs_a = compared(a, single), runs_b = compared(b, single);
  for (const RunRecord* run : runs_a)
    if (!single && std::ranges::find(runs_b, run->id, &RunRecord::id) != runs_b.end())
      throw wrong_input(fmt::format("run {} is in A and in B", run->id),
                        "change a condition, so that each run is in one group only");
  refuse_mixed_arithmetic(runs_a, runs_b);
  std::set<std::string> names;
  RunGroup group_a(runs_a, names), group_b(runs_b, names);
  group_a.gather(names);
  group_b.gather(names);

  Comparison comparison;
  for (const std::string& name : names) {
    const std::set<std::string>&in_a = group_a.values.at(name), &in_b = group_b.values.at(name);
    const bool tells_apart = apart(in_a, in_b) && (single || name != "seed");
    if (tells_apart) comparison.settings.push_back({name, group_a.text(name), group_b.text(name)});
    else if (in_a.size() > 1 || in_b.size() > 1 || name == "seed") comparison.paired_by.push_back(name);
  }

  std::vector<std::pair<const RunRecord*, const RunRecord*>> pairs;
  const auto in_a = by_key(group_a, comparison.paired_by, runs_a, "A");
  const auto in_b = by_key(group_b, comparison.paired_by, runs_b, "B");
  for (const auto& [key, index] : in_a)
    if (const auto partner = in_b.find(key); partner != in_b.end())
      pairs.emplace_back(runs_a[index], runs_b[partner->second]);
  if (single) pairs.assign(1, {runs_a.front(), runs_b.front()});
  comparison.pairs = std::ssize(pairs);
  comparison.alone_a = std::ssize(runs_a) - comparison.pairs;
  comparison.alone_b = std::ssize(runs_b) - comparison.pairs;
  comparison.unfinished_a = std::ssize(a) - std::ssize(runs_a);
  comparison.unfinished_b = std::ssize(b) - std::ssize(runs_b);
  for (const Expression& metric : metrics) comparison.metrics.push_back(difference_of(metric, pairs));
  return comparison;
}

}  // namespace fovea
