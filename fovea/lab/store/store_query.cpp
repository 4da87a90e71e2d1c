// Finds runs in the store (Store, store.h) (room lab/store). Conditions and orders read only the columns that they
// name, in one pass over the runs. Only the found runs are loaded whole. Reads the store; changes nothing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "fovea/lab/store/store_arrays.h"
#include "fovea/lab/store/store_labels.h"
#include "fovea/lab/store/store_state.h"

namespace fovea {

namespace {

#define FOVEA_ROW                                                                                      \
  "SELECT id, experiment, hash, seed, state, error, version, machine, started, seconds, steps, spec, " \
  "removed, arithmetic FROM runs "
constexpr const char* by_id = FOVEA_ROW "WHERE id = ?";
constexpr const char* of_one = FOVEA_ROW "WHERE experiment = ? AND removed IS NULL ORDER BY id";
constexpr const char* of_all = FOVEA_ROW "WHERE removed IS NULL ORDER BY id";
constexpr const char* of_one_in_bin = FOVEA_ROW "WHERE experiment = ? AND removed IS NOT NULL ORDER BY id";
constexpr const char* of_all_in_bin = FOVEA_ROW "WHERE removed IS NOT NULL ORDER BY id";
#undef FOVEA_ROW

enum class Points { last, all };

// Runs from their rows, but for tags and notes, within one transaction. Runs that differ in their seed alone have their
// spec read once.
class Reader {
 public:
  Reader(Store::State& state, Points points)
      : state_(state),
        location_{state.db().file().string()},
        points_(points),
        rows_(state.db().prepare(points == Points::all ? "SELECT name, steps, points FROM series WHERE run = ?"
                                                       : "SELECT name, step, value FROM metrics WHERE run = ?")) {}

  RunRecord read(SqliteStatement& row, bool with_arrays) {
    RunRecord run;
    read_row(state_, row, run);
    const std::uint64_t seed = run.spec.seed;
    run.spec = spec(row.integer(11));
    run.spec.seed = seed;
    rows_.reset();
    rows_.bind(1, run.id);
    while (rows_.next()) {
      Series& series = run.series[state_.text_of(rows_.integer(0))];
      if (points_ == Points::all) read_series(rows_, 1, 2, location_, series);
      else series = {{rows_.integer(1)}, {rows_.number(2)}};
    }
    if (with_arrays) run.arrays = read_arrays(state_, run.id, {});
    return run;
  }

 private:
  const RunSpec& spec(std::int64_t id) {
    if (const auto known = specs_.find(id); known != specs_.end()) return known->second;
    SqliteStatement text = state_.db().prepare("SELECT text FROM specs WHERE id = ?");
    if (!text.bind(1, id).next()) throw damaged("a run has no spec", location_);
    return specs_[id] = spec_of(text.text(0), location_);
  }

  Store::State& state_;
  Location location_;
  Points points_;
  SqliteStatement rows_;
  std::unordered_map<std::int64_t, RunSpec> specs_;
};

// One run whole.
RunRecord read_whole(Store::State& state, SqliteStatement& row, bool with_arrays) {
  RunRecord run = Reader(state, Points::all).read(row, with_arrays);
  add_labels(state, run.id, run.tags, run.note);
  return run;
}

// What runs are put in order by. A run that lacks it, or has NaN, comes last either way.
struct Rank {
  bool missing = true;
  double number = 0;
  std::string text;
};

// What the runs are put in order by: one name, or an expression.
struct Order {
  std::string name;
  std::optional<Expression> expression;
  bool falling = false;

