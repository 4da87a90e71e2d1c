// Finding runs. Conditions and orders read only the columns they name, alongside each other in one pass over the runs;
// whole runs are loaded for what is found.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fovea/lab/store_arrays.h"
#include "fovea/lab/store_state.h"

namespace fovea {

namespace {

constexpr const char* by_id =
    "SELECT id, experiment, hash, seed, state, error, version, machine, started, seconds, steps FROM runs WHERE id = ?";
constexpr const char* of_all =
    "SELECT id, experiment, hash, seed, state, error, version, machine, started, seconds, steps FROM runs "
    "WHERE ?1 IS NULL OR experiment = ?1 ORDER BY id";

enum class Points { last, all };

RunRecord read_run(Store::State& state, Statement& row, Points points, bool with_arrays) {
  RunRecord run = read_row(state, row);
  const Place place{state.db().file().string()};
  Statement spec = state.db().prepare("SELECT text FROM specs WHERE run = ?");
  if (!spec.bind(1, run.id).next()) throw damaged(fmt::format("run {} has no spec", run.id), place);
  run.spec = run_spec_from_table(parse_table(std::string(spec.text(0)), fmt::format("run {}", run.id)));
  Statement rows = state.db().prepare(points == Points::all ? "SELECT name, steps, points FROM series WHERE run = ?"
                                                            : "SELECT name, step, value FROM metrics WHERE run = ?");
  rows.bind(1, run.id);
  while (rows.next()) {
    Series& series = run.series[state.text_of(rows.integer(0))];
    if (points == Points::all) series = read_series(rows, 1, 2, place);
    else series = {{rows.integer(1)}, {rows.number(2)}};
  }
  if (with_arrays) run.arrays = read_arrays(state, run.id, {});
  return run;
}

// What runs are put in order by. A run that lacks it, or has NaN, comes last either way.
struct Rank {
  bool missing = true;
  double number = 0;
  std::string text;
};

Rank rank_of(const RunRecord& run, const std::string& key) {
  const auto number = [](double x) { return Rank{std::isnan(x), x, {}}; };
  if (key == "id") return number(static_cast<double>(run.id));
  if (key == "seconds") return number(run.seconds);
  if (key == "steps") return number(static_cast<double>(run.steps));
  if (key == "seed") return number(static_cast<double>(run.spec.seed));
  if (key == "experiment") return {false, 0, run.experiment};
  if (key == "state") return {false, 0, state_name(run.state)};
  if (key == "started") return {false, 0, run.started};
  if (const auto found = run.series.find(key); found != run.series.end() && !found->second.values.empty())
    return number(found->second.values.back());
  const auto setting = run.spec.setting(key);
  if (!setting) return {};
  if (const auto* whole = setting->as<std::int64_t>()) return number(static_cast<double>(*whole));
  if (const auto* real = setting->as<double>()) return number(*real);
  if (const auto* text = setting->as<std::string>()) return {false, 0, *text};
  return {false, 0, setting->text()};
}

bool before(const Rank& a, const Rank& b, bool falling) {
  if (a.missing || b.missing) return !a.missing && b.missing;
  const auto less = [](const Rank& x, const Rank& y) {
    return x.number != y.number ? x.number < y.number : x.text < y.text;
  };
  return falling ? less(b, a) : less(a, b);
}

struct Match {
  std::int64_t id;
  Rank rank;
};

std::vector<Match> matches(Store::State& state, const RunQuery& query, const std::optional<std::int64_t>& experiment) {
  const bool falling = query.sort.starts_with('-');
  const std::string key = query.sort.substr(falling ? 1 : 0);
  std::set<std::string> names = query.where ? query.where->names() : std::set<std::string>();
  if (!key.empty()) names.insert(key);
  Columns columns(state, names, query.where.has_value());
  Statement rows = state.db().prepare(of_all);
  if (experiment) rows.bind(1, *experiment);
  std::vector<Match> found;
  RunRecord run;  // only what the condition reads, used again for each row
  while (rows.next()) {
    run.id = rows.integer(0);
    run.experiment = state.text_of(rows.integer(1));
    run.spec.seed = static_cast<std::uint64_t>(rows.integer(3));
    run.state = static_cast<RunState>(rows.integer(4));
    run.started = rows.text(8);
    run.seconds = rows.number(9);
    run.steps = rows.integer(10);
    columns.read(run);
    if (query.where && !query.where->holds(run)) continue;
    found.push_back({run.id, key.empty() ? Rank() : rank_of(run, key)});
    if (key.empty() && static_cast<std::int64_t>(found.size()) == query.limit) break;
  }
  if (!key.empty()) {
    std::ranges::stable_sort(found,
                             [falling](const Match& a, const Match& b) { return before(a.rank, b.rank, falling); });
    if (query.limit >= 0 && std::ssize(found) > query.limit) found.resize(static_cast<std::size_t>(query.limit));
  }
  return found;
}

// The found runs with only some columns, in one pass over all runs.
std::vector<RunRecord> read_columns(Store::State& state, const RunQuery& query, const std::vector<Match>& found,
                                    const std::optional<std::int64_t>& experiment) {
  std::vector<std::pair<std::int64_t, std::size_t>> order(found.size());  // by id: the run, and its place in the result
  for (std::size_t i = 0; i < found.size(); ++i) order[i] = {found[i].id, i};
  std::ranges::sort(order);
  Columns columns(state, {query.columns->begin(), query.columns->end()}, query.with_series);
  Statement rows = state.db().prepare(of_all);
  if (experiment) rows.bind(1, *experiment);
  std::vector<RunRecord> runs(found.size());
  for (const auto& [id, place] : order) {
    while (rows.next() && rows.integer(0) != id) {
    }
    RunRecord& run = runs[place];
    run = read_row(state, rows);
    columns.read(run);
    if (query.with_arrays) run.arrays = read_arrays(state, id, {});
  }
  return runs;
}

}  // namespace

std::optional<RunRecord> Store::find(std::int64_t id, bool with_arrays) const {
  Transaction sight(state_->db(), Transaction::Kind::read);
  Statement row = state_->db().prepare(by_id);
  if (!row.bind(1, id).next()) return std::nullopt;
  return read_run(*state_, row, Points::all, with_arrays);
}

std::optional<RunRecord> Store::find_done(const std::string& hash) const {
  Transaction sight(state_->db(), Transaction::Kind::read);
  Statement found = state_->db().prepare("SELECT id FROM runs WHERE hash = ? AND state = 1");
  if (!found.bind(1, hash).next()) return std::nullopt;
  Statement row = state_->db().prepare(by_id);
  if (!row.bind(1, found.integer(0)).next()) return std::nullopt;
  return read_run(*state_, row, Points::all, false);
}

std::vector<RunRecord> Store::query(const RunQuery& query) const {
  Transaction sight(state_->db(), Transaction::Kind::read);
  if (query.where) query.where->require_single_run();
  std::optional<std::int64_t> experiment;
  if (!query.experiment.empty()) {
    experiment = state_->known_word(query.experiment);
    if (!experiment) return {};
  }
  if (query.limit == 0) return {};
  const std::vector<Match> found = matches(*state_, query, experiment);
  if (query.columns) return read_columns(*state_, query, found, experiment);
  std::vector<RunRecord> runs;
  runs.reserve(found.size());
  Statement row = state_->db().prepare(by_id);
  for (const Match& match : found) {
    row.reset();
    if (row.bind(1, match.id).next())
      runs.push_back(read_run(*state_, row, query.with_series ? Points::all : Points::last, query.with_arrays));
  }
  return runs;
}

std::int64_t Store::count() const { return state_->db().integer("SELECT count(*) FROM runs"); }

}  // namespace fovea
