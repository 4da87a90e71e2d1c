#include "fovea/view/terminal/compare_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fovea/base/functions/functions.h"
#include "fovea/view/plot/plot.h"
#include "fovea/view/plot/run_data.h"
#include "fovea/view/terminal/chart.h"
#include "fovea/view/terminal/default_metrics.h"
#include "fovea/view/terminal/runs_table.h"

namespace fovea {

namespace {

using Align = TextTable::Align;

constexpr int chart_height = 10;
constexpr const char *mark_a = "•", *mark_b = "+";

// Each of its lines in lines as wide as the terminal.
std::string wrapped_lines(const std::string& text, const Terminal& terminal) {
  std::string all;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    all += wrapped(text.substr(begin, end - begin), terminal.width) + '\n';
  }
  return all;
}

std::string runs_text(std::int64_t count) { return fmt::format("{} {}", count, count == 1 ? "run" : "runs"); }

std::string who(const ComparedGroup& a, const ComparedGroup& b, const Terminal& terminal) {
  std::string text;
  for (const auto& [name, group] : {std::pair{"A", &a}, std::pair{"B", &b}}) {
    const RunRecord& first = group->runs.front();
    const bool one = group->runs.size() == 1;
    const auto same = [&first](const RunRecord& run) { return run.experiment == first.experiment; };
    const std::string of = std::ranges::all_of(group->runs, same) ? first.experiment : "several experiments";
    const std::string state = first.state == RunState::done
                                  ? ""
                                  : fmt::format("; not done: {} at step {}", state_name(first.state), first.steps);
    text += fmt::format("{}  {}  {}\n", toned(name, Tone::strong, terminal), group->label,
                        toned(one ? fmt::format("{}, seed {}{}", of, first.spec.seed, state)
                                  : fmt::format("{} of {}", runs_text(std::ssize(group->runs) + group->more), of),
                              Tone::faint, terminal));
  }
  return text;
}

std::string settings_text(const Comparison& comparison, const Terminal& terminal) {
  if (comparison.settings.empty()) return "\nNo setting differs between A and B.\n";
  TextTable table({{"setting"}, {"A", Align::left, true}, {"B", Align::left, true}});
  for (const SettingDifference& setting : comparison.settings)
    table.row({setting.name, setting.a.empty() ? "–" : setting.a, setting.b.empty() ? "–" : setting.b});
  return "\n" + table.text(terminal);
}

std::string pairs_text(const Comparison& comparison) {
  constexpr std::size_t most_named = 4;
  const std::vector<std::string>& by = comparison.paired_by;
  std::string text = "\n";
  if (comparison.pairs > 0)
    text += fmt::format("{} {} compared. Both runs of a pair have the same {}.\n", comparison.pairs,
                        comparison.pairs == 1 ? "pair of runs is" : "pairs of runs are",
                        by.size() <= most_named ? fmt::format("{}", fmt::join(by, ", "))
                                                : fmt::format("values of {} settings", by.size()));
  const auto left_out = [&text](std::int64_t count, const char* group, const std::string& why) {
    if (count > 0)
      text += fmt::format("{} of {} {} {} left out.\n", runs_text(count), group, why, count == 1 ? "is" : "are");
  };
  const auto alone = [](std::int64_t count, const char* other) {
    return fmt::format("{} no partner in {} and", count == 1 ? "has" : "have", other);
  };
  if (comparison.pairs > 0) left_out(comparison.alone_a, "A", alone(comparison.alone_a, "B"));
  if (comparison.pairs > 0) left_out(comparison.alone_b, "B", alone(comparison.alone_b, "A"));
  left_out(comparison.unfinished_a, "A", comparison.unfinished_a == 1 ? "is unfinished and" : "are unfinished and");
  left_out(comparison.unfinished_b, "B", comparison.unfinished_b == 1 ? "is unfinished and" : "are unfinished and");
  return text;
}

std::string p_text(const SignFlipTest& test) {
  if (test.choices == 0) return "–";
  return fmt::format("{:.3g}", test.p);
}

// What the numbers are, once for all metrics.
std::string method_text(const Comparison& comparison) {
  bool exact = true, drawn = true;
  std::int64_t lacking = 0;
  for (const MetricDifference& metric : comparison.metrics) {
    exact = exact && metric.test.exact;
    drawn = drawn && metric.test.choices >= 0;
    lacking += metric.lacking;
  }
  std::string text = fmt::format(
      "p: sign-flip permutation test of the paired differences, two-sided, {}.\n"
      "Interval: {}.\n",
      exact   ? fmt::format("exact (with {} pairs it is {:.3g} or more)", comparison.pairs,
                            math::exp2(1 - static_cast<double>(comparison.pairs)))
      : drawn ? "over 100 000 random choices of signs if there are more than 20 pairs"
              : "by the normal distribution if there are more than 10 000 pairs",
      comparison.pairs < static_cast<std::int64_t>(fewest_resampled)
          ? fmt::format("none, because fewer than {} pairs are too few for one", fewest_resampled)
      : drawn ? "of their mean, 95 %, percentile bootstrap"
              : "of their mean, 95 %, by the normal distribution if there are more than 10 000 pairs");
  if (lacking > 0)
    text +=
        "Pairs in which a run lacks the number, or never reached it, are not counted: 'pairs' is the number counted.\n";
  return text;
}

std::string metrics_text(const Comparison& comparison, const Terminal& terminal) {
  if (comparison.metrics.empty()) return "\nA and B have no metric in common.\n";
  if (comparison.pairs == 0)
    return "\n" + wrapped_lines(
                      "No finished run of A has a partner in B. A partner has the same seed, and the same values "
                      "of settings that vary within A and B. Nothing can be compared. Train the same seeds in both "
                      "groups, or choose groups that vary in nothing else.",
                      terminal);
  const bool tested = comparison.pairs > 1;
  std::vector<TextTable::Column> columns{{"metric"}, {"A", Align::right}, {"B", Align::right}, {"B - A", Align::right}};
  if (tested)
    for (const char* head : {"interval", "p", "pairs"}) columns.push_back({head, Align::right});
  TextTable table(columns);
  for (const MetricDifference& metric : comparison.metrics) {
    std::vector<TextTable::Cell> cells{metric.metric, metric_text(metric.metric, metric.mean_a),
                                       metric_text(metric.metric, metric.mean_b),
                                       metric_text(metric.metric, metric.interval.mean)};
    if (tested) {
      const bool enough = metric.differences.size() >= fewest_resampled;
      cells.emplace_back(enough ? fmt::format("{} … {}", metric_text(metric.metric, metric.interval.low),
                                              metric_text(metric.metric, metric.interval.high))
                                : "–");
      cells.emplace_back(p_text(metric.test));
      cells.emplace_back(std::to_string(metric.differences.size()));
    }
    table.row(std::move(cells));
  }
  return "\n" + table.text(terminal) + (tested ? wrapped_lines(method_text(comparison), terminal) : "");
}

// The runs of a group that the table compares: those with a partner.
Runs runs_in_pairs(const ComparedGroup& group, const std::vector<bool>& in_pair) {
  Runs runs;
  for (std::size_t i = 0; i < group.runs.size(); ++i)
    if (in_pair[i]) runs.push_back(&group.runs[i]);
  return runs;
}

Series median_course(const Runs& runs, const Quantity& quantity) {
  std::vector<Series> all;
  for (const RunRecord* const run : runs) {
    Series series = quantity.over_steps(*run);
    if (!series.steps.empty()) all.push_back(std::move(series));
  }
  return quantile_course(all, 0.5);
}

}  // namespace