  Order(const std::string& sort, const Location& location)
      : name(sort.starts_with('-') ? sort.substr(1) : sort), falling(name != sort) {
    if (name.empty()) return;
    expression = Expression::parse(name, location).require_single_run();
    if (!expression->is_name()) return;
    name = *expression->names().begin();
    expression.reset();
  }
  bool set() const { return !name.empty(); }
  bool is_id() const { return name == "id" && !expression; }
  std::set<std::string> names() const {
    return expression ? expression->columns() : set() ? std::set{name} : std::set<std::string>();
  }
  bool reads_series() const { return expression && expression->reads_series(); }
};

Rank rank_of(const RunRecord& run, const Order& order) {
  const auto number = [](double x) { return Rank{std::isnan(x), x, {}}; };
  if (order.expression) return number(order.expression->number(run));
  const std::string& key = order.name;
  if (key == "id") return number(static_cast<double>(run.id));
  if (key == "seconds") return number(run.seconds);
  if (key == "steps") return number(static_cast<double>(run.steps));
  if (key == "seed") return number(static_cast<double>(run.spec.seed));
  if (key == "experiment") return {false, 0, run.experiment};
  if (key == "state") return {false, 0, state_name(run.state)};
  if (key == "started") return {false, 0, run.started};
  if (key == "tags") return {run.tags.empty(), 0, fmt::format("{}", fmt::join(run.tags, ", "))};
  if (key == "note") return {run.note.empty(), 0, run.note};
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

struct Matches {
  std::vector<Match> found;
  std::vector<RunRecord> runs;  // of each, where only columns are asked for, in no other order
};

// One pass over the runs, by id. Calls visit(row, run) for each run that meets the condition, until it returns false.
// The record has what the condition and `names` read, and is used again for each row.
void each_match(Store::State& state, const RunQuery& query, std::set<std::string> names, bool with_series,
                std::int64_t experiment, const auto& visit) {
  if (query.where) {
    names.merge(query.where->columns());
    with_series = with_series || query.where->reads_series();
  }
  Columns columns(state, names, with_series);
  std::optional<Labels> labels;
  if (names.contains("tags") || names.contains("note")) labels.emplace(state);
  SqliteStatement rows = state.db().prepare(query.in_bin ? experiment ? of_one_in_bin : of_all_in_bin
                                            : experiment ? of_one
                                                         : of_all);
  if (experiment) rows.bind(1, experiment);
  RunRecord run;
  std::int64_t spec = 0;  // whose settings the record has
  while (rows.next()) {
    run.id = rows.integer(0);
    run.experiment = state.text_of(rows.integer(1));
    run.spec.seed = static_cast<std::uint64_t>(rows.integer(3));
    run.state = state.state_now(static_cast<RunState>(rows.integer(4)), rows.text(2));
    run.started = rows.text(8);
    run.seconds = rows.number(9);
    run.steps = rows.integer(10);
    run.arithmetic = static_cast<int>(rows.integer(13));
    if (labels) labels->read(run);
    if (spec != rows.integer(11)) columns.read_settings(run, spec = rows.integer(11));
    columns.read_metrics(run);
    if (query.where && !query.where->is_true(run)) continue;
    if (!visit(rows, run)) return;
  }
}

// What the condition, the order and the caller want is read in one pass, which ends at the limit where neither the
// order nor a count needs the rest.
Matches matches(Store::State& state, const RunQuery& query, const Order& order, std::int64_t experiment, bool to_end) {
  std::optional<Columns> of_result;
  std::optional<Labels> labels;
  if (query.columns && !order.set()) {  // else what is read depends on the order
    of_result.emplace(state, std::set<std::string>(query.columns->begin(), query.columns->end()), query.with_series);
    labels.emplace(state);
  }
  Matches all;
  if (of_result && !query.where) {
    const auto most = static_cast<std::size_t>(state.db().integer("SELECT count(*) FROM runs"));
    all.runs.reserve(most);
    all.found.reserve(most);
  }
  each_match(state, query, order.names(), order.reads_series(), experiment, [&](SqliteStatement& row, RunRecord& run) {
    if (of_result) {
      RunRecord& found = all.runs.emplace_back();
      read_row(state, row, found);
      of_result->read_settings(found, row.integer(11));
      of_result->read_metrics(found);
      labels->read(found);
      if (query.with_arrays) found.arrays = read_arrays(state, run.id, {});
    }
    all.found.push_back({run.id, order.set() ? rank_of(run, order) : Rank()});
    return to_end || std::ssize(all.found) != query.limit;
  });
  return all;
}

// The same where every run is a match and the order is theirs: reads no more rows than the limit.
Matches by_number(Store::State& state, const RunQuery& query, bool falling, std::int64_t experiment) {
  const std::string sql = fmt::format("SELECT id FROM runs WHERE {} IS {} NULL ORDER BY id{} LIMIT ?",
                                      experiment ? "experiment = ? AND removed" : "removed", query.in_bin ? "NOT" : "",
                                      falling ? " DESC" : "");
  SqliteStatement rows = state.db().prepare(sql.c_str());
  if (experiment) rows.bind(1, experiment);
  rows.bind(experiment ? 2 : 1, query.limit);
  Matches all;
  while (rows.next()) all.found.push_back({rows.integer(0), {}});
  return all;
}

// From two indices, as no index has all runs that are not in the bin.
std::int64_t count_of(Store::State& state, std::int64_t experiment, bool in_bin) {
  const auto count = [&](const char* sql) {
    SqliteStatement rows = state.db().prepare(sql);
    if (experiment) rows.bind(1, experiment);
    rows.next();
    return rows.integer(0);
  };
  const std::int64_t binned = count(
      experiment ? "SELECT count(*) FROM runs INDEXED BY runs_removed WHERE experiment = ? AND removed IS NOT NULL"
                 : "SELECT count(*) FROM runs INDEXED BY runs_removed WHERE removed IS NOT NULL");
  if (in_bin) return binned;
  return count(experiment ? "SELECT count(*) FROM runs WHERE experiment = ?" : "SELECT count(*) FROM runs") - binned;
}

// The columns of these runs, in this order. They are read by rising id, since columns lie so.
std::vector<RunRecord> read_columns(Store::State& state, const RunQuery& query, const std::vector<std::int64_t>& ids) {
  Columns columns(state, std::set<std::string>(query.columns->begin(), query.columns->end()), query.with_series);
  const Labels labels(state);
  SqliteStatement row = state.db().prepare(by_id);
  std::vector<std::size_t> rising(ids.size());
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = i;
  std::ranges::sort(rising, {}, [&ids](std::size_t i) { return ids[i]; });
  std::vector<RunRecord> runs(ids.size());
  for (const std::size_t i : rising) {
    row.reset();
    if (!row.bind(1, ids[i]).next()) continue;
    read_row(state, row, runs[i]);
    columns.read_settings(runs[i], row.integer(11));
    columns.read_metrics(runs[i]);
    labels.read(runs[i]);
    if (query.with_arrays) runs[i].arrays = read_arrays(state, ids[i], {});
  }
  return runs;
}

}  // namespace

std::optional<RunRecord> Store::find(std::int64_t id, bool with_arrays) const {
  Transaction sight(state_->db(), Transaction::Kind::read);
  SqliteStatement row = state_->db().prepare(by_id);
  if (!row.bind(1, id).next() || !row.is_null(12)) return std::nullopt;
  return read_whole(*state_, row, with_arrays);
}

void Store::read(std::span<const std::int64_t> ids, const std::function<void(const RunRecord&)>& use) const {
  Transaction sight(state_->db(), Transaction::Kind::read);
  Reader reader(*state_, Points::all);
  SqliteStatement row = state_->db().prepare(by_id);
  for (const std::int64_t id : ids) {
    row.reset();
    if (!row.bind(1, id).next() || !row.is_null(12))
      throw wrong_input(fmt::format("there is no run {}", id), Remedy::see_runs());
    RunRecord run = reader.read(row, false);
    add_labels(*state_, id, run.tags, run.note);
    use(run);
  }
}

std::optional<std::int64_t> run_of_hash(Connection& database, const std::string& hash, bool done) {
  SqliteStatement row =
      database.prepare(done ? "SELECT id FROM runs WHERE hash = ? AND state = 1 AND removed IS NULL"
                            : "SELECT id FROM runs WHERE hash = ? AND state <> 1 AND removed IS NULL");
  if (!row.bind(1, hash).next()) return std::nullopt;
  return row.integer(0);
}

namespace {

std::optional<RunRecord> find_hash(Store::State& state, const std::string& hash, bool done, bool with_series) {
  Transaction sight(state.db(), Transaction::Kind::read);
  const auto id = run_of_hash(state.db(), hash, done);
  SqliteStatement row = state.db().prepare(by_id);
  if (!id || !row.bind(1, *id).next()) return std::nullopt;
  if (with_series) return read_whole(state, row, false);
  std::optional<RunRecord> run(std::in_place);
  read_row(state, row, *run);
  return run;
}

}  // namespace

std::optional<RunRecord> Store::find_done(const std::string& hash, bool with_series) const {
  return find_hash(*state_, hash, true, with_series);
}

std::optional<RunRecord> Store::find_undone(const std::string& hash) const {
  return find_hash(*state_, hash, false, true);
}

std::vector<RunRecord> Store::query(const RunQuery& query, std::int64_t* matched) const {
  const Order order(query.sort, query.sort_location);
  if (query.where) query.where->require_single_run().require_condition();
  Transaction sight(state_->db(), Transaction::Kind::read);
  if (matched) *matched = 0;
  if (query.where) require_known(*query.where);
  require_known(order.names(), query.sort_location);
  if (!query.experiment.empty()) require_experiment(query.experiment);
  const auto experiment =
      query.experiment.empty() ? std::optional<std::int64_t>(0) : state_->known_word(query.experiment);
  if (!experiment || (query.limit == 0 && !matched)) return {};
  const bool numbered = !query.where && order.is_id();
  Matches all = numbered ? by_number(*state_, query, order.falling, *experiment)
                         : matches(*state_, query, order, *experiment, matched || order.set());
  if (matched) *matched = numbered ? count_of(*state_, *experiment, query.in_bin) : std::ssize(all.found);

  std::vector<std::size_t> indices(all.found.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  if (order.set() && !numbered)
    std::ranges::stable_sort(
        indices, [&order](const Rank& a, const Rank& b) { return before(a, b, order.falling); },
        [&all](std::size_t i) -> const Rank& { return all.found[i].rank; });
  if (query.limit >= 0 && std::ssize(indices) > query.limit) indices.resize(static_cast<std::size_t>(query.limit));
  if (query.columns && !order.set()) {
    all.runs.resize(indices.size());
    return std::move(all.runs);
  }

  std::vector<std::int64_t> ids(indices.size());
  std::ranges::transform(indices, ids.begin(), [&all](std::size_t i) { return all.found[i].id; });
  if (query.columns) return read_columns(*state_, query, ids);
  std::vector<RunRecord> runs;
  runs.reserve(ids.size());
  Reader reader(*state_, query.with_series ? Points::all : Points::last);
  const Labels labels(*state_);
  SqliteStatement row = state_->db().prepare(by_id);
  for (const std::int64_t id : ids) {
    row.reset();
    if (!row.bind(1, id).next()) continue;
    runs.push_back(reader.read(row, query.with_arrays));
    labels.read(runs.back());
  }
  return runs;
}

void Store::visit(const RunQuery& query, const std::function<void(const RunRecord&, std::int64_t)>& visit) const {
  if (query.where) query.where->require_single_run().require_condition();
  Transaction sight(state_->db(), Transaction::Kind::read);
  if (query.where) require_known(*query.where);
  if (!query.experiment.empty()) require_experiment(query.experiment);
  const auto experiment =
      query.experiment.empty() ? std::optional<std::int64_t>(0) : state_->known_word(query.experiment);
  if (!experiment) return;
  const std::vector<std::string> wanted = query.columns.value_or(std::vector<std::string>());
  Columns columns(*state_, std::set<std::string>(wanted.begin(), wanted.end()), query.with_series);
  std::int64_t spec = 0;
  each_match(*state_, query, {}, false, *experiment, [&](SqliteStatement& row, RunRecord& run) {
    if (spec != row.integer(11)) columns.read_settings(run, spec = row.integer(11));
    columns.read_metrics(run);
    visit(run, spec);
    return true;
  });
}

RunSpec Store::spec(std::int64_t number) const {
  const Location location{state_->db().file().string()};
  SqliteStatement text = state_->db().prepare("SELECT text FROM specs WHERE id = ?");
  if (!text.bind(1, number).next()) throw damaged("a run has no spec", location);
  return spec_of(text.text(0), location);
}

std::int64_t Store::count() const { return count_of(*state_, 0, false); }

}  // namespace fovea
