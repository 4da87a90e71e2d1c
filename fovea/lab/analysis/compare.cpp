#include "fovea/lab/analysis/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "fovea/base/flatten.h"
#include "fovea/base/functions/functions.h"
#include "fovea/base/random.h"

namespace fovea {

namespace {

constexpr std::size_t most_exact = 20, most_drawn = most_resampled;
constexpr std::int64_t random_choices = 100'000;
constexpr int interval_draws = 10'000;
constexpr std::size_t most_values = 4;  // of a setting that are written out

using Texts = std::map<std::string, std::string>;

std::shared_ptr<const ComparedRuns::Kind> kind_of(const RunSpec& spec, const std::string& experiment) {
  ComparedRuns::Kind kind{spec, experiment, {}};
  const ValueTable table = spec.table();
  for (const auto& [name, value] : flatten(table)) {
    if (name == "seed" || !RunSpec::changes_numbers(name)) continue;
    const auto* text = value->as<std::string>();
    kind.settings[name] = text ? *text : value->text();
  }
  kind.settings["experiment"] = experiment;
  return std::make_shared<const ComparedRuns::Kind>(std::move(kind));
}

std::string setting_in(const Texts& settings, const std::string& name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string() : found->second;
}

using Values = std::set<std::string>;  // "" for runs that lack the setting

// The runs of a group that are compared.
struct ChosenRuns {
  const ComparedRuns& all;
  std::vector<std::size_t> runs;
  std::set<std::size_t> kinds;  // of them

  ChosenRuns(const ComparedRuns& group, bool single) : all(group) {
    for (std::size_t i = 0; i < all.runs.size(); ++i) {
      if (!single && all.runs[i].state != RunState::done) continue;
      runs.push_back(i);
      kinds.insert(all.runs[i].kind);
    }
  }
  const ComparedRuns::Run& run(std::size_t i) const { return all.runs[runs[i]]; }
  const Texts& settings(std::size_t i) const { return all.kinds[run(i).kind]->settings; }
  std::string seed(std::size_t i) const { return std::to_string(static_cast<std::int64_t>(run(i).seed)); }
  Values values(const std::string& name) const {
    Values values;
    for (const std::size_t kind : kinds) values.insert(setting_in(all.kinds[kind]->settings, name));
    return values;
  }
};

std::string values_text(const Values& all) {
  if (all.size() > most_values) return fmt::format("{} values", all.size());
  return fmt::format("{}", fmt::join(all, ", "));
}

bool apart(const Values& a, const Values& b) {
  return std::ranges::none_of(a, [&b](const std::string& value) { return b.contains(value); });
}

// What a run has in common with its partner, in the order of the names of settings.
struct PairKey {
  std::vector<std::string> before;  // the seed's name
  std::string seed;
  std::vector<std::string> after;
  auto operator<=>(const PairKey&) const = default;
};

struct KeyedRun {
  const PairKey* of_kind;  // without its seed
  std::string seed;
  std::size_t run;
};

std::strong_ordering order_of(const KeyedRun& a, const KeyedRun& b) {
  if (a.of_kind != b.of_kind)
    if (const auto order = a.of_kind->before <=> b.of_kind->before; order != 0) return order;
  if (const auto order = a.seed <=> b.seed; order != 0) return order;
  return a.of_kind == b.of_kind ? std::strong_ordering::equal : a.of_kind->after <=> b.of_kind->after;
}

class KeyedRuns {
 public:
  // Sorted by key. Throws wrong_input where two have the same.
  KeyedRuns(const ChosenRuns& group, const std::vector<std::string>& names, const char* which) {
    for (const std::size_t kind : group.kinds) {
      PairKey& key = keys_[kind];
      for (const std::string& name : names)
        if (name != "seed")
          (name < "seed" ? key.before : key.after).push_back(setting_in(group.all.kinds[kind]->settings, name));
    }
    for (std::size_t i = 0; i < group.runs.size(); ++i) all.push_back({&keys_.at(group.run(i).kind), group.seed(i), i});
    std::ranges::sort(all, [](const KeyedRun& a, const KeyedRun& b) {
      const auto order = order_of(a, b);
      return order != 0 ? order < 0 : a.run < b.run;
    });
    const KeyedRun *first = nullptr, *second = nullptr;  // of the pair of which the later run comes first
    for (std::size_t i = 1, begin = 0; i < all.size(); ++i) {
      if (order_of(all[begin], all[i]) != 0) begin = i;
      else if (i == begin + 1 && (!second || all[i].run < second->run)) first = &all[begin], second = &all[i];
    }
    if (second) refuse(group, first->run, second->run, which);
  }
  std::vector<KeyedRun> all;