std::vector<std::string> metrics_to_compare(const ComparedGroup& a, const ComparedGroup& b) {
  constexpr std::size_t most = 8;
  Runs all;
  for (const ComparedGroup* group : {&a, &b})
    for (const RunRecord& run : group->runs) all.push_back(&run);
  std::vector<std::string> names = default_metrics(all);
  const auto has = [](const ComparedGroup& group, const std::string& name) {
    return std::ranges::any_of(group.runs, [&name](const RunRecord& run) { return run.series.contains(name); });
  };
  std::erase_if(names, [&](const std::string& name) { return !has(a, name) || !has(b, name); });
  if (names.size() <= most) return as_trained(names, all);
  // The loss is among them in any case, in place of the last.
  if (const auto loss = std::ranges::find(names, "loss"); loss >= names.begin() + most && loss != names.end())
    std::swap(*loss, names[most - 1]);
  names.resize(most);
  return as_trained(names, all);
}

std::string comparison_text(const ComparedGroup& a, const ComparedGroup& b, const Comparison& comparison,
                            const Terminal& terminal) {
  const bool single = a.runs.size() == 1 && b.runs.size() == 1;
  const std::string settings = comparison.pairs > 0 ? settings_text(comparison, terminal) : "";
  return who(a, b, terminal) + settings + (single ? "" : wrapped_lines(pairs_text(comparison), terminal)) +
         metrics_text(comparison, terminal);
}

std::string comparison_chart(const ComparedGroup& a, const ComparedGroup& b, const Comparison& comparison,
                             const std::string& metric, const Terminal& terminal) {
  const Quantity quantity(metric, {});
  const std::vector<ChartLine> lines{{mark_a, median_course(runs_in_pairs(a, comparison.in_pair_a), quantity)},
                                     {mark_b, median_course(runs_in_pairs(b, comparison.in_pair_b), quantity)}};
  if (std::ranges::all_of(lines, [](const ChartLine& line) { return line.series.steps.size() < 2; })) return {};
  const std::string chart = line_chart(lines, chart_height, terminal);
  if (chart.empty()) return {};
  const bool several = a.runs.size() > 1 || b.runs.size() > 1;
  return fmt::format("\n{}{}: A {}  B {}\n{}", toned(metric, Tone::strong, terminal), several ? ", median" : "", mark_a,
                     mark_b, chart);
}

Figure comparison_figure(const ComparedGroup& a, const ComparedGroup& b, const Comparison& comparison,
                         const std::vector<std::string>& metrics) {
  if (comparison.pairs == 0)
    throw wrong_input("no finished run of A has a partner in B, so there is nothing to draw",
                      "name groups with the same seeds");
  std::vector<RunRecord> all;
  const auto add = [&all](const Runs& runs, const std::string& label) {
    for (const RunRecord* const run : runs) {
      all.push_back(*run);
      all.back().role["group"] = {label, {}};
    }
  };
  add(runs_in_pairs(a, comparison.in_pair_a), "A: " + a.label);
  add(runs_in_pairs(b, comparison.in_pair_b), "B: " + b.label);
  return plot_metrics(all, metrics, {"group"});
}

}  // namespace fovea
