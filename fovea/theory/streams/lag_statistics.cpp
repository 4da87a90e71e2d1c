#include "fovea/theory/streams/lag_statistics.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/functions/functions.h"
#include "fovea/base/random.h"

namespace fovea {

namespace {

using Counts = std::vector<std::int64_t>;

// Of one margin: how many are not empty, and the sum of their reciprocals.
struct Margin {
  int size = 0;
  double reciprocals = 0;

  explicit Margin(const Counts& counts) {
    for (const std::int64_t n : counts) {
      if (n == 0) continue;
      ++size;
      reciprocals += 1 / static_cast<double>(n);
    }
  }
  double v(double n) const { return (size - 1.0) * (n - size) / (n - 1); }
  double w(double n) const { return (n * reciprocals - static_cast<double>(size) * size) / (n - 2); }
};

}  // namespace

Contingency contingency(const std::vector<Observation>& observations, int rows, int columns) {
  Contingency table;
  table.count = static_cast<std::int64_t>(observations.size());
  Counts row(static_cast<std::size_t>(rows)), column(static_cast<std::size_t>(columns));
  for (const Observation& o : observations) {
    ++row[static_cast<std::size_t>(o.row)];
    ++column[static_cast<std::size_t>(o.column)];
  }
  // The columns of all observations, row by row: the table itself is never laid out, since it may be large and thin.
  std::vector<std::size_t> end(row.size() + 1);
  for (std::size_t v = 0; v < row.size(); ++v) end[v + 1] = end[v] + static_cast<std::size_t>(row[v]);
  std::vector<int> sorted(observations.size());
  {
    std::vector<std::size_t> next(end.begin(), end.end() - 1);
    for (const Observation& o : observations) sorted[next[static_cast<std::size_t>(o.row)]++] = o.column;
  }
  double sum = 0;
  Counts cell(column.size());
  for (std::size_t v = 0; v < row.size(); ++v) {
    const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(end[v]);
    const auto stop = sorted.begin() + static_cast<std::ptrdiff_t>(end[v + 1]);
    for (auto o = begin; o != stop; ++o) ++cell[static_cast<std::size_t>(*o)];
    double of_row = 0;
    for (auto o = begin; o != stop; ++o) {
      const auto at = static_cast<std::size_t>(*o);
      const auto n = static_cast<double>(cell[at]);
      cell[at] = 0;  // so that it counts once
      of_row += n * n / static_cast<double>(column[at]);
    }
    if (begin != stop) sum += of_row / static_cast<double>(row[v]);
  }
  const Margin by_row(row), by_column(column);
  const auto n = static_cast<double>(table.count);
  table.rows = by_row.size;
  table.columns = by_column.size;
  if (table.count > 0) table.chi2 = n * (sum - 1);
  if (table.count >= 4) {
    const double v1 = by_row.v(n), w1 = by_row.w(n), v2 = by_column.v(n), w2 = by_column.w(n);
    table.mean = (table.rows - 1.0) * (table.columns - 1.0) * n / (n - 1);
    table.variance = 2 * n / (n - 3) * (v1 - w1) * (v2 - w2) + n * n / (n - 1) * w1 * w2;
  }
  return table;
}

double Contingency::deviations() const {
  if (rows < 2 || columns < 2 || !(mean > 0) || !(variance > 1e-9 * mean)) return 0;
  const double spread = variance / (9 * mean * mean);  // 2 / (9 degrees of freedom) of the distribution that is fitted
  return (math::cbrt(chi2 / mean) - (1 - spread)) / std::sqrt(spread);
}

namespace {

// Whether a lag is clear among the answers at one position, in the sequences that ask there; by a deviation more, since
// there are as many tests as positions.
bool is_told(const StreamSample& sample, const std::vector<std::int64_t>& asking, std::size_t position,
             const LagOptions& options, std::vector<Observation>& observations) {
  for (std::size_t lag = 0; lag <= std::min(position, static_cast<std::size_t>(options.most)); ++lag) {
    observations.clear();
    for (const std::int64_t n : asking)
      if (const int token = sample.source(n)[position - lag]; token >= 0)
        observations.push_back({token, sample.target(n)[position]});
    if (contingency(observations, sample.vocab(), sample.target_vocab()).deviations() > options.clear + 1) return true;
  }
  return false;
}

void count_hard_positions(const StreamSample& sample, const std::vector<std::vector<std::size_t>>& asked,
                          std::size_t longest, const LagOptions& options, LagStatistics& statistics) {
  std::vector<std::vector<std::int64_t>> asking(longest);
  for (std::size_t n = 0; n < asked.size(); ++n)
    for (const std::size_t t : asked[n]) asking[t].push_back(static_cast<std::int64_t>(n));
  std::vector<Observation> observations;
  for (std::size_t t = 0; t < longest; ++t) {
    if (std::ssize(asking[t]) < options.enough) continue;
    ++statistics.positions;
    statistics.hard_positions += !is_told(sample, asking[t], t, options, observations);
  }
}

}  // namespace

LagStatistics measure_lags(const StreamSample& sample, const LagOptions& options) {
  std::size_t longest = 0;  // positions up to the last asked one, at most
  std::vector<std::vector<std::size_t>> asked(static_cast<std::size_t>(sample.size()));
  std::vector<std::size_t> drawn(asked.size());
  for (std::size_t n = 0; n < asked.size(); ++n) {
    const std::span<const int> target = sample.target(static_cast<std::int64_t>(n));
    for (std::size_t t = 0; t < target.size(); ++t)
      if (target[t] >= 0) asked[n].push_back(t);
    if (asked[n].empty()) continue;
    longest = std::max(longest, asked[n].back() + 1);
    drawn[n] = asked[n][RandomStream(options.seed, "lags", 0, n).integer(asked[n].size())];
  }
  LagStatistics statistics;
  std::vector<Observation> all, one;
  for (std::size_t lag = 0; lag < longest && lag <= static_cast<std::size_t>(options.most); ++lag) {
    all.clear();
    one.clear();
    for (std::size_t n = 0; n < asked.size(); ++n) {
      const std::span<const int> source = sample.source(static_cast<std::int64_t>(n));
      const std::span<const int> target = sample.target(static_cast<std::int64_t>(n));
      for (const std::size_t t : asked[n]) {
        if (t < lag || source[t - lag] < 0) continue;
        all.push_back({source[t - lag], target[t]});
        if (t == drawn[n]) one.push_back(all.back());
      }
    }
    const Contingency table = contingency(all, sample.vocab(), sample.target_vocab());
    Lag found;
    found.lag = static_cast<int>(lag);
    found.positions = table.count;
    if (table.columns > 1 && table.rows > 1) {
      const auto n = static_cast<double>(table.count);
      const double told = table.chi2 / n / (table.columns - 1);
      found.chance = (table.rows - 1) / (n - 1);
      found.share = found.chance < 1 ? (told - found.chance) / (1 - found.chance) : 0;
    }
    found.deviations = contingency(one, sample.vocab(), sample.target_vocab()).deviations();
    found.clear = found.deviations > options.clear;
    statistics.hard = statistics.hard && !found.clear;
    statistics.lags.push_back(found);
  }
  count_hard_positions(sample, asked, longest, options, statistics);
  return statistics;
}

std::vector<Lag> LagStatistics::best(int count) const {
  std::vector<Lag> sorted = lags;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Lag& a, const Lag& b) { return a.share > b.share; });
  sorted.resize(std::min(sorted.size(), static_cast<std::size_t>(count)));
  return sorted;
}

}  // namespace fovea