 private:
  // An expression reads no list, so no condition on it can be added. No setting at all: the same.
  static bool is_list(const Texts& settings, const std::string& name) {
    return name.empty() || setting_in(settings, name).starts_with('[');
  }

  [[noreturn]] static void refuse(const ChosenRuns& group, std::size_t first, std::size_t second, const char* which) {
    std::string differing;
    for (const auto& [name, value] : group.settings(second))
      if (differing.empty() && setting_in(group.settings(first), name) != value) differing = name;
    throw wrong_input(fmt::format("runs {} and {} of {} have the same seed{}", group.run(first).id,
                                  group.run(second).id, which, differing.empty() ? "" : " but differ in " + differing),
                      is_list(group.settings(second), differing)
                          ? fmt::format("leave one of them out: add 'and id != {}' to {}", group.run(second).id, which)
                          : fmt::format("add a condition on {0} to {1}, or 'and id != {2}' to leave run {2} out",
                                        differing, which, group.run(second).id));
  }

  std::map<std::size_t, PairKey> keys_;
};

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;  // indices of the groups' runs

Pairs pairs_of(const ChosenRuns& a, const ChosenRuns& b, const std::vector<std::string>& names) {
  const KeyedRuns keyed_a(a, names, "A"), keyed_b(b, names, "B");
  Pairs pairs;
  for (auto i = keyed_a.all.begin(), j = keyed_b.all.begin(); i != keyed_a.all.end() && j != keyed_b.all.end();) {
    const auto order = order_of(*i, *j);
    if (order == 0) pairs.emplace_back(a.runs[i->run], b.runs[j->run]);
    if (order <= 0) ++i;
    if (order >= 0) ++j;
  }
  return pairs;
}

MetricDifference difference_of(const std::string& metric, const std::vector<double>& values_a,
                               const std::vector<double>& values_b, const Pairs& pairs) {
  MetricDifference found;
  found.metric = metric;
  double sum_a = 0, sum_b = 0;
  for (const auto& [a, b] : pairs) {
    const double of_a = values_a[a], of_b = values_b[b];
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
  found.interval = mean_interval(found.differences, 0, interval_draws);
  found.test = sign_flip_test(found.differences);
  return found;
}

void require_apart(const ChosenRuns& a, const ChosenRuns& b) {
  std::unordered_set<std::int64_t> ids;
  for (std::size_t i = 0; i < b.runs.size(); ++i) ids.insert(b.run(i).id);
  for (std::size_t i = 0; i < a.runs.size(); ++i)
    if (ids.contains(a.run(i).id))
      throw wrong_input(fmt::format("run {} is in A and in B", a.run(i).id),
                        "change a condition, so that each run is in one group only");
}

// Last digits differ by nothing that the runs were trained to show.
void refuse_mixed_arithmetic(const ChosenRuns& a, const ChosenRuns& b) {
  const ComparedRuns::Run *oldest = nullptr, *newest = nullptr;
  for (const ChosenRuns* const group : {&a, &b}) {
    for (std::size_t i = 0; i < group->runs.size(); ++i) {
      const ComparedRuns::Run& run = group->run(i);
      if (!oldest || run.arithmetic < oldest->arithmetic) oldest = &run;
      if (!newest || run.arithmetic > newest->arithmetic) newest = &run;
    }
  }
  if (!oldest || oldest->arithmetic == newest->arithmetic) return;
  throw wrong_input(fmt::format("run {} is of arithmetic revision {}, and run {} is of revision {}: their last digits "
                                "differ whatever their settings are",
                                oldest->id, oldest->arithmetic, newest->id, newest->arithmetic),
                    Remedy::train_anew(oldest->id));
}

void add_run(ComparedRuns& group, const RunRecord& run, std::size_t kind, std::span<const Expression> metrics) {
  group.runs.push_back({run.id, run.spec.seed, kind, run.state, run.arithmetic});
  for (std::size_t i = 0; i < metrics.size(); ++i) group.values[i].push_back(metrics[i].number(run));
}

}  // namespace

ComparedRuns compared_runs(std::span<const RunRecord> runs, std::span<const Expression> metrics) {
  ComparedRuns group{{}, {}, std::vector<std::vector<double>>(metrics.size())};
  for (const RunRecord& run : runs) {
    group.kinds.push_back(kind_of(run.spec, run.experiment));
    add_run(group, run, group.kinds.size() - 1, metrics);
  }
  return group;
}

ComparedRuns compared_runs(const Store& store, RunQuery query, std::span<const Expression> metrics) {
  ComparedRuns group{{}, {}, std::vector<std::vector<double>>(metrics.size())};
  std::set<std::string> names;
  for (const Expression& metric : metrics) {
    names.merge(metric.columns());
    query.with_series = query.with_series || metric.reads_series();
  }
  query.columns.emplace(names.begin(), names.end());
  std::map<std::pair<std::int64_t, std::string>, std::size_t> kinds;
  store.visit(query, [&](const RunRecord& run, std::int64_t spec) {
    const auto [kind, fresh] = kinds.try_emplace({spec, run.experiment}, kinds.size());
    if (fresh) group.kinds.push_back(kind_of(store.spec(spec), run.experiment));
    add_run(group, run, kind->second, metrics);
  });
  return group;
}

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
  if (differences.size() > most_drawn) {
    double squares = 0;
    for (const double d : differences) squares += d * d;
    test.choices = -1;
    test.p = squares > 0 ? math::erfc(std::abs(seen) / std::sqrt(2 * squares)) : 1;
    return test;
  }
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

Comparison compare(const ComparedRuns& a, const ComparedRuns& b, std::span<const Expression> metrics) {
  if (a.runs.empty() || b.runs.empty())
    throw wrong_input(fmt::format("{} has no run", a.runs.empty() ? "A" : "B"), Remedy::see_runs());
  const bool single = a.runs.size() == 1 && b.runs.size() == 1;
  const ChosenRuns group_a(a, single), group_b(b, single);
  if (!single) require_apart(group_a, group_b);
  refuse_mixed_arithmetic(group_a, group_b);
  std::set<std::string> names;
  for (const ChosenRuns* const group : {&group_a, &group_b}) {
    if (!group->runs.empty()) names.insert("seed");
    for (const std::size_t kind : group->kinds)
      for (const auto& [name, value] : group->all.kinds[kind]->settings) names.insert(name);
  }

  Comparison comparison;
  for (const std::string& name : names) {
    const bool of_seed = name == "seed";
    if (of_seed && !single) {
      comparison.paired_by.push_back(name);
      continue;
    }
    const Values in_a = of_seed ? Values{group_a.seed(0)} : group_a.values(name);
    const Values in_b = of_seed ? Values{group_b.seed(0)} : group_b.values(name);
    if (apart(in_a, in_b)) comparison.settings.push_back({name, values_text(in_a), values_text(in_b)});
    else if (in_a.size() > 1 || in_b.size() > 1 || of_seed) comparison.paired_by.push_back(name);
  }

  const Pairs pairs = single ? Pairs{{0, 0}} : pairs_of(group_a, group_b, comparison.paired_by);
  comparison.pairs = std::ssize(pairs);
  comparison.in_pair_a.resize(a.runs.size());
  comparison.in_pair_b.resize(b.runs.size());
  for (const auto& [of_a, of_b] : pairs) comparison.in_pair_a[of_a] = comparison.in_pair_b[of_b] = true;
  comparison.alone_a = std::ssize(group_a.runs) - comparison.pairs;
  comparison.alone_b = std::ssize(group_b.runs) - comparison.pairs;
  comparison.unfinished_a = std::ssize(a.runs) - std::ssize(group_a.runs);
  comparison.unfinished_b = std::ssize(b.runs) - std::ssize(group_b.runs);
  for (std::size_t i = 0; i < metrics.size(); ++i)
    comparison.metrics.push_back(difference_of(metrics[i].text(), a.values[i], b.values[i], pairs));
  return comparison;
}

Comparison compare(std::span<const RunRecord> a, std::span<const RunRecord> b, std::span<const Expression> metrics) {
  return compare(compared_runs(a, metrics), compared_runs(b, metrics), metrics);
}

}  // namespace fovea
