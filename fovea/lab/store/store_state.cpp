#include "fovea/lab/store/store_state.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "fovea/io/toml_reader.h"
#include "fovea/lab/store/run_lock.h"

namespace fovea {

static_assert(std::endian::native == std::endian::little,
              "blobs are little-endian; a big-endian machine must swap their bytes");

namespace {

enum SettingKind : std::int64_t { whole, real, truth, words, composed };  // composed: a list or table, as TOML

}  // namespace

std::optional<std::int64_t> Store::State::known_word(const std::string& text) {
  if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
  SqliteStatement question = db().prepare("SELECT id FROM words WHERE text = ?");
  if (!question.bind(1, text).next()) return std::nullopt;
  return numbers_[text] = question.integer(0);
}

std::int64_t Store::State::word(const std::string& text) {
  if (const auto known = known_word(text)) return *known;
  db().prepare("INSERT INTO words (text) VALUES (?)").bind(1, text).run();
  return numbers_[text] = db().last_id();
}

const std::string& Store::State::text_of(std::int64_t word) {
  if (const auto found = texts_.find(word); found != texts_.end()) return found->second;
  SqliteStatement question = db().prepare("SELECT text FROM words WHERE id = ?");
  return texts_[word] = question.bind(1, word).next() ? std::string(question.text(0)) : std::string();
}

RunState Store::State::state_now(RunState kept, std::string_view hash) const {
  if (kept == RunState::done) return kept;
  if (RunLock::held(running_folder(), std::string(hash))) return RunState::running;
  return kept == RunState::running ? RunState::stopped : kept;
}

void read_row(Store::State& state, SqliteStatement& row, RunRecord& run) {
  run.id = row.integer(0);
  run.experiment = state.text_of(row.integer(1));
  run.hash = row.text(2);
  run.spec.seed = std::bit_cast<std::uint64_t>(row.integer(3));
  run.state = state.state_now(static_cast<RunState>(row.integer(4)), run.hash);
  run.error = row.text(5);
  run.version = state.text_of(row.integer(6));
  run.machine = state.text_of(row.integer(7));
  run.started = row.text(8);
  run.seconds = row.number(9);
  run.steps = row.integer(10);
  run.removed = row.text(12);
  run.arithmetic = static_cast<int>(row.integer(13));
}

RunSpec spec_of(std::string_view text, const Location& location) {
  ValueTable table = parse_table(std::string(text), "a run in " + location.file, Location::Kind::spec);
  table["seed"] = {std::int64_t{0}, {}};
  return run_spec_from_table(table);
}

void delete_run(Connection& database, std::int64_t id) {
  SqliteStatement gone = database.prepare("DELETE FROM runs WHERE id = ? RETURNING spec");
  if (!gone.bind(1, id).next()) return;
  const std::int64_t spec = gone.integer(0);
  gone.run();
  database.prepare("DELETE FROM specs WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM runs WHERE spec = ?1)")
      .bind(1, spec)
      .run();
}

void bind_setting(SqliteStatement& statement, int kind_index, int value_index, const Value& value, std::string& text) {
  if (const auto* x = value.as<std::int64_t>()) statement.bind(kind_index, std::int64_t{whole}).bind(value_index, *x);
  else if (const auto* y = value.as<double>()) statement.bind(kind_index, std::int64_t{real}).bind(value_index, *y);
  else if (const auto* b = value.as<bool>())
    statement.bind(kind_index, std::int64_t{truth}).bind(value_index, std::int64_t{*b});
  else if (const auto* s = value.as<std::string>())
    statement.bind(kind_index, std::int64_t{words}).bind(value_index, *s);
  else statement.bind(kind_index, std::int64_t{composed}).bind(value_index, text = value.text());
}

Value read_setting(const SqliteStatement& row, int kind_column, int value_column) {
  switch (row.integer(kind_column)) {
    case whole:
      return {row.integer(value_column), {}};
    case real:
      return {row.number(value_column), {}};
    case truth:
      return {row.integer(value_column) != 0, {}};
    case words:
      return {std::string(row.text(value_column)), {}};
    default:
      return parse_table(fmt::format("value = {}", row.text(value_column)), "store").at("value");
  }
}

void set_setting(RunSpec& spec, const std::string& dotted, std::optional<Value> value) {
  static const std::pair<std::string_view, ValueTable RunSpec::*> tables[] = {
      {"task", &RunSpec::task}, {"model", &RunSpec::model}, {"train", &RunSpec::train}, {"probe", &RunSpec::probe}};
  if (dotted == "intervene") {
    const auto* const list = value ? value->as<ValueList>() : nullptr;
    spec.interventions = list ? *list : ValueList();
    return;
  }
  std::size_t begin = dotted.find('.');
  if (begin == std::string::npos) return;  // the seed is a column of its own
  ValueTable* table = nullptr;
  for (const auto& [name, member] : tables)
    if (std::string_view(dotted).substr(0, begin) == name) table = &(spec.*member);
  if (!table) return;
  for (;;) {
    const std::size_t end = dotted.find('.', ++begin);
    std::string key = dotted.substr(begin, end - begin);
    if (end == std::string::npos) {
      if (value) table->insert_or_assign(std::move(key), std::move(*value));
      else table->erase(key);
      return;
    }
    Value& inner = (*table)[std::move(key)];
    if (!inner.as<ValueTable>()) inner.data = ValueTable();
    table = std::get_if<ValueTable>(&inner.data);
    begin = end;
  }
}

void read_series(const SqliteStatement& row, int steps_column, int values_column, const Location& location,
                 Series& series) {
  read_blob(row.blob(steps_column), series.steps);
  read_blob(row.blob(values_column), series.values);
  if (series.steps.size() != series.values.size()) throw damaged("a series has not one value for each step", location);
}

Error damaged(const std::string& what, const Location& location) {
  return failure("the store of runs is damaged: " + what,
                 "restore the file from a copy, or move it away: runs can be trained again from their specs", location);
}

Columns::Columns(Store::State& state, const std::set<std::string>& names, bool with_series)
    : location_{state.db().file().string()}, with_series_(with_series) {
  for (const std::string& name : names) {
    Setting setting{RunSpec::describes_interventions(name) ? "intervene" : name, {}};
    const auto key = state.known_word(setting.name), word = state.known_word(name);
    if (key) {
      SqliteStatement rows = state.db().prepare("SELECT spec, kind, value FROM settings WHERE name = ?");
      rows.bind(1, *key);
      while (rows.next()) setting.of_spec.emplace(rows.integer(0), read_setting(rows, 1, 2));
      if (!setting.of_spec.empty()) settings_.push_back(std::move(setting));
    }
    if (!word) continue;
    metrics_.push_back(
        {name, state.db().prepare(with_series_ ? "SELECT run, steps, points FROM series WHERE name = ? ORDER BY run"
                                               : "SELECT run, step, value FROM metrics WHERE name = ? ORDER BY run")});
    metrics_.back().rows.bind(1, *word);
  }
}

bool Columns::Metric::find(std::int64_t run) {
  while (!ended && (!started || rows.integer(0) < run)) {
    ended = !rows.next();
    started = true;
  }
  return !ended && rows.integer(0) == run;
}

void Columns::read_settings(RunRecord& run, std::int64_t spec) const {
  for (const Setting& setting : settings_) {
    const auto found = setting.of_spec.find(spec);
    set_setting(run.spec, setting.name, found == setting.of_spec.end() ? std::nullopt : std::optional(found->second));
  }
}

void Columns::read_metrics(RunRecord& run) {
  for (Metric& metric : metrics_) {
    if (!metric.find(run.id)) {
      run.series.erase(metric.name);
      continue;
    }
    Series& series = run.series[metric.name];
    if (with_series_) {
      read_series(metric.rows, 1, 2, location_, series);
    } else {
      series.steps.assign(1, metric.rows.integer(1));
      series.values.assign(1, metric.rows.number(2));
    }
  }
}

}  // namespace fovea
